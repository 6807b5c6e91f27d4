/** The `seenby` command of the npm package: checks the Node version before loading anything that needs it. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { handleFirstSignals } from './first-signals.mjs';

handleFirstSignals();

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// Versions whose HTTP/2 takes lists of headers.
if (major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20)) {
  const { keepCompiledCode } = await import('./compile-cache.mjs');
  const dataFolder = userDataFolder(process.env);
  keepCompiledCode(`${dataFolder}/compiled`);
  if (!('AsyncDisposableStack' in globalThis)) await import('../runtime/threads/disposable-stack.ts');
  const { run } = await import('./run.ts');
  await run(process.argv.slice(2), { dataFolder, program: 'seenby' });
} else {
  process.stderr.write(`seenby: Node ${process.versions.node} is too old; install Node 22.20, 24.7 or later.\n`);
  process.exitCode = 1;
}

/**
 * Default folder for databases of an installed package: the user's data folder, not the working directory. Follows systemd's
 * STATE_DIRECTORY, the XDG Base Directory specification, and the conventions of Windows and macOS.
 */
function userDataFolder({ STATE_DIRECTORY, XDG_DATA_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  if (STATE_DIRECTORY) return STATE_DIRECTORY;
  // Functions, because `homedir` fails for a user without a home directory.
  const folders: Partial<Record<NodeJS.Platform, () => string>> = {
    win32: () => LOCALAPPDATA || join(homedir(), 'AppData', 'Local'),
    darwin: () => join(homedir(), 'Library', 'Application Support'),
  };
  return join(folders[process.platform]?.() ?? (XDG_DATA_HOME || join(homedir(), '.local', 'share')), 'seenby');
}
