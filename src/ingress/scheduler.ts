/** Spreads work over the iterations of the event loop, so that no client delays the others. */

import { threadMs } from '../native/thread-clock.ts';
import { Turns } from '../native/turns.ts';
import type { IngressBounds } from './bounds.ts';
import { ReadOrder } from './limits/read-order.ts';
import { Stopwatch } from './stopwatch.ts';

/** Does one unit of work; returns whether there is more that can be done now. */
type Step = () => boolean;

/** The kind `request` includes bodies, and HTTP/2 sessions that begin. */
type Kind = 'request' | 'handshake';

/** `first`: of kind `request`, for a TLS connection of which no request has been started. */
export type StepKind = Kind | 'first';

/** A connection whose client can be made to wait. */
export interface ReadPort {
  /** See `Scheduler.add`. */
  readonly share: unknown;
  /** Bytes counted in the current iteration. */
  iterationBytes: number;
  stopReading(): void;
  resumeReading(): void;
}

/** A connection that ends so long after the one before is alone: thousands that end together are 0.1 ms apart or less. */
const loneMs = 5;

/**
 * The one place that counts what the event loop does in an iteration, for every protocol: requests and handshakes that start, the time of
 * those that had to wait, and what is read from HTTP/2 connections.
 */
export class Scheduler {
  readonly #bounds: IngressBounds;
  readonly stopwatch = new Stopwatch();
  readonly #steps: Readonly<Record<Kind, Turns<Step>>> = {
    request: new Turns(),
    handshake: new Turns(),
  };
  /** Steps of TLS connections whose handshake is done, and of which no request has been started. */
  readonly #firsts = new Set<Step>();
  /** Time of request steps minus that of handshake steps, weighted by their parts, since both kinds wait; bounded in both directions. */
  #leadMs = 0;
  readonly #waiting = new WeakMap<object, (() => void)[]>();
  readonly #ports = new ReadOrder<ReadPort>();
  /** In the order in which reading is to be resumed, which becomes that in which the kernel reports them. */
  readonly #stopped = new Set<ReadPort>();
  /** Connections that have been read in this iteration. */
  #active: ReadPort[] = [];
  #isStopped = false;
  #bytes = 0;
  #isScheduled = false;
  #isCounting = false;
  #started = 0;
  #streams = 0;
  #startedMs = 0;
  /** Time of the latest end of a connection (`performance.now`). */
  #endedMs = 0;

  constructor(bounds: IngressBounds) {
    this.#bounds = bounds;
  }

  /**
   * Adds a step, once. It runs again while it returns true; never within this call. Shares, such as the addresses of clients, take turns;
   * within a share, a step runs after all steps added before. Shares without a step in the last second go first. Requests and handshakes
   * get equal parts of the time: a handshake takes as long as ten requests, and a flood of them must not delay clients that are connected.
   * While more than `maxUnservedConnections` steps of the kind `first` wait, handshakes get `unservedHandshakeShare` of it: a service that lacks
   * time would finish more of them than it can serve, and a connection takes ten times the memory after its handshake.
   */
  add(step: Step, share: unknown, kind: StepKind = 'request'): void {
    if (kind === 'first') this.#firsts.add(step);
    this.#steps[kind === 'first' ? 'request' : kind].add(step, share);
    this.#schedule();
  }

  /** Does in a step what may be due for thousands of connections in the same iteration, such as closing them. */
  defer(work: () => void, share: unknown): void {
    this.add(() => {
      work();
      return false;
    }, share);
  }

  /**
   * Resolves in a step, when there is time. All calls with the same `owner` use one step and resolve in order, so that an owner has one
   * turn in its share.
   */
  wait(owner: object, share: unknown): Promise<void> {
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
    }, share);
    return promise;
  }

  /**
   * Whether costly work may start now instead of in a step, none of its kind which it must overtake: the first of an iteration always, and up
   * to `maxImmediateStarts` while the iteration has time.
   */
  takeStart(kind: Kind = 'request'): boolean {
    if (this.#steps[kind].size > 0 || (kind === 'handshake' && this.#isBehind)) return false;
    const hasTime = this.hasTime(kind);
    this.#started += 1;
    return this.#started === 1 || (hasTime && this.#started <= this.#bounds.maxImmediateStarts);
  }

  /** Whether no step of a kind waits, and less than `iterationMs` have passed since the first work of this iteration. */
  hasTime(kind: Kind = 'request'): boolean {
    this.#beginIteration();
    return this.#steps[kind].size === 0 && performance.now() - this.#startedMs < this.#bounds.iterationMs;
  }

  /**
   * The same for the end of a connection. If none has ended for some time, this one does not begin the count of an iteration, which would take 30 µs
   * of a visit that comes alone.
   */
  hasTimeToEnd(): boolean {
    const nowMs = performance.now();
    const isAlone = nowMs - this.#endedMs > loneMs && this.#steps.request.size === 0;
    this.#endedMs = nowMs;
    return isAlone || this.hasTime();
  }

  /** Includes a connection in the bounds on what is read; returns what removes it. */
  track(port: ReadPort): () => void {
    this.#ports.add(port);
    return () => {
      this.#ports.delete(port);
      this.#stopped.delete(port);
    };
  }

  /**
   * Counts what a connection costs: `streams` that it opens, or that its end closes, and `bytes` received since the previous call. Other
   * work counts in the cost of a stream, such as 0.5 for a DATA frame. Time is not counted: on a busy machine, it passes without any work.
   *
   * Node parses the bytes of all readable connections in one iteration: 100 connections that open 100 streams each take 150 ms. Above
   * `maxConnectionBytesPerIteration`, reading from this connection stops until the next iteration; above `maxStreamsPerIteration` or
   * `maxBytesPerIteration`, from all of them. Then shares take turns (`ReadOrder`).
   */
  count(port: ReadPort, streams: number, bytes: number): void {
    this.#beginIteration();
    this.#ports.touch(port);
    if (port.iterationBytes === 0) this.#active.push(port);
    port.iterationBytes += bytes;
    this.#streams += streams;
    this.#bytes += bytes;
    const { maxStreamsPerIteration, maxBytesPerIteration, maxConnectionBytesPerIteration } = this.#bounds;
    if (this.#streams >= maxStreamsPerIteration || this.#bytes >= maxBytesPerIteration) {
      // Again, because it may have been accepted, or read again, after the others were stopped.
      if (this.#isStopped) this.#stop(port);
      else for (const each of this.#ports) this.#stop(each);
      this.#isStopped = true;
    } else if (port.iterationBytes >= maxConnectionBytesPerIteration) this.#stop(port);
  }

  /** Resumes reading from a connection, unless it was stopped in this iteration. */
  resume(port: ReadPort): void {
    if (!this.#stopped.has(port)) port.resumeReading();
  }

  /** Whether more than `maxUnservedConnections` first steps wait. */
  get #isBehind(): boolean {
    return this.#firsts.size > this.#bounds.maxUnservedConnections;
  }

  #stop(port: ReadPort): void {
    this.#stopped.add(port);
    port.stopReading();
  }

  #beginIteration(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    this.#startedMs = performance.now();
    setImmediate(this.#endIteration);
  }

  readonly #endIteration = (): void => {
    this.stopwatch.endIteration();
    // Usually there are none, and each loop takes some µs of a visit that comes alone.
    if (this.#active.length > 0) {
      for (const port of this.#active) port.iterationBytes = 0;
      this.#active = [];
    }
    if (this.#stopped.size > 0) {
      for (const port of this.#stopped) port.resumeReading();
      this.#stopped.clear();
    }
    this.#isStopped = false;
    this.#isCounting = false;
    this.#started = 0;
    this.#streams = 0;
    this.#bytes = 0;
  };

  #hasSteps(): boolean {
    return this.#steps.request.size > 0 || this.#steps.handshake.size > 0;
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#hasSteps()) return;
    this.#isScheduled = true;
    setImmediate(this.#runSteps);
  }

  readonly #runSteps = (): void => {
    const { iterationMs, unservedHandshakeShare } = this.#bounds;
    const { request, handshake } = this.#steps;
    for (const steps of [request, handshake]) steps.forgetRecent(performance.now());
    // CPU time: on a busy machine, time passes without any work, and the next iteration would read more before it does what waits.
    let nowMs = threadMs();
    const endMs = nowMs + iterationMs;
    const runNext = (): void => {
      // Not chosen if no time is left: a kind that has used all of it must still be ahead in the next iteration.
      const kind = nowMs < endMs ? this.#nextKind() : null;
      const next = kind === null ? null : this.#steps[kind].take();
      if (kind === null || next === null) {
        this.#isScheduled = false;
        this.#schedule();
        return;
      }
      const [step, share] = next;
      this.#firsts.delete(step);
      if (step()) this.add(step, share, kind);
      afterAsyncWork(() => {
        const usedMs = threadMs() - nowMs;
        nowMs += usedMs;
        const handshakeShare = this.#isBehind ? unservedHandshakeShare : 0.5;
        const weight = (1 - handshakeShare) / handshakeShare;
        const leadMs = this.#leadMs + (kind === 'request' ? usedMs : -usedMs * weight);
        this.#leadMs = Math.max(-iterationMs * weight, Math.min(iterationMs, leadMs));
        runNext();
      });
    };
    runNext();
  };

  /** The kind that has had less than its part of the time, if steps of both wait. */
  #nextKind(): Kind {
    const { request, handshake } = this.#steps;
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
  // Cheaper than `queueMicrotask`, which creates a resource for hooks.
  process.nextTick(() => resolved.then(() => process.nextTick(next)));
}

const resolved = Promise.resolve();
