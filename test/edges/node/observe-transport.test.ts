/** What requests of a connection share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientFacts, transportOf } from '../../../src/edges/node/observe.ts';
import type { Connection } from '../../../src/ingress/connection.ts';

test('requests that arrive together share a measurement of the connection, and later ones get another', () => {
  let measured = 0;
  const facts = new ClientFacts();
  const connection = { facts, quic: { rttMs: () => ++measured } } as unknown as Connection;
  const first = transportOf(connection);
  assert.equal(first.clientQuicRttMs, 1);
  // Whatever the time between these two calls is.
  facts.transportMs = performance.now() + 60_000;
  assert.equal(transportOf(connection), first);
  facts.transportMs = performance.now() - 60_000;
  assert.equal(transportOf(connection).clientQuicRttMs, 2);
});
