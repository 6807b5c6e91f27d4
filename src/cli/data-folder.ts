/** Default folder for databases of an installed package: the user's data folder, not the working directory. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Follows systemd's STATE_DIRECTORY, the XDG Base Directory specification, and the conventions of Windows and macOS. */
export function userDataFolder(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const { STATE_DIRECTORY, XDG_DATA_HOME, LOCALAPPDATA } = environment;
  if (STATE_DIRECTORY) return STATE_DIRECTORY;
  const base =
    platform === 'win32'
      ? LOCALAPPDATA || join(homedir(), 'AppData', 'Local')
      : platform === 'darwin'
        ? join(homedir(), 'Library', 'Application Support')
        : XDG_DATA_HOME || join(homedir(), '.local', 'share');
  return join(base, 'seenby');
}
