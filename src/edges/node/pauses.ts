/** Pauses before another attempt, which grow with each failure. */

/** In milliseconds. */
export interface Pauses {
  /** After the first failure, doubled by each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Returns the pause in milliseconds after so many consecutive failures; 1 is the first. */
export const pauseAfter = (failures: number, { firstMs, maxMs }: Pauses): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));

/** Lengthens a pause by a random part of it, at most `part`, or shortens it if `part` is negative, so that not all instances try at the same time. */
export const spreadPause = (ms: number, part: number): number => ms * (1 + part * Math.random());

/** States a pause in seconds, minutes or hours, such as `10 minutes`. */
export function formatPause(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} seconds`;
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
