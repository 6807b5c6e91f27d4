/** The number of threads that serve. */
import { availableParallelism } from 'node:os';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';

/** Logs why there is only one thread although the setting is higher. */
export function countThreads(setting: Settings['threads'], canBeSeveral: boolean, log: Log): number {
  const count = setting === 'auto' ? availableParallelism() : setting;
  if (count === 1 || (canBeSeveral && process.platform === 'linux')) return count;
  const reason = canBeSeveral ? 'only Linux distributes connections among threads' : 'the command needs only one';
  log('one_thread', `serving with one thread: ${reason}`, { reason });
  return 1;
}
