/** The sentence about the layers appears only if two measurements above TCP agree; the bars share a scale. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainLayers, widthsOf } from '../../../../src/http/page/home/layers.ts';
import type { RoundTrips } from '../../../../src/resources/round-trip.ts';

const relayed: RoundTrips = { tcpMs: 2, tlsMs: 42, tlsResumed: true, http2Ms: 41, pingMs: 40, quicMs: null };
const explains = (changed: Partial<RoundTrips>): boolean => explainLayers({ ...relayed, ...changed }) !== null;

test('names both usual reasons, with the smallest time above TCP', () => {
  const sentence = explainLayers(relayed) ?? '';
  for (const part of ['at least 40 ms', 'TCP takes 2 ms', 'proxy or accelerator', 'your device responds slowly'])
    assert.ok(sentence.includes(part), part);
});

test('needs two measurements above TCP, of which a full handshake is none', () => {
  assert.ok(explains({ tlsResumed: false }));
  assert.ok(explains({ pingMs: null }));
  assert.ok(explains({ http2Ms: null }));
  assert.ok(!explains({ tlsResumed: false, pingMs: null }));
  assert.ok(!explains({ tlsResumed: null, http2Ms: null }));
  assert.ok(!explains({ tlsMs: null, http2Ms: null }));
  // A client that verifies the certificate slowly.
  assert.ok(!explains({ tlsMs: 750, tlsResumed: false, http2Ms: 8, pingMs: 8 }));
});

test('needs three times the round trip of TCP, and 30 ms more, from the smallest', () => {
  assert.ok(explains({ tcpMs: 10, tlsMs: 40, http2Ms: 40 }));
  assert.ok(!explains({ tcpMs: 10.1, tlsMs: 40, http2Ms: 40 }));
  assert.ok(explains({ tcpMs: 20, tlsMs: 60, http2Ms: 60, pingMs: 60 }));
  assert.ok(!explains({ tcpMs: 20, tlsMs: 60, http2Ms: 59, pingMs: 60 }));
  assert.ok(!explains({ pingMs: 3 }));
});

test('needs TCP, and compares QUIC with nothing', () => {
  assert.ok(!explains({ tcpMs: null }));
  const quic = { tcpMs: 1, tlsMs: null, tlsResumed: null, http2Ms: null, pingMs: null, quicMs: 80 };
  assert.equal(explainLayers(quic), null);
});

test('the longest bar has the whole width, an unknown one none', () => {
  assert.deepEqual(widthsOf({ ...relayed, tlsMs: null }), {
    tcpMs: 4.9,
    tlsMs: 0,
    http2Ms: 100,
    pingMs: 97.6,
    quicMs: 0,
  });
  const nothing = { tcpMs: null, tlsMs: null, tlsResumed: null, http2Ms: null, pingMs: null, quicMs: null };
  assert.deepEqual(widthsOf(nothing), { tcpMs: 0, tlsMs: 0, http2Ms: 0, pingMs: 0, quicMs: 0 });
});
