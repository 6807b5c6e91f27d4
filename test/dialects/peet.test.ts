/** The shape of TrackMe: its fingerprints, frames and headers, of a captured client and of none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { md5 } from '../../src/client/fingerprint/digests.ts';
import { peetprintOf } from '../../src/dialects/peet.ts';
import { fingerprint } from '../../src/resources/fingerprint.ts';
import { headersFrame, priorityFrame, settingsFrame, windowUpdateFrame } from '../client/fingerprint/http2-frames.ts';
import { seenNothing } from '../observed.ts';
import { chromiumHello, jsonOf, munich, stranger } from './requests.ts';

const grease = { id: 0x0a0a, name: 'GREASE' };
const listed = (text: string) =>
  text.split('-').map((id) => (id === 'GREASE' ? grease : { id: Number(id), name: null }));

test('the PeetPrint of a captured Chromium 141 is the one that its service returned', () => {
  const text =
    'GREASE-772-771|2-1.1|GREASE-4588-29-23-24|1027-2052-1025-1283-2053-1281-2054-1537|1|2|' +
    'GREASE-4865-4866-4867-49195-49199-49196-49200-52393-52392-49171-49172-156-157-47-53|' +
    '0-10-11-13-16-17613-18-23-27-35-43-45-5-51-65037-65281-GREASE-GREASE';
  const [versions = '', , groups = '', algorithms = '', modes = '', compression = '', ciphers = ''] = text.split('|');
  const sent = 'GREASE-51-0-10-35-16-45-5-23-17613-65037-65281-27-18-13-11-43-GREASE';
  const print = peetprintOf({
    ...fingerprint(seenNothing).tls,
    supportedVersions: listed(versions),
    alpn: ['h2', 'http/1.1'],
    supportedGroups: listed(groups),
    signatureAlgorithms: listed(algorithms),
    pskModes: listed(modes),
    certificateCompression: listed(compression),
    cipherSuites: listed(ciphers),
    extensions: listed(sent).map((each) => ({ ...each, length: 0 })),
  });
  assert.equal(print, text);
  assert.equal(md5(print), '1d4ffe9b0e34acac0bd883fa7f79d7b5');
});

const headerFields = [
  [':method', 'GET'],
  [':authority', 'seenby.example'],
  [':scheme', 'https'],
  [':path', '/api/all'],
  ['user-agent', '"quoted"'],
] as const;
const http2Frames = Buffer.concat([
  settingsFrame([1, 65536], [2, 0], [0x99, 7]),
  windowUpdateFrame(15663105),
  priorityFrame({ streamId: 3, exclusive: false, dependsOn: 0, weight: 201 }),
  headersFrame({ exclusive: true, dependsOn: 0, weight: 256 }),
]);
const handshake = { ...munich.handshake, clientHello: chromiumHello, http2Frames, headerFields };
const observed = { ...munich, handshake };

test('all has the fingerprints of /fingerprint, under the names of the service', () => {
  const print = fingerprint(observed);
  const seen = jsonOf('/as/peet/api/all', { observed });
  assert.deepEqual(Object.keys(seen), ['ip', 'http_version', 'method', 'user_agent', 'tls', 'http2', 'tcpip']);
  assert.deepEqual([seen.ip, seen.http_version, seen.method], ['203.0.113.7:38542', 'h2', 'GET']);
  const { tls, http2 } = seen;
  assert.deepEqual(
    [tls.ja3, tls.ja3_hash, tls.ja4, tls.ja4_r],
    [print.ja3.text, print.ja3.hash, print.ja4, print.ja4_r],
  );
  assert.equal(tls.peetprint_hash, md5(tls.peetprint));
  assert.deepEqual([tls.tls_version_record, tls.tls_version_negotiated], ['771', '772']);
  assert.deepEqual([tls.client_random, tls.session_id], ['', '']);
  assert.deepEqual([http2.akamai_fingerprint, http2.akamai_fingerprint_hash], [print.akamai.text, print.akamai.hash]);
  assert.deepEqual(seen.tcpip, { ip: {}, tcp: {} });
  assert.deepEqual(jsonOf('/as/peet/api/tls', { observed }), { tls });
  assert.deepEqual(jsonOf('/as/peet/api/clean', { observed }), {
    ja3: tls.ja3,
    ja3_hash: tls.ja3_hash,
    ja4: tls.ja4,
    ja4_r: tls.ja4_r,
    peetprint: tls.peetprint,
    peetprint_hash: tls.peetprint_hash,
    akamai: print.akamai.text,
    akamai_hash: print.akamai.hash,
    http_version: 'h2',
  });
});

test('cipher suites and extensions have the names of the service', () => {
  const { ciphers, extensions } = jsonOf('/as/peet/api/all', { observed }).tls;
  assert.match(ciphers[0], /^TLS_GREASE \(0x[\dA-F]A[\dA-F]A\)$/);
  assert.equal(ciphers[1], 'TLS_AES_128_GCM_SHA256');
  const find = (name: string) => extensions.find((each: { name: string }) => each.name === name) ?? assert.fail(name);
  assert.match(extensions[0].name, /^TLS_GREASE \(0x[\da-f]a[\da-f]a\)$/);
  assert.deepEqual(find('server_name (0)'), { name: 'server_name (0)', server_name: 'seenby.example' });
  assert.equal(find('padding (21)').padding_data_length, 3);
  const { supported_groups: groups } = find('supported_groups (10)');
  assert.match(groups[0], /^TLS_GREASE/);
  for (const group of ['X25519 (29)', 'P-256 (23)', 'P-384 (24)']) assert.ok(groups.includes(group), group);
  assert.ok(find('signature_algorithms (13)').signature_algorithms.includes('ecdsa_secp256r1_sha256'));
  assert.deepEqual(find('compress_certificate (27)').algorithms, ['brotli (2)']);
  assert.deepEqual(find('ec_point_formats (11)').elliptic_curves_point_formats, ['0x00']);
  assert.deepEqual(find('application_layer_protocol_negotiation (16)').protocols, ['h2', 'http/1.1']);
  assert.deepEqual(find('supported_versions (43)').versions.slice(1), ['TLS 1.3', 'TLS 1.2']);
  assert.equal(
    find('psk_key_exchange_modes (45)').PSK_Key_Exchange_Mode,
    'PSK with (EC)DHE key establishment (psk_dhe_ke) (1)',
  );
  find('extensionRenegotiationInfo (boringssl) (65281)');
});

test('every frame has the members of its type, in the order sent', () => {
  assert.deepEqual(jsonOf('/as/peet/api/all', { observed }).http2.sent_frames, [
    {
      frame_type: 'SETTINGS',
      length: 18,
      settings: ['HEADER_TABLE_SIZE = 65536', 'ENABLE_PUSH = 0', 'UNKNOWN_SETTING_153 = 7'],
    },
    { frame_type: 'WINDOW_UPDATE', length: 4, increment: 15663105 },
    { frame_type: 'PRIORITY', stream_id: 3, length: 5, priority: { weight: 201, depends_on: 0, exclusive: 0 } },
    {
      frame_type: 'HEADERS',
      stream_id: 1,
      length: 11,
      headers: [
        ':method: GET',
        ':authority: seenby.example',
        ':scheme: https',
        ':path: /api/all',
        'user-agent: "quoted"',
      ],
      flags: ['EndStream (0x1)', 'EndHeaders (0x4)', 'Priority (0x20)'],
      priority: { weight: 256, depends_on: 0, exclusive: 1 },
    },
  ]);
});

test('headers are there even if their frame came too late to be read', () => {
  const late = { ...observed, handshake: { ...handshake, http2Frames: settingsFrame([4, 1]) } };
  const frames = jsonOf('/as/peet/api/all', { observed: late }).http2.sent_frames;
  assert.deepEqual(frames[1], { frame_type: 'HEADERS', headers: headerFields.map((field) => field.join(': ')) });
});

test('HTTP/1 has its headers in place of the frames', () => {
  const fields = [
    ['Host', 'seenby.example'],
    ['USER-agent', 'x'],
  ] as const;
  const seen = jsonOf('/as/peet/api/all', {
    observed: {
      ...observed,
      protocol: 'HTTP/1.1',
      handshake: { ...handshake, http2Frames: null, headerFields: fields },
    },
  });
  assert.deepEqual([seen.http_version, seen.http2], ['HTTP/1.1', undefined]);
  assert.deepEqual(seen.http1, { headers: ['Host: seenby.example', 'USER-agent: x'] });
});

test('an edge that observes nothing leaves TLS null and the fingerprints empty', () => {
  const seen = jsonOf('/as/peet/api/all', { observed: stranger });
  assert.deepEqual(seen, {
    ip: '2001:4860:4860::8888',
    http_version: '',
    method: 'GET',
    tls: null,
    tcpip: { ip: {}, tcp: {} },
  });
  assert.deepEqual(jsonOf('/as/peet/api/tls', { observed: stranger }), { tls: null });
  assert.deepEqual(jsonOf('/as/peet/api/clean', { observed: stranger }), {
    ja3: '',
    ja3_hash: '',
    ja4: '',
    ja4_r: '',
    peetprint: '',
    peetprint_hash: '',
    akamai: '-',
    akamai_hash: '-',
    http_version: '',
  });
  assert.equal(jsonOf('/as/peet/api/all', { observed: { ...stranger, port: 7 } }).ip, '[2001:4860:4860::8888]:7');
});
