/** The pauses before what has ended is started again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackOff } from '../../src/runtime/clocks.ts';

test('pauses twice as long after each further end, up to a bound, until it has run for that long', () => {
  const next = createBackOff({ restartMs: 250, maxRestartMs: 1_500 });
  assert.deepEqual([0, 0, 0, 0, 1_500, 1_501, 0].map(next), [250, 500, 1_000, 1_500, 1_500, 250, 500]);
});
