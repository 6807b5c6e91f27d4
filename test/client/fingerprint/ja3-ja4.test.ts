/** JA3, JA3N and JA4 of ClientHellos: published vectors, the edge cases of the definitions, and mutations. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { parseWholeClientHello } from '../../../src/client/fingerprint/client-hello.ts';
import { md5, sha256 } from '../../../src/client/fingerprint/digests.ts';
import { ja3, ja3OfText } from '../../../src/client/fingerprint/ja3.ts';
import { ja4 } from '../../../src/client/fingerprint/ja4.ts';
import { isGrease } from '../../../src/client/fingerprint/names.ts';
import { check, mutationOf } from '../../random.ts';
import { helloOf, helloVectors } from './hello-vectors.ts';

const parsed = (body: Uint8Array) => parseWholeClientHello(body) ?? assert.fail('the ClientHello is malformed');

for (const { source, body, ja3Text, ja3: hash, ja3n: sortedHash, ...codes } of helloVectors) {
  test(`computes the fingerprints of ${source}`, () => {
    const hello = parsed(body);
    if (ja3Text !== undefined) assert.equal(ja3(hello).ja3.text, ja3Text);
    if (hash !== undefined) assert.equal(ja3(hello).ja3.hash, hash);
    if (sortedHash !== undefined) assert.equal(ja3(hello).ja3n.hash, sortedHash);
    const computed: Readonly<Record<string, string>> = { ...ja4(hello) };
    for (const [form, expected] of Object.entries(codes)) assert.equal(computed[form], expected, form);
  });
}

test('takes the two ALPN characters from the hex digits if one is neither a letter nor a digit', () => {
  const cases = { '20': '20', abcd: 'ad', '2061': '21', '30ab': '3b', '6120': '60', '30abcd31': '01', '61': 'aa' };
  for (const [alpn, code] of Object.entries(cases)) {
    const hello = parsed(helloOf({ ciphers: [0x1301], extensions: [16], alpn }));
    assert.equal(ja4(hello).ja4.slice(8, 10), code, alpn);
  }
  const empty = parsed(helloOf({ ciphers: [0x1301], extensions: [16], alpn: '' }));
  assert.equal(ja4(empty).ja4.slice(8, 10), '00');
});

test('names the version by the highest that is offered, without GREASE', () => {
  const cases: readonly (readonly [version: number, versions: readonly number[] | null, code: string])[] = [
    [0x0303, [0xfafa, 0x0303, 0x0304], '13'],
    [0x0303, [0x0302, 0x0301], '11'],
    [0x0301, null, '10'],
    [0x0300, null, 's3'],
    [0x0002, null, 's2'],
    [0x0303, [0xfefc], 'd3'],
    [0x0305, null, '00'],
    [0x0303, [0x5a5a], '12'],
  ];
  for (const [version, versions, code] of cases) {
    const extensions = versions === null ? [] : [43];
    const hello = parsed(helloOf({ version, ciphers: [1], extensions, versions: versions ?? [] }));
    assert.equal(ja4(hello).ja4.slice(1, 3), code, `${version} ${versions}`);
  }
});

test('keeps JA3N and JA4 when the extensions are shuffled, and changes JA3 and JA4_o', () => {
  const lists = { ciphers: [0x1301, 0x1302], groups: [29], pointFormats: [0], algorithms: [0x0804] };
  const first = parsed(helloOf({ ...lists, extensions: [10, 11, 13, 16] }));
  const second = parsed(helloOf({ ...lists, extensions: [16, 13, 11, 10] }));
  assert.deepEqual(ja3(first).ja3n, ja3(second).ja3n);
  assert.equal(ja4(first).ja4, ja4(second).ja4);
  assert.notEqual(ja3(first).ja3.hash, ja3(second).ja3.hash);
  assert.notEqual(ja4(first).ja4_o, ja4(second).ja4_o);
});

test('recomputes both JA3 from a text, and rejects other texts', () => {
  const text = '771,4867-4865,51-10-43,29-23,0';
  const sorted = '771,4867-4865,10-43-51,29-23,0';
  const codes = { ja3: { hash: md5(text), text }, ja3n: { hash: md5(sorted), text: sorted } };
  assert.deepEqual(ja3OfText(text), codes);
  for (const text of ['', '771', '771,1-2,3', '771,1-2,3,,0,', '771,1--2,3,,', 'x,,,,', '771,-1,,,']) {
    assert.equal(ja3OfText(text), null, text);
  }
});

test('recognizes the sixteen GREASE values and no other', () => {
  const grease = Array.from({ length: 0x10000 }, (_, value) => value).filter(isGrease);
  assert.deepEqual(
    grease.map((value) => value.toString(16)),
    Array.from({ length: 16 }, (_, n) => `${n.toString(16)}a${n.toString(16)}a`.replace(/^0/, '')),
  );
});

test('digests as the runtime does', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 119, 1000]) {
    const text = 'a0,-_|'.repeat(200).slice(0, length);
    assert.equal(md5(text), createHash('md5').update(text).digest('hex'));
    assert.equal(sha256(text), createHash('sha256').update(text).digest('hex'));
  }
});

test('finds every value that a ClientHello of all extensions lists', () => {
  const extension = (id: string, content: string): string =>
    `${id}${(content.length / 2).toString(16).padStart(4, '0')}${content}`;
  const block = [
    extension('0000', '000900000661622e746573'),
    extension('001b', '0400010002'),
    extension('002d', '020100'),
    extension('0033', '0011 5a5a000100 001d00026162 11ec00026162'.replaceAll(' ', '')),
    extension('fe0d', '00 0001 0003 2a 0002 aaaa 0004 bbbbbbbb'.replaceAll(' ', '')),
  ].join('');
  const values = parsed(
    Buffer.from(
      `0303${'00'.repeat(32)}00000213010100${(block.length / 2).toString(16).padStart(4, '0')}${block}`,
      'hex',
    ),
  );
  assert.equal(Buffer.from(values.serverName ?? []).toString(), 'ab.tes');
  assert.deepEqual(values.certificateCompression, [1, 2]);
  assert.deepEqual(values.pskModes, [1, 0]);
  assert.deepEqual(values.keyShares, [
    { id: 0x5a5a, name: 'GREASE', length: 1 },
    { id: 29, name: 'x25519', length: 2 },
    { id: 4588, name: 'X25519MLKEM768', length: 2 },
  ]);
  assert.deepEqual(values.encryptedClientHello, {
    kdf: { id: 1, name: 'HKDF-SHA256' },
    aead: { id: 3, name: 'ChaCha20Poly1305' },
    configId: 42,
    encLength: 2,
    payloadLength: 4,
  });
  assert.equal(values.alpn, null);
});

test('returns null or a complete fingerprint for mutated ClientHellos', () => {
  let refused = 0;
  const mutation = mutationOf(helloVectors.map(({ body }) => body));
  const rounds = check(50_000, mutation, (bytes) => {
    const hello = parseWholeClientHello(bytes);
    if (hello === null) {
      refused += 1;
      return;
    }
    assert.match(ja3(hello).ja3.text, /^\d+(?:,(?:\d+(?:-\d+)*)?){4}$/);
    assert.match(ja4(hello).ja4, /^t(?:\d\d|[sd]\d)[di]\d{4}[\dA-Za-z]{2}_[\da-f]{12}_[\da-f]{12}$/);
    assert.match(ja3(hello).ja3n.hash, /^[\da-f]{32}$/);
  });
  assert.ok(refused > 0.1 * rounds && refused < 0.9 * rounds, `${refused} of ${rounds} were refused`);
});
