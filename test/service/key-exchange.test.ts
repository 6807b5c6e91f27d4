/** The groups of the key exchange over TLS. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { connect, type EphemeralKeyInfo } from 'node:tls';
import { describeUnknownGroups } from '../../src/runtime/certificate.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { startNode } from '../node-service.ts';

/** The group of a handshake with a client that offers these groups, or the error's code. */
async function groupWith(origin: string, ecdhCurve: string): Promise<unknown> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ecdhCurve });
  try {
    await once(socket, 'secureConnect');
    return (socket.getEphemeralKeyInfo() as EphemeralKeyInfo).name ?? 'unnamed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
  }
}

const failure = 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE';

describe('by default', () => {
  let service: Service;
  before(async () => {
    service = await startNode({ host: '127.0.0.1' });
  });
  after(() => service.close());

  const offers = {
    X25519: 'X25519',
    'P-256': 'prime256v1',
    'P-384': 'secp384r1',
    // Its share comes first: a HelloRetryRequest asks for one of the second.
    'P-521:X25519': 'X25519',
    'P-521': failure,
    ffdhe3072: failure,
  };
  for (const [offer, expected] of Object.entries(offers))
    test(`a client with ${offer}`, async () => {
      assert.equal(await groupWith(`${service.https}`, offer), expected);
    });
});

test('other groups can be set', async () => {
  const service = await startNode({ host: '127.0.0.1', tlsGroups: ['P-521'] });
  assert.deepEqual(
    [await groupWith(`${service.https}`, 'P-521'), await groupWith(`${service.https}`, 'X25519')],
    ['secp521r1', failure],
  );
  await service.close();
});

test('an unknown group is a problem, but not a new one with an old OpenSSL', () => {
  assert.match(
    `${describeUnknownGroups(['X25519', 'P-999'])}`,
    /^TLS_GROUPS: OpenSSL \S+ does not know the group "P-999"; use names such as X25519 and P-256$/,
  );
  assert.equal(describeUnknownGroups(['X25519', 'P-256']), null);
});
