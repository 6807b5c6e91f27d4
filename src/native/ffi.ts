/**
 * Functions of the C library. Relies on `node:ffi`, which is experimental (checked with Node 26.10). An older Node, one with
 * `--permission`, and systems other than Linux have none of them; each caller states what is lost then.
 */
import type { FunctionDefinitions } from 'node:ffi';

/** Returns the functions, and those of `node:ffi` that go with them; null if they are not available. */
export async function loadFunctions<const Definitions extends FunctionDefinitions>(definitions: Definitions) {
  if (process.platform !== 'linux') return null;
  try {
    const { dlopen, getRawPointer, toArrayBuffer, toString: readText } = await import('node:ffi');
    const { lib, functions } = dlopen(null, definitions);
    const registerCallback: typeof lib.registerCallback = lib.registerCallback.bind(lib);
    return { ...functions, getRawPointer, toArrayBuffer, readText, registerCallback };
  } catch {
    return null;
  }
}

/** Hides the warning that `node:ffi` is experimental: the Node version is pinned, so the operator cannot act on it. */
export function hideFfiWarning(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('FFI')) return;
    for (const listener of listeners) listener(warning);
  });
}
