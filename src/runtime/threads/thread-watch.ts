/** Detects a worker thread, or the process for HTTP/3, that does not respond: an endless loop, or a call that blocks. */
import { runEvery } from '../clocks.ts';

/** Intervals without a response after which a thread counts as hung. */
const maxMissed = 10;

/**
 * Calls `onHung` when the thread has not responded for `timeoutMs`, from its start on. The time is counted in calls of a timer: while the
 * machine is suspended or the supervisor itself is late, there are none, and afterwards only one.
 */
export function watchThread(
  worker: {
    readonly listening: Promise<unknown>;
    readonly ended: Promise<unknown>;
    call: (call: { readonly member: 'ping' }) => Promise<unknown>;
  },
  timeoutMs: number,
  onHung: () => void,
): void {
  let missed = 0;
  const watch = (): void => {
    const end = runEvery(timeoutMs / maxMissed, () => {
      missed += 1;
      if (missed === maxMissed) onHung();
      void worker.call({ member: 'ping' }).then(() => {
        missed = 0;
      });
    });
    void worker.ended.then(end);
  };
  // Loading the application may take longer on a busy machine; a thread that cannot start ends by itself.
  worker.listening.then(watch, () => {});
}
