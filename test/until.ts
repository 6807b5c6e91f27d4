/** Waits for what another part of the process, or another process, is about to do. */
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';

/** Ends what hangs before the limit of a test does, so that the failure says what it waited for, and nothing goes on after the test. */
export const waitLimitMs = 540_000;

type Falsy = false | 0 | '' | null | undefined;

/**
 * Resolves with the first value of the condition that is not false, 0, empty or null. Rejects if that takes too long. A longer pause is for
 * a condition that costs the tested program much.
 */
export async function until<Value>(condition: () => Value, pauseMs = 1): Promise<Exclude<Awaited<Value>, Falsy>> {
  const limit = AbortSignal.timeout(waitLimitMs);
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<Awaited<Value>, Falsy>;
    if (limit.aborted) throw new Error(`not so after ${waitLimitMs} ms: ${condition}`);
    await delay(pauseMs);
  }
}

/**
 * Resolves when the value has stayed the same for ten iterations of the event loop: by then, this process has read what it sent to itself, and
 * done what follows from it.
 */
export async function untilQuiet(value: () => unknown = () => null): Promise<void> {
  let before = value();
  for (let quiet = 0; quiet < 10; quiet += 1) {
    await nextIteration();
    const now = value();
    if (now !== before) quiet = 0;
    before = now;
  }
}
