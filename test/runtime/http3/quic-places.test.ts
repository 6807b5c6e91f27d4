/** The places in the process for QUIC: who gives way to a new client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networksOf } from '../../../src/edges/node/limits/limits.ts';
import { errorCodes } from '../../../src/ingress/http3/data/registries.ts';
import type { HeldConnection } from '../../../src/native/quic/server-interface.ts';
import { QuicPlaces } from '../../../src/runtime/http3/quic-places.ts';

/** Places with connections that enter in turn; those that were closed for others. */
function createPlaces(max: number) {
  const closed: string[] = [];
  const bounds = { clientsOfNetwork: 16, networkShare: 0.25 };
  let replaced = 0;
  const onReplaced = (): void => {
    replaced += 1;
  };
  const places = new QuicPlaces({ max, bounds, networksOf, onReplaced });
  const enter = (ip: string, hasRequest = false) => {
    const connection = {
      ip,
      hasRequest,
      close(code: number) {
        assert.equal(code, errorCodes.noError);
        closed.push(ip);
      },
    };
    const held = connection as unknown as HeldConnection;
    return { connection, held, hasEntered: places.enter(held) };
  };
  return { places, enter, closed, replaced: () => replaced };
}

test('a new client takes the place of the client that holds most', () => {
  const { enter, closed, replaced } = createPlaces(10);
  for (let at = 0; at < 4; at += 1) enter(`198.51.${at}.1`);
  for (let at = 0; at < 6; at += 1) enter('203.0.113.9');
  assert.deepEqual([closed, replaced()], [[], 0]);
  for (let at = 0; at < 5; at += 1) assert.equal(enter(`192.0.${at}.1`).hasEntered, true);
  assert.deepEqual([closed, replaced()], [Array(5).fill('203.0.113.9'), 5]);
});

test('a network with many clients gives way above a quarter', () => {
  const { enter, closed } = createPlaces(12);
  for (let at = 0; at < 4; at += 1) enter('192.0.2.1');
  for (let at = 0; at < 8; at += 1) enter(`2001:db8:1:${at}::1`);
  enter('198.51.100.1');
  assert.deepEqual(closed, ['2001:db8:1:0::1']);
});

test('complete requests are never cut; after them, their connections give way again', () => {
  const { enter, closed, places } = createPlaces(3);
  const busy = [enter('203.0.113.9', true), enter('203.0.113.9', true), enter('203.0.113.9', true)];
  assert.equal(enter('192.0.2.1').hasEntered, false);
  for (const { connection } of busy) connection.hasRequest = false;
  places.check();
  assert.equal(enter('192.0.2.1').hasEntered, true);
  assert.deepEqual(closed, ['203.0.113.9']);
});

test('a closed connection frees its place', () => {
  const { enter, closed, places } = createPlaces(1);
  const { held } = enter('203.0.113.9');
  places.leave(held);
  assert.equal(enter('192.0.2.1').hasEntered, true);
  assert.deepEqual(closed, []);
});

test('with 0, there is no limit', () => {
  const { enter } = createPlaces(0);
  for (let at = 0; at < 100; at += 1) assert.equal(enter('203.0.113.9').hasEntered, true);
});
