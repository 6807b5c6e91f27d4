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

type Warning = Error & { readonly code?: string };

/**
 * Passes Node's warnings to `handle`; `print` does what Node would do, and is null if it prints none (`NODE_NO_WARNINGS`). The one that `node:ffi` is
 * experimental is omitted: the Node version is pinned, so the operator cannot act on it.
 */
export function interceptWarnings(handle: (warning: Warning, print: (() => void) | null) => void): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('FFI')) return;
    const print = (): void => {
      for (const listener of listeners) listener(warning);
    };
    handle(warning, listeners.length === 0 ? null : print);
  });
}
