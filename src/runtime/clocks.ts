/** The clocks of the process, and its pauses. */
import type { Bounds } from '../edges/node/limits/bounds.ts';

export type Clocks = ReturnType<typeof readClocks>;

/**
 * Milliseconds of the system clock, since the Unix epoch, and of one that no setting changes but that may stop while the machine sleeps.
 */
export const readClocks = () => ({ wallMs: Date.now(), monotonicMs: performance.now() });

/**
 * Returns the pause in milliseconds before what has ended unexpectedly is started again, doubled by each further end until it has run for
 * the longest pause.
 */
export function createBackOff({ restartMs, maxRestartMs }: Pick<Bounds, 'restartMs' | 'maxRestartMs'>) {
  let nextMs = restartMs;
  return (ranMs: number): number => {
    const pauseMs = ranMs > maxRestartMs ? restartMs : nextMs;
    nextMs = Math.min(2 * pauseMs, maxRestartMs);
    return pauseMs;
  };
}

/** States a pause in seconds, minutes or hours, such as `10 minutes`. */
export function formatPause(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} seconds`;
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
