/** Time that hostile DMARC records take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDmarc } from '../../../src/lookups/domain/dmarc.ts';
import { cpuClock, momentMs } from '../../cpu-time.ts';

test('takes little time for hostile records', () => {
  const cpu = cpuClock();
  for (const text of [`v=DMARC1;a=b${' '.repeat(32_000)}c`, `v=DMARC1${';'.repeat(32_000)}`, `v${' '.repeat(32_000)}`])
    for (let n = 0; n < 10; n++) parseDmarc(text);
  const ms = cpu();
  assert.ok(ms < momentMs(), `${ms} ms`);
});
