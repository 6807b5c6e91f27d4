/** Spreads work over the iterations of the event loop, so that no client delays the others. */
import { ThreadTimer } from '../../native/thread-clock.ts';
import { Turns } from '../../native/turns.ts';
import type { IngressBounds } from '../bounds.ts';
import { Reads } from './reads.ts';
import { Stopwatch } from './stopwatch.ts';

/** Does one unit of work; returns whether there is more that can be done now. */
type Step = () => boolean;

/** The kind `request` includes bodies, and HTTP/2 sessions that begin. */
type Kind = 'request' | 'handshake';

/** `first`: of kind `request`, for a TLS connection of which no request has been started. */
export type StepKind = Kind | 'first';

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

/** Runs steps in equal shares for all clients, and in parts of the time for both kinds. */
class Steps {
  readonly #bounds: IngressBounds;
  readonly #turns: Readonly<Record<Kind, Turns<Step>>> = { request: new Turns(), handshake: new Turns() };
  /** Steps of TLS connections whose handshake is done, and of which no request has been started. */
  readonly #firsts = new Set<Step>();
  /** Time of request steps minus time of handshake steps, weighted by their parts, since both kinds wait; bounded in both directions. */
  #leadMs = 0;
  #isScheduled = false;

  constructor(bounds: IngressBounds) {
    this.#bounds = bounds;
  }

  /** See `Scheduler.add`. */
  add(step: Step, flow: unknown, kind: StepKind): void {
    if (kind === 'first') this.#firsts.add(step);
    this.#turns[kind === 'first' ? 'request' : kind].add(step, flow);
    this.#schedule();
  }

  /** Steps of a kind that wait. */
  countOf(kind: Kind): number {
    return this.#turns[kind].size;
  }

  /** Whether more than `maxUnservedConnections` first steps wait. */
  get isBehind(): boolean {
    return this.#firsts.size > this.#bounds.maxUnservedConnections;
  }

  #hasSteps(): boolean {
    return this.#turns.request.size > 0 || this.#turns.handshake.size > 0;
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#hasSteps()) return;
    this.#isScheduled = true;
    setImmediate(this.#runSteps);
  }

  readonly #runSteps = (): void => {
    const { iterationMs } = this.#bounds;
    const { request, handshake } = this.#turns;
    for (const steps of [request, handshake]) steps.forgetRecent(performance.now());
    // CPU time: on a busy machine, time passes without any work, and the next iteration would read more before it does what waits.
    const timer = new ThreadTimer();
    // The first step runs, however short an iteration is.
    let hasTime = true;
    const runNext = (): void => {
      const isContested = request.size > 0 && handshake.size > 0;
      // Not chosen if no time is left: a kind that has used all of it must still be ahead in the next iteration.
      const kind = hasTime ? this.#nextKind() : null;
      const next = kind === null ? null : this.#turns[kind].take();
      if (kind === null || next === null) {
        this.#isScheduled = false;
        this.#schedule();
        return;
      }
      const [step, flow] = next;
      const startMs = isContested ? timer.usedMs() : 0;
      this.#firsts.delete(step);
      if (step()) this.add(step, flow, kind);
      afterAsyncWork(() => {
        if (isContested) this.#count(kind, timer.usedMs() - startMs);
        hasTime = !timer.hasUsed(iterationMs);
        runNext();
      });
    };
    runNext();
  };

  /** Counts the time of a step that was chosen while steps of both kinds waited. */
  #count(kind: Kind, usedMs: number): void {
    const { iterationMs, unservedHandshakeShare } = this.#bounds;
    const handshakeShare = this.isBehind ? unservedHandshakeShare : 0.5;
    const weight = (1 - handshakeShare) / handshakeShare;
    const leadMs = this.#leadMs + (kind === 'request' ? usedMs : -usedMs * weight);
    this.#leadMs = Math.max(-iterationMs * weight, Math.min(iterationMs, leadMs));
  }

  /** The kind that has had less than its part of the time, if steps of both wait. */
  #nextKind(): Kind {
    const { request, handshake } = this.#turns;
    if (request.size > 0 && handshake.size > 0) return this.#leadMs > 0 ? 'handshake' : 'request';
    this.#leadMs = 0;
    return request.size === 0 ? 'handshake' : 'request';
  }
}

/**
 * Calls `next` after the step's microtasks, in the same event-loop iteration, so that its asynchronous work counts toward
 * the step's time.
 */
function afterAsyncWork(next: () => void): void {
  // All microtasks run before the next tick. Cheaper than `queueMicrotask`, which creates a resource for hooks.
  resolved.then(() => process.nextTick(next));
}

const resolved = Promise.resolve();
