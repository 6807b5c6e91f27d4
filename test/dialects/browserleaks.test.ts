/** The shape of tls.browserleaks.com: its fingerprints, extensions and frames, of a captured client and of none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../src/resources/fingerprint.ts';
import { headersFrame, settingsFrame, windowUpdateFrame } from '../client/fingerprint/http2-frames.ts';
import { bodyOf, chromiumHello, jsonOf, munich, stranger } from './requests.ts';

const headerFields = [
  [':method', 'GET'],
  ['user-agent', 'x'],
] as const;
const http2Frames = Buffer.concat([
  settingsFrame([1, 65536], [0x99, 7]),
  windowUpdateFrame(15663105),
  headersFrame({ exclusive: true, dependsOn: 0, weight: 256 }),
]);
const observed = {
  ...munich,
  handshake: { ...munich.handshake, clientHello: chromiumHello, http2Frames, headerFields },
};

test('all three paths have the fingerprints of /fingerprint, under the names of the service', () => {
  const { ja3, ja3n, ja4, ja4_r, ja4_o, ja4_ro, akamai } = fingerprint(observed);
  const { tls: _tls, http2: _http2, http1, ...texts } = jsonOf('/as/browserleaks', { observed });
  assert.deepEqual(texts, {
    user_agent: 'curl/8.5.0',
    ja4,
    ja4_r,
    ja4_o,
    ja4_ro,
    ja3_hash: ja3.hash,
    ja3_text: ja3.text,
    ja3n_hash: ja3n.hash,
    ja3n_text: ja3n.text,
    akamai_hash: akamai.hash,
    akamai_text: akamai.text,
  });
  assert.equal(http1, null);
  for (const path of ['/as/browserleaks/json', '/as/browserleaks/tls'])
    assert.equal(bodyOf(path, { observed }), bodyOf('/as/browserleaks', { observed }));
});

test('over HTTP/3, it has the fingerprint of quic.browserleaks.com', () => {
  const http3Frames = Buffer.from('04050680040000', 'hex');
  const handshake = { ...munich.handshake, clientHello: chromiumHello, http3Frames, headerFields };
  const { h3_hash, h3_text } = jsonOf('/as/browserleaks', { observed: { ...munich, handshake } });
  assert.equal(h3_text, '6:262144|m');
  assert.match(h3_hash, /^[\da-f]{32}$/);
});

test('TLS has the negotiated values, and the data of extensions', () => {
  const { tls } = jsonOf('/as/browserleaks', { observed });
  assert.deepEqual(tls.cipher_suite, { id: 4865, name: 'TLS_AES_128_GCM_SHA256' });
  assert.deepEqual(tls.selected_version, { id: 772, name: 'TLS 1.3' });
  assert.deepEqual(tls.handshake_version, { id: 771, name: 'TLS 1.2' });
  assert.equal(tls.cipher_suites[0].name, 'GREASE');
  const dataOf = (id: number) => tls.extensions.find((each: { id: number }) => each.id === id)?.data;
  assert.deepEqual(dataOf(43).versions.slice(1), [
    { id: 772, name: 'TLS 1.3' },
    { id: 771, name: 'TLS 1.2' },
  ]);
  assert.deepEqual(dataOf(45), { ke_modes: [{ id: 1, name: 'psk_dhe_ke' }] });
  assert.deepEqual(dataOf(11), { ec_point_format_list: [{ id: 0, name: 'uncompressed' }] });
  assert.deepEqual(dataOf(51).client_shares.at(-1), { group: { id: 29, name: 'x25519' }, key_exchange_length: 32 });
  assert.equal(dataOf(23), undefined);
  const other = { ...observed, tls: { ...observed.tls, version: 'TLSv1.2', cipher: 'ECDHE-RSA-AES128-SHA' } };
  assert.deepEqual(jsonOf('/as/browserleaks', { observed: other }).tls.cipher_suite, { name: 'ECDHE-RSA-AES128-SHA' });
});

test('every frame has the members of its type, in the order sent', () => {
  assert.deepEqual(jsonOf('/as/browserleaks', { observed }).http2, [
    {
      id: 4,
      name: 'SETTINGS',
      stream_id: 0,
      length: 12,
      settings: [
        { id: 1, name: 'SETTINGS_HEADER_TABLE_SIZE', value: 65536 },
        { id: 0x99, name: null, value: 7 },
      ],
    },
    { id: 8, name: 'WINDOW_UPDATE', stream_id: 0, length: 4, window_size_increment: 15663105 },
    {
      id: 1,
      name: 'HEADERS',
      stream_id: 1,
      length: 11,
      headers: { ':method': 'GET', 'user-agent': 'x' },
      flags_raw: 37,
      flags: [
        { id: 1, name: 'END_STREAM' },
        { id: 4, name: 'END_HEADERS' },
        { id: 32, name: 'PRIORITY' },
      ],
      priority: { weight: 255, stream_dependency: 0, exclusive: 1 },
    },
  ]);
});

test('HTTP/1 has its headers with their case in place of the frames', () => {
  const fields = [
    ['Host', 'seenby.example'],
    ['X-custom-header', 'x'],
  ] as const;
  const handshake = { ...observed.handshake, http2Frames: null, headerFields: fields };
  const seen = jsonOf('/as/browserleaks', { observed: { ...observed, protocol: 'HTTP/1.1', handshake } });
  assert.deepEqual([seen.http2, seen.http1], [null, { headers: Object.fromEntries(fields) }]);
  assert.deepEqual([seen.akamai_hash, seen.akamai_text], ['', '']);
});

test('an edge that observes nothing leaves texts empty', () => {
  const { tls, http1, http2, ...texts } = jsonOf('/as/browserleaks', { observed: stranger });
  assert.deepEqual([tls, http1, http2], [{}, null, null]);
  assert.deepEqual(new Set(Object.values(texts)), new Set(['']));
});
