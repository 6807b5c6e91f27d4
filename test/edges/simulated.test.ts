/** Simulation sets missing values and keeps observed ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from '../../src/edges/simulated.ts';
import { info } from '../../src/resources/info.ts';
import { seenAll, seenNothing } from '../observed.ts';

const infoOf = (observed: typeof seenAll) => info(simulate(observed), 'http://localhost:8080', 0);

test('sets every network field except those of the other transport', () => {
  const { ip, ipVersion, location, network, tls, meta } = infoOf(seenNothing);
  assert.deepEqual([ip, ipVersion, meta.simulated], ['203.0.113.7', 4, true]);
  const unfilled = Object.entries({ ...location, ...network, ...tls }).filter(([, value]) => value === null);
  assert.deepEqual(
    unfilled.map(([name]) => name),
    ['metroCode', 'clientQuicRttMs'],
  );
  const overQuic = infoOf({ ...seenNothing, protocol: 'HTTP/3' }).network;
  assert.deepEqual([overQuic.clientTcpRttMs, overQuic.clientQuicRttMs], [null, 11.5]);
});

test('keeps observed values', () => {
  const seen = { ...seenAll, ip: '2606:4700::1' };
  const { meta, ...kept } = infoOf(seen);
  const { meta: _, ...expected } = info(seen, 'http://localhost:8080', 0);
  assert.deepEqual(kept, expected);
  assert.equal(meta.simulated, true);
});

test('replaces an address that is not public with a documentation address of its version', () => {
  for (const [ip, shown] of [
    ['127.0.0.1', '203.0.113.7'],
    ['192.168.1.2', '203.0.113.7'],
    ['::1', '2001:db8::7'],
    ['fd00::2', '2001:db8::7'],
    ['8.8.8.8', '8.8.8.8'],
  ] as const)
    assert.equal(simulate({ ...seenNothing, ip }).ip, shown);
});

test('returns the same values for the same request', () => {
  assert.deepEqual(infoOf(seenNothing), infoOf(seenNothing));
});
