/** A pool forgets the names of members that have left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';
import { Pool } from '../../../src/ingress/limits/pool.ts';
import { collectGarbage } from '../../../src/native/garbage.ts';

/** Each name that stays takes 500 bytes or more. */
const names = 100_000;
const maxGrowth = 50 * names;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('forged addresses whose connections have ended take no memory', () => {
  const identify = createIdentify();
  const pool = new Pool<object>({ capacity: 10, clientsOfNetwork: 16, evict() {} });
  const before = heapUsed();
  for (let at = 0; at < names; at += 1) {
    const member = {};
    pool.enter(member, identify(`2001:db8:${(at >> 16).toString(16)}:${(at & 0xffff).toString(16)}::1`));
    if (at % 2 === 0) pool.leave(member);
  }
  const grown = heapUsed() - before;
  assert.ok(grown < maxGrowth, `${grown}`);
  assert.equal(pool.size, 10);
});
