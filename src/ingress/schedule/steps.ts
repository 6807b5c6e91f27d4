/** Work that waits for time in an iteration of the event loop, so that no client delays the others. */
import { ThreadTimer } from '../../native/thread-clock.ts';
import { Turns } from '../../native/turns.ts';
import type { IngressBounds } from '../bounds.ts';

/** Does one unit of work; returns whether there is more that can be done now. */
export type Step = () => boolean;

/** The kind `request` includes bodies, and HTTP/2 sessions that begin. */
export type Kind = 'request' | 'handshake';

/** `first`: of kind `request`, for a TLS connection of which no request has been started. */
export type StepKind = Kind | 'first';

/** Runs steps in equal shares for all clients, and in parts of the time for both kinds. */
export class Steps {
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
