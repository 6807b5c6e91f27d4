/** How often something may happen: a steady rate with a burst. */

/** Tolerance for floating-point rounding, in tokens. */
const rounding = 0.01;

/**
 * A token bucket, by GCRA: the time at which the bucket is full again is its whole state, which the user of the rate keeps for each key or
 * connection. 0, or any time that has passed, is a full one.
 */
export class Rate {
  readonly #tokenMs: number;
  readonly #capacityMs: number;

  constructor(perSecond: number, burst: number) {
    this.#tokenMs = 1000 / perSecond;
    this.#capacityMs = (burst + rounding) * this.#tokenMs;
  }

  /** Returns the state after tokens are consumed, null if fewer are left. Both times are of one clock, in milliseconds. */
  consume(fullMs: number, nowMs: number, tokens = 1): number | null {
    const nextMs = Math.max(fullMs, nowMs) + tokens * this.#tokenMs;
    return nextMs - nowMs <= this.#capacityMs ? nextMs : null;
  }
}
