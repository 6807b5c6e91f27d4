/** The page shows hashes to copy and every part of the connection's opening, and renders what clients chose as text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unobserved } from '../../../../src/core/observed.ts';
import { fieldsOf } from '../../../../src/http/page/fields.ts';
import { fingerprintCard } from '../../../../src/http/page/home/connection.ts';
import { Fingerprint, fingerprint } from '../../../../src/resources/fingerprint.ts';
import { helloOf, helloVectors } from '../../../client/fingerprint/hello-vectors.ts';
import { headersFrame, settingsFrame } from '../../../client/fingerprint/http2-frames.ts';
import { fieldsNamed, seenAll, seenNothing } from '../../../observed.ts';
import { pageAt } from '../page-at.ts';

const section = (page: string): string =>
  /<section aria-labelledby="fingerprint">.*?<\/section>/s.exec(page)?.[0] ?? '';

const handshake = {
  ...unobserved.handshake,
  clientHello: helloVectors.at(-1)?.body ?? assert.fail(),
  http2Frames: Buffer.concat([
    settingsFrame([4, 9], [0x99, 1]),
    headersFrame({ exclusive: true, dependsOn: 0, weight: 256 }),
  ]),
  headerFields: fieldsNamed(':method', ':authority', ':scheme', ':path', 'user-agent', 'x-<b>'),
};
const page = section(pageAt('/', { ...seenAll, handshake }));

test('shows the hashes with a copy button, and which of them are stable', () => {
  const { ja3, ja3n, ja4, akamai } = fingerprint({ ...seenAll, handshake });
  for (const code of [ja3.hash, ja3n.hash, ja4, akamai.hash])
    assert.ok(page.includes(`<code>${code}</code> <button`), `${code}`);
  assert.equal(page.match(/>stable</g)?.length, 3);
  assert.equal(page.match(/>changes</g)?.length, 1);
});

test('names cipher suites, extensions, groups, settings and headers in the order sent', () => {
  const places = ['TLS_AES_128_GCM_SHA256 (4865)', 'TLS_CHACHA20_POLY1305_SHA256 (4867)', 'x25519 (29)'].map((text) =>
    page.indexOf(text),
  );
  assert.ok(places.every((place) => place > 0));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.ok(page.includes('<span class="value"><bdi>INITIAL_WINDOW_SIZE 9, 153 1</bdi></span>'));
  for (const text of ['GREASE (43690)', 'INITIAL_WINDOW_SIZE (4)', 'no name (153)', 'x-&lt;b&gt;'])
    assert.ok(page.includes(text), text);
});

test('shows an object by the names of its members, and all of it as a table in the open row', () => {
  const body = fingerprint({ ...seenAll, handshake });
  const kdf = { id: 1, name: 'HKDF-SHA256' };
  const aead = { id: 1, name: 'AES-128-GCM' };
  const encryptedClientHello = { kdf, aead, configId: 135, encLength: 32, payloadLength: 144 };
  const card = `${fingerprintCard({ ...body, tls: { ...body.tls, encryptedClientHello } }, true, '')}`;
  assert.ok(card.includes('<span class="value"><bdi>HKDF-SHA256, AES-128-GCM</bdi></span>'));
  for (const [name, value] of [
    ['aead', 'AES-128-GCM (1)'],
    ['configId', '135'],
  ] as const)
    assert.ok(
      card.includes(`<th scope="row"><bdi>${name}</bdi></th><td data-of="value"><bdi>${value}</bdi></td>`),
      name,
    );
});

test('a list of pairs is a table of names and values', () => {
  const row = /<li id="fingerprint\.http\.headers">.*?<\/table>/s.exec(page)?.[0] ?? '';
  assert.match(row, /<thead><tr><th scope="col">name<\/th><th scope="col">value<\/th><\/tr><\/thead>/);
  assert.match(row, /<th scope="row"><bdi>user-agent<\/bdi><\/th>/);
});

test('has a row for every part that was observed, and one sentence with the labels of the others', () => {
  const labels = fieldsOf(Fingerprint);
  const body = fingerprint({ ...seenAll, handshake });
  for (const [parent, members] of Object.entries({ tls: body.tls, http: body.http, tcp: body.tcp }))
    for (const [name, value] of Object.entries(members)) {
      const { label = '' } = labels.get(`${parent}.${name}`) ?? {};
      assert.notEqual(label, '', name);
      if (value === null) assert.match(page, new RegExp(`<p class="small">[^<]*${label}`), label);
      else assert.ok(page.includes(`<li id="fingerprint.${parent}.${name}">`), name);
    }
});

test('states in one sentence why values are missing', () => {
  const labels = 'JA4, JA3N, Akamai HTTP/2, JA3';
  assert.ok(section(pageAt('/', seenNothing)).includes(`loaded without HTTPS, so there are no TLS values: ${labels}.`));
  const proxied = { ...seenNothing, origin: 'https://seenby.example', isSecure: true };
  assert.ok(
    section(pageAt('/', proxied)).includes(
      `A proxy ended the encryption, so these values are not visible here: ${labels}.`,
    ),
  );
});

test('blames no proxy for one fingerprint if the ClientHello was read', () => {
  const shown = section(pageAt('/', { ...seenAll, handshake: { ...handshake, http2Frames: null } }));
  assert.match(shown, />JA4 </);
  assert.match(shown, /Not observed on this connection: Akamai HTTP\/2\./);
  assert.doesNotMatch(shown, /A proxy ended the encryption/);
});

test('says why there are no fingerprints of TLS although that of HTTP/2 is known, as behind a proxy that speaks it', () => {
  const shown = section(pageAt('/', { ...seenAll, handshake: { ...handshake, clientHello: null } }));
  assert.match(shown, /A proxy ended the encryption, so these values are not visible here: JA4/);
});

test('misses no fingerprint of another HTTP version', () => {
  const overHttp1 = { ...handshake, http2Frames: null, headerFields: fieldsNamed('Host') };
  const shown = section(pageAt('/', { ...seenAll, protocol: 'HTTP/1.1', handshake: overHttp1 }));
  assert.match(shown, />JA4 </);
  assert.doesNotMatch(shown, /A proxy ended the encryption|Akamai/);
  const plain = { ...seenNothing, protocol: 'HTTP/1.1' } as const;
  assert.match(section(pageAt('/', plain)), /so there are no TLS values: JA4, JA3N, JA3\./);
});

test('renders names that a client chose as text', () => {
  const hostile = {
    ...unobserved.handshake,
    clientHello: helloOf({ ciphers: [1], extensions: [16], alpn: Buffer.from('<img src=x>').toString('hex') }),
  };
  assert.ok(section(pageAt('/', { ...seenAll, handshake: hostile })).includes('&lt;img src=x&gt;'));
});
