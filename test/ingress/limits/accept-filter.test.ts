/** Connections that are closed before they cost anything: of clients that were just rejected, and of networks with their full part. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { AcceptFilter } from '../../../src/ingress/limits/accept-filter.ts';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';
import { NetworkShare } from '../../../src/ingress/limits/network-share.ts';
import { serve } from '../serve.ts';

function createFilter(limit = { isSelective: false, isWelcome: (_?: string) => true }) {
  let closed = 0;
  const onClosed = (): void => {
    closed += 1;
  };
  const filter = new AcceptFilter({
    limit,
    identify: createIdentify(),
    isTrusted: (ip) => ip === '192.0.2.9',
    onClosed,
  });
  return { filter, closed: () => closed };
}

test('a client that was rejected is not welcome for a tenth of a second, with all its addresses', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { filter, closed } = createFilter();
  assert.equal(filter.isActive, false);
  filter.reject('2001:db8::1');
  filter.reject('192.0.2.9');
  assert.equal(filter.isActive, true);
  assert.equal(filter.isWelcome('2001:db8:0:0:0:0:0:2'), false);
  assert.equal(filter.isWelcome('2001:db8:0:1::1'), true);
  // A trusted proxy.
  assert.equal(filter.isWelcome('192.0.2.9'), true);
  assert.equal(closed(), 1);
  context.mock.timers.tick(100);
  assert.equal(filter.isWelcome('2001:db8::1'), true);
  assert.equal(filter.isActive, false);
});

test('a client is not welcome if its network is not', () => {
  const { filter, closed } = createFilter({ isSelective: true, isWelcome: (name) => name !== '192.0.2.0/24' });
  assert.equal(filter.isActive, true);
  assert.deepEqual([filter.isWelcome('192.0.2.1'), filter.isWelcome('192.0.3.1')], [false, true]);
  assert.equal(closed(), 1);
});

test('while networks are limited to their share, those with a full one may open four connections in an iteration', async () => {
  const amounts = new Map([
    ['large', 10],
    ['other', 10],
    ['small', 9],
  ]);
  const pool = { unitsOf: (network: string) => amounts.get(network) ?? 0, largestNetwork: 10 };
  const share = new NetworkShare({ name: 'http', maxOfNetwork: 10, pool, peers: null, retire: () => false });
  const takeMany = (network: string): number =>
    Array.from({ length: 20 }, () => share.admitNewcomer(network)).filter(Boolean).length;
  assert.equal(takeMany('large'), 20);
  share.enforce();
  // None of them takes those of another.
  assert.deepEqual([takeMany('large'), takeMany('other'), takeMany('small')], [4, 4, 20]);
  await new Promise(setImmediate);
  assert.equal(takeMany('large'), 4);
});

test('a server closes further connections of a client immediately, if it has just rejected one', async (context) => {
  const { httpPort, closed } = await serve(context, () => {}, { options: { admit: () => false } });
  const clients = Array.from({ length: 40 }, () =>
    connect(httpPort, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  await Promise.all(clients.map((client) => once(client, 'close')));
  assert.ok(closed.length > 0 && closed.every((reason) => reason === 'connections_again'), closed.join());
});
