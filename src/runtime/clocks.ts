/** The clocks of the process. */

/** Milliseconds of the system clock, and of one that no setting changes but that may stop while the machine sleeps. */
export interface Clocks {
  /** Since the Unix epoch. */
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export const readClocks = (): Clocks => ({ wallMs: Date.now(), monotonicMs: performance.now() });

/** Calls `work` after each interval, without keeping the process running; returns the function that stops it. */
export function runEvery(intervalMs: number, work: () => void): () => void {
  const timer = setInterval(work, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
