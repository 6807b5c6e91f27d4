/** When listeners work: clients wait behind no flood of another address, and a connection that its client has closed costs nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { handshakeCost } from '../../../src/ingress/limits/handshake-cost.ts';
import { openSsl } from '../../../src/native/quic/openssl.ts';
import { AttackConnection } from '../../quic-attacker.ts';
import { ngtcp2, skipNgtcp2 } from '../../quic-clients.ts';
import { until } from '../../until.ts';
import { startResponder } from './responder.ts';

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Client {
  readonly ip: string;
  readonly groups?: string;
}

/** Sends the second packets of these clients, which begin their handshakes, in the same iteration; returns the order in which they are admitted. */
async function admissionsOf(clients: readonly Client[]): Promise<string[]> {
  const admitted: string[] = [];
  await using responder = await startResponder('', {
    // Of all that waits, only the first datagram is handled in an iteration.
    bounds: { ...bounds, iterationMs: 0, maxUnvalidatedHandshakes: 0 },
    handshakeCost: (clientHello) => handshakeCost(Buffer.from(clientHello)),
    admit({ ip }) {
      admitted.push(ip);
      return () => {};
    },
  });
  const connections = clients.map(({ ip, groups }) => new AttackConnection(responder.port, ip, { groups }));
  // The server responds to the first packets with Retry.
  for (let iterations = 0; iterations < 500; iterations += 1) await nextIteration();
  for (const connection of connections) connection.handle();
  await until(() => admitted.length >= clients.length);
  for (const connection of connections) connection.close();
  return admitted;
}

const manyOf = (count: number, client: Client): Client[] => Array.from({ length: count }, () => client);

describe('datagrams', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
  test('of a client are handled before those of another address that has sent many earlier', async () => {
    const admitted = await admissionsOf([...manyOf(60, { ip: '127.0.0.5' }), { ip: '127.0.0.6' }]);
    const at = admitted.indexOf('127.0.0.6');
    assert.ok(at <= 1, `after ${at} others`);
  });

  test('of an address with costly handshakes leave turns to others', async () => {
    const costly = { ip: '127.0.0.5', groups: 'P-384' };
    const usual = { ip: '127.0.0.6', groups: 'X25519' };
    const admitted = await admissionsOf(manyOf(60, costly).flatMap((client) => [client, usual]));
    const before = admitted.slice(0, admitted.lastIndexOf(usual.ip)).filter((ip) => ip === costly.ip);
    assert.ok(before.length < 40, `${before.length} costly ones before the last of the others`);
  });
});

test('a connection is freed as soon as its client closes it, and OpenSSL has nothing more to do', {
  skip: skipNgtcp2,
}, async (context) => {
  let released = 0;
  await using responder = await startResponder('ok', {
    // Otherwise a check would free it.
    bounds: { ...bounds, connectionCheckMs: 60_000 },
    admit: () => () => {
      released += 1;
    },
  });
  const closed = responder.nextClosed();
  await ngtcp2(responder.port, 'https://localhost/');
  await closed;
  await nextIteration();
  assert.equal(released, 1);
  const { mock: ticks } = context.mock.method(openSsl, 'SSL_handle_events');
  // OpenSSL waits for three round trips, with delays of acknowledgements, after the end of a connection that is not freed.
  await delay(500);
  assert.equal(ticks.callCount(), 0);
});
