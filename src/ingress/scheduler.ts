/** Spreads work over event-loop turns, so that no client delays the others. */
import type { Bounds } from '../edges/node/limits/bounds.ts';

/** Does one unit of work; returns whether there is more that can be done now. */
export type Step = () => boolean;

export interface TurnQueue {
  /** Adds a step, once; it runs in a later turn, after all steps added before, and again while it returns true. */
  add(step: Step): void;
  /** Resolves in a later turn; of those that wait for one owner, one after another. */
  wait(owner: object): Promise<void>;
  /** Whether work may start in this turn, without the queue: true for the first `maxAtOnce` calls in each turn. */
  startsNow(): boolean;
}

/**
 * Calls `next` after the ticks and promises of a step, still in the same turn: the work of an asynchronous endpoint, such as a tool call,
 * happens in them, and counts as time of the step only so.
 */
function afterAsyncWork(next: () => void): void {
  process.nextTick(() => queueMicrotask(() => process.nextTick(next)));
}

/** `turnMs` is the time in each turn of the event loop after which the remaining steps wait for the next one. */
export function createTurnQueue({ turnMs, maxAtOnce }: Bounds): TurnQueue {
  // A set: a connection has one step in the queue at most, so that all connections get equal shares.
  const steps = new Set<Step>();
  const waiting = new WeakMap<object, (() => void)[]>();
  let isScheduled = false;
  let startedInTurn = 0;
  const endTurn = (): void => {
    startedInTurn = 0;
  };
  const schedule = (): void => {
    if (isScheduled || steps.size === 0) return;
    isScheduled = true;
    setImmediate(runTurn);
  };
  const runTurn = (): void => {
    const endMs = performance.now() + turnMs;
    const inTurn = steps.values();
    const runNext = (): void => {
      const next = performance.now() < endMs ? inTurn.next() : { done: true as const, value: undefined };
      if (next.done) {
        isScheduled = false;
        schedule();
        return;
      }
      const step = next.value;
      steps.delete(step);
      if (step()) steps.add(step);
      afterAsyncWork(runNext);
    };
    runNext();
  };
  const add = (step: Step): void => {
    steps.add(step);
    schedule();
  };
  return {
    add,
    wait(owner) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const queued = waiting.get(owner);
      if (queued !== undefined) {
        queued.push(resolve);
        return promise;
      }
      const inOrder = [resolve];
      waiting.set(owner, inOrder);
      add(() => {
        inOrder.shift()?.();
        if (inOrder.length === 0) waiting.delete(owner);
        return inOrder.length > 0;
      });
      return promise;
    },
    startsNow() {
      if (startedInTurn === 0) setImmediate(endTurn);
      startedInTurn += 1;
      return startedInTurn <= maxAtOnce;
    },
  };
}
