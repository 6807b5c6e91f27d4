/** Waits for what another part of the process, or another process, is about to do; the time limit of the tests ends it. */
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the condition returns a value that is not false, empty or undefined. */
export async function until(condition: () => unknown): Promise<void> {
  const pauseMs = 1;
  for (;;) {
    if (await condition()) return;
    await delay(pauseMs);
  }
}
