/** Spreads work over the iterations of the event loop, so that no client delays the others. */
import type { IngressBounds } from '../bounds.ts';
import { Reads } from './reads.ts';
import { type Kind, type Step, type StepKind, Steps } from './steps.ts';
import { Stopwatch } from './stopwatch.ts';

/** A connection that ends so long after the one before is alone: thousands that end together are 0.1 ms apart or less. */
const loneMs = 5;

/**
 * The one place that counts what the event loop does in an iteration, for every protocol: what starts immediately here, what has to wait in
 * `Steps`, and what is read in `Reads`.
 */
export class Scheduler {
  readonly #bounds: IngressBounds;
  readonly stopwatch = new Stopwatch();
  readonly reads: Reads;
  readonly #steps: Steps;
  readonly #waiting = new WeakMap<object, (() => void)[]>();
  #isCounting = false;
  #started = 0;
  #startedMs = 0;
  /** Time of the latest end of a connection (`performance.now`). */
  #endedMs = 0;

  constructor(bounds: IngressBounds) {
    this.#bounds = bounds;
    this.#steps = new Steps(bounds);
    this.reads = new Reads(bounds, this.#beginIteration);
  }

  /**
   * Adds a step, once. It runs again while it returns true; never within this call. Flows, such as the addresses of clients, take turns;
   * within a flow, a step runs after all steps added before. Flows without a step in the last second go first. Requests and handshakes
   * get equal parts of the time: a handshake takes as long as ten requests, and a flood of them must not delay clients that are connected.
   * While more than `maxUnservedConnections` steps of the kind `first` wait, handshakes get `unservedHandshakeShare` of it: a service that lacks
   * time would finish more of them than it can serve, and a connection takes ten times the memory after its handshake.
   */
  add(step: Step, flow: unknown, kind: StepKind = 'request'): void {
    this.#steps.add(step, flow, kind);
  }

  /** Does in a step what may be due for thousands of connections in the same iteration, such as closing them. */
  defer(work: () => void, flow: unknown): void {
    this.add(() => {
      work();
      return false;
    }, flow);
  }

  /**
   * Resolves in a step, when there is time. All calls with the same `owner` use one step and resolve in order, so that an owner has one
   * turn in its flow.
   */
  wait(owner: object, flow: unknown): Promise<void> {
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
    }, flow);
    return promise;
  }

  /**
   * Whether costly work may start now instead of in a step, none of its kind which it must overtake: the first of an iteration always, and up
   * to `maxImmediateStarts` while the iteration has time.
   */
  tryStart(kind: Kind = 'request'): boolean {
    if (this.#steps.countOf(kind) > 0 || (kind === 'handshake' && this.#steps.isBehind)) return false;
    const hasTime = this.hasTime(kind);
    this.#started += 1;
    return this.#started === 1 || (hasTime && this.#started <= this.#bounds.maxImmediateStarts);
  }

  /** Whether no step of a kind waits, and less than `iterationMs` have passed since the first work of this iteration. */
  hasTime(kind: Kind = 'request'): boolean {
    this.#beginIteration();
    return this.#steps.countOf(kind) === 0 && performance.now() - this.#startedMs < this.#bounds.iterationMs;
  }

  /**
   * Whether the iteration has time for the end of a connection. If none has ended for some time, this end does not begin the count of an iteration,
   * which would take 30 µs of a visit that comes alone.
   */
  hasTimeToEnd(): boolean {
    const nowMs = performance.now();
    const isAlone = nowMs - this.#endedMs > loneMs && this.#steps.countOf('request') === 0;
    this.#endedMs = nowMs;
    return isAlone || this.hasTime();
  }

  readonly #beginIteration = (): void => {
    if (this.#isCounting) return;
    this.#isCounting = true;
    this.#startedMs = performance.now();
    setImmediate(this.#endIteration);
  };

  readonly #endIteration = (): void => {
    this.stopwatch.endIteration();
    this.reads.endIteration();
    this.#isCounting = false;
    this.#started = 0;
  };
}
