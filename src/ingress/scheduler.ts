/** Spreads work over the iterations of the event loop, so that no client delays the others. */
import type { IngressBounds } from './bounds.ts';

/** Does one unit of work; returns whether there is more that can be done now. */
export type Step = () => boolean;

/** A connection whose client can be made to wait. */
export interface ReadPort {
  stopReading(): void;
  resumeReading(): void;
}

/**
 * The one place that counts what the event loop does in an iteration, for every protocol: requests and handshakes that start, the time of
 * those that had to wait, and streams that are opened or closed.
 */
export class Scheduler {
  readonly #bounds: IngressBounds;
  // A set: a connection has one step in it at most, so that all connections get equal shares.
  readonly #steps = new Set<Step>();
  readonly #waiting = new WeakMap<object, (() => void)[]>();
  // In the order of their latest stream, which becomes the order in which the kernel reports them.
  readonly #ports = new Set<ReadPort>();
  #isScheduled = false;
  #isCounting = false;
  #started = 0;
  #streams = 0;
  #startedMs = 0;

  constructor(bounds: IngressBounds) {
    this.#bounds = bounds;
  }

  /** Adds a step, once; it runs in a later iteration, after all steps added before, and again while it returns true. */
  add(step: Step): void {
    this.#steps.add(step);
    this.#schedule();
  }

  /** Resolves in a later iteration; waiters of one owner resolve one per iteration, in order. */
  wait(owner: object): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiters = this.#waiting.get(owner);
    if (waiters !== undefined) {
      waiters.push(resolve);
      return promise;
    }
    const inOrder = [resolve];
    this.#waiting.set(owner, inOrder);
    this.add(() => {
      inOrder.shift()?.();
      if (inOrder.length === 0) this.#waiting.delete(owner);
      return inOrder.length > 0;
    });
    return promise;
  }

  /** Whether costly work may start in this iteration, without waiting: true for the first `maxImmediateStarts` calls. */
  startsNow(): boolean {
    this.#beginIteration();
    this.#started += 1;
    return this.#started <= this.#bounds.maxImmediateStarts;
  }

  /** Whether less than `iterationMs` have passed since the first work of this iteration. */
  hasTime(): boolean {
    this.#beginIteration();
    return performance.now() - this.#startedMs < this.#bounds.iterationMs;
  }

  /** Includes a connection in the bound on streams; returns what removes it. */
  track(port: ReadPort): () => void {
    this.#ports.add(port);
    return () => this.#ports.delete(port);
  }

  /**
   * Counts streams that a connection opens, or that its end closes. Node parses the bytes of all readable connections in one iteration:
   * 100 connections that open 100 streams each take 150 ms. Above `maxStreamsPerIteration`, reading from all of them stops until the
   * next iteration, where those that have waited longest are first.
   */
  countStreams(port: ReadPort, streams: number): void {
    this.#beginIteration();
    if (this.#ports.delete(port)) this.#ports.add(port);
    const before = this.#streams;
    this.#streams += streams;
    const { maxStreamsPerIteration } = this.#bounds;
    if (this.#streams < maxStreamsPerIteration) return;
    if (before < maxStreamsPerIteration) for (const each of this.#ports) each.stopReading();
    // One that was accepted, or read again, after the others were stopped.
    else port.stopReading();
  }

  #beginIteration(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    this.#startedMs = performance.now();
    setImmediate(this.#endIteration);
  }

  readonly #endIteration = (): void => {
    const wasStopped = this.#streams >= this.#bounds.maxStreamsPerIteration;
    this.#isCounting = false;
    this.#started = 0;
    this.#streams = 0;
    if (wasStopped) for (const each of this.#ports) each.resumeReading();
  };

  #schedule(): void {
    if (this.#isScheduled || this.#steps.size === 0) return;
    this.#isScheduled = true;
    setImmediate(this.#runSteps);
  }

  readonly #runSteps = (): void => {
    const endMs = performance.now() + this.#bounds.iterationMs;
    const inOrder = this.#steps.values();
    const runNext = (): void => {
      const next = performance.now() < endMs ? inOrder.next() : { done: true as const, value: undefined };
      if (next.done) {
        this.#isScheduled = false;
        this.#schedule();
        return;
      }
      const step = next.value;
      this.#steps.delete(step);
      if (step()) this.#steps.add(step);
      afterAsyncWork(runNext);
    };
    runNext();
  };
}

/**
 * Calls `next` after the step's microtasks, in the same event-loop iteration, so that asynchronous work such as a tool call counts toward
 * the step's time.
 */
function afterAsyncWork(next: () => void): void {
  process.nextTick(() => queueMicrotask(() => process.nextTick(next)));
}
