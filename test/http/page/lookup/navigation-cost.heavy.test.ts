/** Time that long texts take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import { recognize } from '../../../../src/http/page/lookup/navigation.ts';
import { cpuClock, momentMs } from '../../../cpu-time.ts';

test('takes little time for long texts', () => {
  const cpu = cpuClock();
  for (const start of ['', '[', 'a@', 'http://'])
    for (const unit of ['.', ':', 'a.', '[', ' ', '/', '@', '1'])
      for (const end of ['', ' x', ':', ']', '@']) {
        try {
          recognize(`${start}${unit.repeat(15_000 / unit.length)}${end}`);
        } catch (error) {
          assert.ok(error instanceof ServiceError, `${start}${unit}${end}`);
        }
      }
  const ms = cpu();
  assert.ok(ms < 5 * momentMs(), `${ms} ms`);
});
