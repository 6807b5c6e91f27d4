/** Repeated attempts to open the port of the QUIC server, which another program has on one address. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { keyExchangeGroups } from '../../../src/core/limits.ts';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { addressesOf } from '../../../src/native/local-addresses.ts';
import { listenQuic } from '../../../src/native/quic/endpoint.ts';
import { loadOpenSsl, openSsl } from '../../../src/native/quic/openssl.ts';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';

const host = '0.0.0.0';
const addresses = addressesOf(host, { hasLoopback: true });

test('share one context of OpenSSL, until the certificate is another', {
  skip: process.platform !== 'linux' || addresses.length < 2 ? 'needs Linux with two addresses' : false,
}, async (t) => {
  assert.equal(await loadOpenSsl(), null);
  const create = t.mock.method(openSsl, 'SSL_CTX_new');
  const other = createSocket('udp4').bind(0, addresses.at(-1));
  await once(other, 'listening');
  const options = {
    host,
    port: other.address().port,
    certificate: await createLocalhostCertificate(),
    groups: keyExchangeGroups,
    bounds,
    handshakeCost: () => 0,
    admit: () => () => {},
    onConnection: () => assert.fail('no client connects'),
  };
  for (let attempt = 0; attempt < 3; attempt += 1) await assert.rejects(listenQuic(options), { code: 'EADDRINUSE' });
  assert.equal(create.mock.callCount(), 1);
  other.close();
  const renewed = await listenQuic({ ...options, certificate: await createLocalhostCertificate() });
  assert.equal(create.mock.callCount(), 2);
  assert.ok('close' in renewed);
  await renewed.close();
});
