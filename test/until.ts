/** Waits for what another part of the process, or another process, is about to do; the time limit of the tests ends it. */
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';

/** Resolves when the condition returns a value that is not false, empty or undefined. */
export async function until(condition: () => unknown): Promise<void> {
  const pauseMs = 1;
  for (;;) {
    if (await condition()) return;
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
