/** Decides when listeners handle their events, and connections are served: once in each iteration of the event loop, and when time is due. */
import type { Listener } from './listener.ts';

/** A connection. */
interface Served {
  readonly listener: Listener;
  serve(): void;
}

export class Ticks {
  readonly #listeners: readonly Listener[];
  readonly #due = new Set<Listener>();
  readonly #awake = new Set<Served>();
  #isScheduled = false;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(listeners: readonly Listener[]) {
    this.#listeners = listeners;
  }

  /** Ticks a listener after the events of this iteration. */
  tick(listener: Listener): void {
    this.#due.add(listener);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#hasEnded) this.#run();
    });
  }

  tickNow(listener: Listener): void {
    listener.tick();
    // For its timer.
    this.tick(listener);
  }

  /** Serves a connection after its listener's tick, too. */
  wake(connection: Served): void {
    this.#awake.add(connection);
    this.tick(connection.listener);
  }

  forget(connection: Served): void {
    this.#awake.delete(connection);
  }

  /** Ticks for the last time. */
  end(): void {
    this.#tickDue();
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#tickDue();
    const awake = [...this.#awake];
    // One that wakes itself, or another, is served in the next iteration.
    this.#awake.clear();
    for (const connection of awake) connection.serve();
    this.#tickDue();
    this.#setTimer();
  }

  #tickDue(): void {
    for (const listener of this.#due) listener.tick();
    this.#due.clear();
  }

  #setTimer(): void {
    const nextMs = Math.min(...this.#listeners.map(({ deadlineMs }) => deadlineMs));
    if (nextMs === this.#timerMs) return;
    this.#timerMs = nextMs;
    clearTimeout(this.#timer);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const onTime = (): void => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      const nowMs = performance.now();
      for (const listener of this.#listeners) if (listener.deadlineMs <= nowMs) this.#due.add(listener);
      this.#run();
    };
    this.#timer = setTimeout(onTime, Math.ceil(Math.max(0, nextMs - performance.now())));
  }
}
