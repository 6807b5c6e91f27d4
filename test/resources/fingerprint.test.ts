/** The fingerprint resource: one shape whatever was observed, names for what was, bounds for what is hostile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObservedHandshake, unobserved } from '../../src/core/observed.ts';
import { flatten } from '../../src/core/text.ts';
import { Fingerprint, fingerprint } from '../../src/resources/fingerprint.ts';
import { helloOf, helloVectors } from '../client/fingerprint/hello-vectors.ts';
import { headersFrame, settingsFrame, windowUpdateFrame } from '../client/fingerprint/http2-frames.ts';
import { seenAll, seenNothing } from '../observed.ts';

const of = (handshake: Partial<ObservedHandshake>) =>
  Fingerprint.strict().parse(fingerprint({ ...seenAll, handshake: { ...unobserved.handshake, ...handshake } }));

test('is null in every member, and has every member, if nothing was observed', () => {
  const empty = Fingerprint.strict().parse(fingerprint(seenNothing));
  assert.match(flatten(empty), /^(?:[\w.]+:\n)+$/);
  assert.deepEqual(Object.keys(empty), Object.keys(fingerprint(seenAll)));
  assert.deepEqual(Object.keys(empty.tls), Object.keys(fingerprint(seenAll).tls));
});

test('names what a ClientHello lists, post-quantum groups and GREASE included', () => {
  const { body } = helloVectors.find(({ source }) => source.startsWith('GREASE in every')) ?? assert.fail();
  const { tls, ja3, ja4 } = of({ clientHello: body });
  assert.deepEqual(tls.legacyVersion, { id: 771, name: 'TLSv1.2' });
  assert.deepEqual(tls.cipherSuites?.[0], { id: 0x4a4a, name: 'GREASE' });
  assert.deepEqual(tls.cipherSuites?.[1], { id: 0x1302, name: 'TLS_AES_256_GCM_SHA384' });
  assert.deepEqual(tls.extensions?.[1], { id: 43, name: 'supported_versions', length: 7 });
  assert.deepEqual(tls.supportedVersions?.[1], { id: 0x0304, name: 'TLSv1.3' });
  assert.deepEqual(tls.supportedGroups?.at(-2), { id: 4588, name: 'X25519MLKEM768' });
  assert.deepEqual(tls.alpn, ['a']);
  assert.equal(tls.grease, true);
  assert.equal(tls.serverName, null);
  assert.equal(tls.preSharedKey, false);
  assert.equal(ja3.hash, '10db3c5e991a973ca488f9e55a0c545a');
  assert.equal(ja4, 't13i0305aa_8c8c9365eb52_3cd5d6589845');
});

test('shows bytes that are not printable as hex, and unknown numbers without a name', () => {
  const { tls } = of({ clientHello: helloOf({ ciphers: [0x1399], extensions: [16, 65000], alpn: 'baad' }) });
  assert.deepEqual(tls.alpn, ['0xbaad']);
  assert.deepEqual(tls.cipherSuites, [{ id: 0x1399, name: null }]);
  assert.deepEqual(tls.extensions?.[1], { id: 65000, name: null, length: 0 });
});

test('joins the HTTP/2 opening with the order of the headers', () => {
  const frames = [
    settingsFrame([4, 9]),
    windowUpdateFrame(7),
    headersFrame({ exclusive: true, dependsOn: 0, weight: 256 }),
  ];
  const names = [':method', ':path', ':authority', ':scheme', 'user-agent', 'cookie', 'cookie'];
  const headerFields = names.map((name, at) => [name, `value ${at}`] as const);
  const { akamai, http } = of({ http2Frames: Buffer.concat(frames), headerFields });
  assert.equal(akamai.text, '4:9|7|0|m,p,a,s');
  assert.deepEqual(http, {
    version: 'HTTP/2',
    headerOrder: ['user-agent', 'cookie', 'cookie'],
    headers: [
      ['user-agent', 'value 4'],
      ['cookie', 'value 5'],
      ['cookie', 'value 6'],
    ],
    pseudoHeaderOrder: names.slice(0, 4),
    settings: [{ id: 4, name: 'INITIAL_WINDOW_SIZE', value: 9 }],
    windowUpdate: 7,
    priorityFrames: [],
    headersPriority: { exclusive: true, dependsOn: 0, weight: 256 },
    frames: [
      {
        id: 4,
        name: 'SETTINGS',
        flags: 0,
        streamId: 0,
        length: 6,
        settings: [{ id: 4, name: 'INITIAL_WINDOW_SIZE', value: 9 }],
        increment: null,
        priority: null,
      },
      {
        id: 8,
        name: 'WINDOW_UPDATE',
        flags: 0,
        streamId: 0,
        length: 4,
        settings: null,
        increment: 7,
        priority: null,
      },
      {
        id: 1,
        name: 'HEADERS',
        flags: 0x25,
        streamId: 1,
        length: 11,
        settings: null,
        increment: null,
        priority: { exclusive: true, dependsOn: 0, weight: 256 },
      },
    ],
  });
});

test('names the transport parameters and SETTINGS of a client over QUIC, reserved ones as GREASE', () => {
  const clientHello = helloOf({
    ciphers: [0x1301],
    extensions: [57],
    alpn: '6833',
    others: { 57: '01048000753020048001000a1b0100' },
  });
  const http3Frames = Buffer.from('04080680040000401801', 'hex');
  const quic = { version: 1, destinationIdLength: 8, sourceIdLength: 0, cryptoFrames: 11, datagrams: 2 };
  const headerFields = [':method', ':path'].map((name) => [name, 'a'] as const);
  const edgeObject = { ...quic, clientHello };
  const seen = of({ clientHello, http3Frames, quic: edgeObject, headerFields });
  assert.deepEqual(seen.quic, {
    ...quic,
    transportParameters: [
      { id: 1, name: 'max_idle_timeout', value: 30_000, length: 4 },
      { id: 32, name: 'max_datagram_frame_size', value: 65_546, length: 4 },
      { id: 27, name: 'GREASE', value: 0, length: 1 },
    ],
  });
  assert.match(seen.ja4 ?? '', /^q/);
  assert.equal(seen.h3.text, '6:262144;24:1|m,p');
  assert.deepEqual(seen.http.settings, [
    { id: 6, name: 'MAX_FIELD_SECTION_SIZE', value: 262_144 },
    { id: 24, name: null, value: 1 },
  ]);
});

test('shows every value of a header completely, however long', () => {
  const long = 'x'.repeat(20_000);
  const { http } = of({ headerFields: [['Cookie', long]] });
  assert.deepEqual(http.headers, [['Cookie', long]]);
});

test('takes JA3 and JA4 from an edge in front, and computes the hash and JA3N from a text', () => {
  const text = '771,4865,43-10,29,0';
  const byText = of({ ja3: text, ja4: 't13i010200_0f2cb44170f4_5c4c70b73fa0' });
  assert.deepEqual(byText.ja3.text, text);
  assert.equal(byText.ja3n.text, '771,4865,10-43,29,0');
  assert.equal(byText.ja4, 't13i010200_0f2cb44170f4_5c4c70b73fa0');
  const hash = 'de350869b8c85de67a350c8d186f11e6';
  const byHash = of({ ja3: hash });
  assert.deepEqual(byHash.ja3, { hash, text: null });
  assert.deepEqual(byHash.ja3n, { hash: null, text: null });
});

test('does not lay out a ClientHello that lists more than a thousand values', () => {
  const ciphers = Array.from({ length: 1100 }, (_, n) => n);
  assert.deepEqual(of({ clientHello: helloOf({ ciphers, extensions: [] }) }).tls, fingerprint(seenNothing).tls);
});
