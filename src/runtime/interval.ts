/** Work that repeats while the process runs for another reason. */

/** Calls `work` after each interval; returns the function that stops it. */
export function runEvery(intervalMs: number, work: () => void): () => void {
  const timer = setInterval(work, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
