/** Hides Node's warning that `node:ffi` is experimental. */

/** The Node version is pinned, so the operator cannot act on the warning; all other warnings still appear. */
export function hideFfiWarning(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('FFI')) return;
    for (const listener of listeners) listener(warning);
  });
}
