/** The `seenby` command of the npm package: checks the Node version before loading anything that needs it. */
// Until something else handles a signal to stop, it ends the start; without a handler, process 1 would ignore it.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(0);
  });

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 19)) {
  const [{ keepCompiledCode }, { userDataFolder }] = await Promise.all([
    import('./compile-cache.mjs'),
    import('./data-folder.ts'),
  ]);
  const dataFolder = userDataFolder(process.env);
  keepCompiledCode(`${dataFolder}/compiled`);
  await import('../runtime/threads/disposable-stack.ts');
  const { run } = await import('./run.ts');
  await run(process.argv.slice(2), dataFolder);
} else {
  process.stderr.write(`seenby: Node ${process.versions.node} is too old; install Node 22.19 or later.\n`);
  process.exitCode = 1;
}

export {};
