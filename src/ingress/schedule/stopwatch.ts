/** Measures how long a client takes to respond, unless this process was too busy to notice the response. */
import { performance } from 'node:perf_hooks';

/** Longest iteration of the event loop during a measurement: with iterations of 40 ms, a round trip of 40 ms reads 80 to 140. */
const longIterationMs = 5;

/** A measurement that runs for longer has no value if the event loop was busy for `longIterationMs` in all since then. */
const longMeasurementMs = 10_000;

interface Clock {
  nowMs(): number;
  /** Time in which the event loop of this thread was active. */
  activeMs(): number;
}

const loopClock: Clock = {
  nowMs: () => performance.now(),
  activeMs: () => performance.now() - performance.nodeTiming.idleTime,
};

/** Returns milliseconds since the start, in steps of 0.01; null if an iteration of the event loop took too long in the meantime. */
export type EndTiming = () => number | null;

/**
 * The event loop is active while it does not wait for events. What it did since the latest end of an iteration counts as one iteration: so
 * no long one is missed, and short ones count together only if they had no work for clients.
 */
export class Stopwatch {
  readonly #clock: Clock;
  #longIterations = 0;
  /** Active time at the end of the latest iteration. */
  #endedMs: number;
  #startedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock = loopClock) {
    this.#clock = clock;
    this.#endedMs = clock.activeMs();
  }

  /** Call it at the end of each iteration that had work for clients. Without a recent measurement, it costs nothing. */
  endIteration(): void {
    if (this.#clock.nowMs() - this.#startedMs < longMeasurementMs) this.#endIteration();
  }

  #endIteration(): void {
    const activeMs = this.#clock.activeMs();
    if (activeMs - this.#endedMs > longIterationMs) this.#longIterations += 1;
    this.#endedMs = activeMs;
  }

  start(): EndTiming {
    // What was done before the measurement, such as the timers of an hour without clients, is not part of it.
    if (this.#isLong()) this.#endIteration();
    const startedMs = this.#clock.nowMs();
    this.#startedMs = startedMs;
    const before = this.#longIterations;
    return () => {
      if (this.#isLong() || this.#longIterations !== before) return null;
      return Math.round((this.#clock.nowMs() - startedMs) * 100) / 100;
    };
  }

  #isLong(): boolean {
    return this.#clock.activeMs() - this.#endedMs > longIterationMs;
  }
}
