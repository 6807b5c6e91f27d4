/** Notices that a program hangs. */
import { runEvery } from '../../native/ticks.ts';

/** Intervals without a response after which a program counts as hung. */
const maxMissed = 10;

type Watched = Readonly<Record<'listening' | 'ended', Promise<unknown>>> & { readonly ping: () => Promise<unknown> };

/**
 * Calls `onHung` when a thread or a process has not responded for `timeoutMs` since it listens, because of an endless loop
 * or a call that blocks. The time is counted in calls of a timer: while the machine is suspended or the supervisor itself is late, there
 * are none, and afterwards only one.
 */
export function watchProgram({ listening, ended, ping }: Watched, timeoutMs: number, onHung: () => void): void {
  let missed = 0;
  const watch = (): void => {
    const end = runEvery(timeoutMs / maxMissed, () => {
      missed += 1;
      if (missed === maxMissed) onHung();
      void ping().then(() => {
        missed = 0;
      });
    });
    void ended.then(end);
  };
  // Loading the application may take longer on a busy machine; a thread that cannot start ends by itself.
  listening.then(watch, () => {});
}
