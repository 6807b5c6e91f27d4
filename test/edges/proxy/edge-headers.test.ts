/** Headers of a proxy fill the fields they are for, and nothing else does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type EdgeFacts, edgeFacts } from '../../../src/edges/proxy/edge-headers.ts';

const nothing: EdgeFacts = {
  protocol: null,
  tls: { version: null, cipher: null, clientHelloLength: null, clientCiphersSha1: null, clientExtensionsSha1: null },
  transport: { clientTcpRttMs: null, clientQuicRttMs: null, deliveryRateBps: null },
  colo: null,
  acceptEncoding: null,
};

const said = {
  'x-edge-http-version': '2.0',
  'x-edge-tls-version': 'TLSv1.2',
  'x-edge-tls-cipher': 'ECDHE-RSA-AES128-GCM-SHA256',
  'x-edge-hello-length': '508',
  'x-edge-ciphers-sha1': 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
  'x-edge-extensions-sha1': 'tlH5gnoC5Z1HF45J5OgHEi338V0=',
  'x-edge-rtt-us': '40400',
  'x-edge-quic-rtt-us': '',
  'x-edge-delivery-rate': '35907',
};

test('fills every field that a proxy speaks of', () => {
  assert.deepEqual(edgeFacts(said, ['x-edge']), {
    ...nothing,
    protocol: 'HTTP/2',
    tls: {
      version: 'TLSv1.2',
      cipher: 'ECDHE-RSA-AES128-GCM-SHA256',
      clientHelloLength: 508,
      clientCiphersSha1: 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
      clientExtensionsSha1: 'tlH5gnoC5Z1HF45J5OgHEi338V0=',
    },
    transport: { clientTcpRttMs: 40.4, clientQuicRttMs: null, deliveryRateBps: 35_907 },
  });
});

test('fills nothing where the set is not believed', () => {
  assert.deepEqual(edgeFacts({ ...said, 'cf-ray': '8f1b2c3d4e5f6a7b-LHR' }, []), nothing);
});

test('knows the one TLS version of QUIC, and keeps the round trips apart', () => {
  const quic = { 'x-edge-http-version': 'HTTP/3.0', 'x-edge-tls-version': '0x0000', 'x-edge-tls-cipher': '0x0000' };
  const { protocol, tls, transport } = edgeFacts({ ...quic, 'x-edge-rtt-us': '5', 'x-edge-quic-rtt-us': '7000' }, [
    'x-edge',
  ]);
  assert.deepEqual([protocol, tls.version, tls.cipher], ['HTTP/3', 'TLSv1.3', null]);
  assert.deepEqual([transport.clientTcpRttMs, transport.clientQuicRttMs], [null, 7]);
  assert.equal(edgeFacts({ 'x-edge-quic-rtt-us': '7000' }, ['x-edge']).transport.clientQuicRttMs, null);
});

test('reads the data center of Cloudflare, and does not take its Accept-Encoding for the client’s', () => {
  const headers = { 'cf-ray': '8f1b2c3d4e5f6a7b-LHR', 'accept-encoding': 'br, gzip' };
  assert.deepEqual(edgeFacts(headers, ['cf']), { ...nothing, colo: 'LHR' });
  assert.deepEqual(edgeFacts(headers, ['x-edge']), { ...nothing, acceptEncoding: 'br, gzip' });
  assert.equal(edgeFacts({ 'cf-ray': 'nonsense' }, ['cf']).colo, null);
});

describe('makes nothing of', () => {
  const bad: Readonly<Record<string, readonly string[]>> = {
    'x-edge-http-version': ['', '4', '1', '2, 2', 'HTTP/', 'h2', '__proto__'],
    'x-edge-tls-version': ['', '0x0000', 'SSLv3', 'TLSv2', 'TLSv1.3, TLSv1.3', 'TLSv1.4', 'none'],
    'x-edge-tls-cipher': ['', '0x1301', '<script>', 'a b', 'A'.repeat(65)],
    'x-edge-hello-length': ['', '0', '-1', '1.5', '5e2', '0508', '9'.repeat(400)],
    'x-edge-ciphers-sha1': ['', 'GXSPDLP4', 'GXSPDLP4G3X+prK73a4wBuOaHRc', 'GXSPDLP4G3X-prK73a4wBuOaHRc='],
    'x-edge-extensions-sha1': ['=', 'A'.repeat(28)],
    'x-edge-rtt-us': ['', '0', 'NaN', '1ms'],
    'x-edge-delivery-rate': ['0', '-5'],
  };
  for (const [name, values] of Object.entries(bad)) {
    test(name, () => {
      for (const value of values) assert.deepEqual(edgeFacts({ [name]: value }, ['x-edge']), nothing, value);
    });
  }
});

test('spells older TLS versions as every edge does', () => {
  for (const [value, version] of [
    ['tls1.3', 'TLSv1.3'],
    ['TLSv1', 'TLSv1'],
    ['tls1.0', 'TLSv1'],
    ['tls1.1', 'TLSv1.1'],
  ] as const)
    assert.equal(edgeFacts({ 'x-edge-tls-version': value }, ['x-edge']).tls.version, version);
});
