/** The clocks of the process. */

export type Clocks = ReturnType<typeof readClocks>;

/**
 * Milliseconds of the system clock, since the Unix epoch, and of one that no setting changes but that may stop while the machine sleeps.
 */
export const readClocks = () => ({ wallMs: Date.now(), monotonicMs: performance.now() });

/** Calls `work` after each interval, without keeping the process running; returns the function that stops it. */
export function runEvery(intervalMs: number, work: () => void): () => void {
  const timer = setInterval(work, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
