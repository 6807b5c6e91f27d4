/** A proxy's headers set their fields, and no others do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unobserved } from '../../../src/core/observed.ts';
import { readEdgeFacts } from '../../../src/edges/proxy/edge-headers.ts';
import { edgeHeaderValues } from './edge-header-values.ts';

/** What a proxy may report of the client's connection, without a value. */
const { port, priority, location, autonomousSystem, ...nothing } = unobserved;

test('sets every field that a proxy reports', () => {
  assert.deepEqual(readEdgeFacts(edgeHeaderValues, ['x-edge']), {
    ...nothing,
    protocol: 'HTTP/2',
    tls: {
      ...unobserved.tls,
      version: 'TLSv1.2',
      cipher: 'ECDHE-RSA-AES128-GCM-SHA256',
      clientHelloLength: 508,
      clientCiphersSha1: 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
      clientExtensionsSha1: 'tlH5gnoC5Z1HF45J5OgHEi338V0=',
    },
    handshake: {
      ...unobserved.handshake,
      ja3: '771,4865-4866,43-10,29,0',
      ja4: 't13d1517h2_8daaf6152771_cb7bf5808d99',
    },
    transport: { ...unobserved.transport, clientTcpRttMs: 40.4, deliveryRateBps: 35_907 },
  });
});

test('sets nothing if the set is not trusted', () => {
  assert.deepEqual(readEdgeFacts({ ...edgeHeaderValues, 'cf-ray': '8f1b2c3d4e5f6a7b-LHR' }, []), nothing);
});

test('sets the TLS version of QUIC, and separates the RTTs', () => {
  const quic = { 'x-edge-http-version': 'HTTP/3.0', 'x-edge-tls-version': '0x0000', 'x-edge-tls-cipher': '0x0000' };
  const { protocol, tls, transport } = readEdgeFacts({ ...quic, 'x-edge-rtt-us': '5', 'x-edge-quic-rtt-us': '7000' }, [
    'x-edge',
  ]);
  assert.deepEqual([protocol, tls.version, tls.cipher], ['HTTP/3', 'TLSv1.3', null]);
  assert.deepEqual([transport.clientTcpRttMs, transport.clientQuicRttMs], [null, 7]);
  assert.equal(readEdgeFacts({ 'x-edge-quic-rtt-us': '7000' }, ['x-edge']).transport.clientQuicRttMs, null);
});

test("reads Cloudflare's data center, and ignores its Accept-Encoding", () => {
  const headers = { 'cf-ray': '8f1b2c3d4e5f6a7b-LHR', 'accept-encoding': 'br, gzip' };
  assert.deepEqual(readEdgeFacts(headers, ['cf']), { ...nothing, colo: 'LHR' });
  assert.deepEqual(readEdgeFacts(headers, ['x-edge']), { ...nothing, acceptEncoding: 'br, gzip' });
  assert.equal(readEdgeFacts({ 'cf-ray': 'nonsense' }, ['cf']).colo, null);
});

describe('ignores', () => {
  const bad: Readonly<Record<string, readonly string[]>> = {
    'x-edge-http-version': ['', '4', '1', '2, 2', 'HTTP/', 'h2', '__proto__'],
    'x-edge-tls-version': ['', '0x0000', 'SSLv3', 'TLSv2', 'TLSv1.3, TLSv1.3', 'TLSv1.4', 'none'],
    'x-edge-tls-cipher': ['', '0x1301', '<script>', 'a b', 'A'.repeat(65)],
    'x-edge-hello-length': ['', '0', '-1', '1.5', '5e2', '0508', '9'.repeat(400)],
    'x-edge-ciphers-sha1': ['', 'GXSPDLP4', 'GXSPDLP4G3X+prK73a4wBuOaHRc', 'GXSPDLP4G3X-prK73a4wBuOaHRc='],
    'x-edge-extensions-sha1': ['=', 'A'.repeat(28)],
    'x-edge-ja3': ['', '771', '771,x,,,', '77'.repeat(17), `${'1-'.repeat(5000)}1,,,,`],
    'x-edge-ja4': ['', 't13d1517h2', 't13d1517h2_8daaf6152771_cb7bf5808d99, t', 'x13d1517h2_8daaf6152771_cb7bf5808d99'],
    'x-edge-rtt-us': ['', '0', 'NaN', '1ms'],
    'x-edge-delivery-rate': ['0', '-5'],
  };
  for (const [name, values] of Object.entries(bad)) {
    test(name, () => {
      for (const value of values) assert.deepEqual(readEdgeFacts({ [name]: value }, ['x-edge']), nothing, value);
    });
  }
});

test('writes older TLS versions as every edge does', () => {
  for (const [value, version] of [
    ['tls1.3', 'TLSv1.3'],
    ['TLSv1', 'TLSv1'],
    ['tls1.0', 'TLSv1'],
    ['tls1.1', 'TLSv1.1'],
  ] as const)
    assert.equal(readEdgeFacts({ 'x-edge-tls-version': value }, ['x-edge']).tls.version, version);
});
