/** Time of a look-up in the table of devices. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDevice } from '../../../src/client/device/table.ts';
import { cpuClock } from '../../cpu-time.ts';

test('a look-up takes no longer than a few expressions', () => {
  findDevice('CPH2447');
  const cpuMs = cpuClock();
  for (let at = 0; at < 10_000; at++) findDevice(`CPH${2000 + (at % 1000)}`);
  assert.ok(cpuMs() < 400, String(cpuMs()));
});
