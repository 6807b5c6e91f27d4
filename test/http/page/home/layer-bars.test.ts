/** The page shows the layers that were measured, and places for those that arrive after its first request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unobserved } from '../../../../src/core/observed.ts';
import { seenAll, seenNothing } from '../../../observed.ts';
import { pageAt } from '../page-at.ts';

const barsOf = (page: string): string[] =>
  [...page.matchAll(/data-layer="(\w+)"( class="later")?>.*?width="([\d.]+)".*?<span>(.*?)<\/span>/gs)].map((match) =>
    match.slice(1).join(' '),
  );

test('has a bar for each layer, and a place for the PING that the script causes', () => {
  const layers = { tlsMs: 25, tlsResumed: false, http2Ms: null };
  const transport = { ...seenAll.transport, clientQuicRttMs: null };
  assert.deepEqual(barsOf(pageAt('/', { ...seenAll, layers, transport })), [
    'tcpMs  50 13 ms',
    'tlsMs  100 25 ms',
    'http2Ms  class="later" 0 &ndash;',
    'pingMs  class="later" 0 &ndash;',
  ]);
});

test('has no bar for values that the edge cannot measure', () => {
  assert.deepEqual(barsOf(pageAt('/', { ...seenAll, layers: unobserved.layers, ping: null })), [
    'tcpMs  100 13 ms',
    'quicMs  2 0.25 ms',
  ]);
  assert.ok(!pageAt('/', seenNothing).includes('Round trips by layer'));
});

test('explains only what it shows: no handshake of TLS and no missing value where there are none', () => {
  const handshake = 'A TLS handshake that does not resume';
  const missing = 'No value (&ndash;)';
  const plain = { ...seenAll, origin: 'http://seenby.test', layers: unobserved.layers, ping: null };
  for (const sentence of [handshake, missing]) {
    assert.ok(!pageAt('/', plain).includes(sentence), sentence);
    assert.ok(pageAt('/', { ...seenAll, layers: { tlsMs: 25, tlsResumed: false, http2Ms: null } }).includes(sentence));
  }
  // Without a script, the values that are missing have no row.
  assert.match(pageAt('/', seenAll), /<span class="later">No value \(&ndash;\)/);
});

test('explains a difference that the first request shows already', () => {
  const sentence = '<p class="explained">The layers above TCP take at least 80 ms, TCP takes 13 ms.';
  const layers = { tlsMs: 80, tlsResumed: true, http2Ms: 81 };
  assert.ok(pageAt('/', { ...seenAll, layers }).includes(sentence));
  assert.ok(!pageAt('/', seenAll).includes(sentence));
});
