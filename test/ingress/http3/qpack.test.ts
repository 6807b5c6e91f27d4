/** QPACK against the vectors of its RFC and of HPACK's, and against an independent encoder. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { errorCodes } from '../../../src/ingress/http3/data/registries.ts';
import { staticTable } from '../../../src/ingress/http3/data/static-table.ts';
import {
  decodeFieldSection,
  decodeHuffman,
  encodeFieldSection,
  PrefixReader,
} from '../../../src/ingress/http3/qpack.ts';
import { blockByNode } from '../../abuse/hpack.ts';
import { check, mutationOf } from '../../random.ts';

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const decode = (hex: string, maxBytes = 16_384) => decodeFieldSection(bytesOf(hex), maxBytes);
const failsToDecompress = { code: errorCodes.decompressionFailed };

test('decodes the literal field line with a name reference of RFC 9204 B.1', () => {
  assert.deepEqual(decode('0000 510b 2f69 6e64 6578 2e68 746d 6c'), [':path', '/index.html']);
});

test('decodes Huffman strings as in RFC 7541 C.4 and C.6', () => {
  const vectors = {
    'f1e3 c2e5 f23a 6ba0 ab90 f4ff': 'www.example.com',
    'a8eb 1064 9cbf': 'no-cache',
    '25a8 49e9 5ba9 7d7f': 'custom-key',
    '25a8 49e9 5bb8 e8b4 bf': 'custom-value',
    'd07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff': 'Mon, 21 Oct 2013 20:13:21 GMT',
  };
  for (const [hex, text] of Object.entries(vectors)) assert.equal(decodeHuffman(bytesOf(hex)), text);
});

/** Returns the values of a block of HPACK, whose strings have the same form. */
function valuesOf(block: Uint8Array): string[] {
  const reader = new PrefixReader(block);
  const values: string[] = [];
  while (!reader.isAtEnd) {
    const byte = reader.peek();
    const index = reader.integer(byte >= 0x80 ? 7 : byte >= 0x40 ? 6 : 4);
    if (byte >= 0x80) continue;
    if (index === 0) reader.string(7);
    values.push(reader.string(7));
  }
  return values;
}

test("decodes the codes of Node's encoder for every byte that a header may contain", async () => {
  const printable = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => byte === 9 || (byte > 31 && byte !== 127),
  );
  // Node uses the code only if it is shorter than the text.
  const values = printable.map((byte) => `${'0'.repeat(80)}${String.fromCharCode(byte)}0`);
  const headers = Object.fromEntries(values.map((value, at) => [`x-${at}`, value]));
  const decoded = valuesOf(await blockByNode({ ':path': '/', ...headers }));
  assert.deepEqual(decoded.slice(-values.length), values);
});

test('rejects a Huffman string with a wrong padding, a whole byte of padding, or the end of a string in it', () => {
  // "0" with a padding of zeros; with eight further ones; 30 ones.
  for (const hex of ['00', '07ff', 'ff ff ff ff', '80']) assert.equal(decodeHuffman(bytesOf(hex)), null, hex);
  assert.equal(decodeHuffman(bytesOf('07')), '0');
  assert.equal(decodeHuffman(new Uint8Array()), '');
});

test('reads integers of up to four further bytes, and rejects longer ones', () => {
  const integers: readonly (readonly [hex: string, value: number])[] = [
    ['fe', 254],
    ['ff00', 255],
    ['ff808001', 255 + 2 ** 14],
    ['ff80808001', 255 + 2 ** 21],
    ['ffffffff7f', 255 + 2 ** 28 - 1],
  ];
  for (const [hex, value] of integers) assert.equal(new PrefixReader(bytesOf(hex)).integer(8), value, hex);
  for (const hex of ['ff8080808001', 'ff8080808000'])
    assert.throws(() => new PrefixReader(bytesOf(hex)).integer(8), failsToDecompress, hex);
});

test('rejects every use of a dynamic table, and bytes that end early or exceed the static table', () => {
  const invalid = {
    'required insert count': '0100 d1',
    'negative base': '0080 d1',
    'indexed, dynamic': '0000 80',
    'indexed, post-base': '0000 10',
    'name reference, dynamic': '0000 4000',
    'name reference, post-base': '0000 0000',
    'row 99 of the static table': '0000 ff24',
    'name of row 99': '0000 5f54 00',
    'no base': '00',
    nothing: '',
    'string longer than the section': '0000 5105 2f',
    'endless integer': '0000 ffffffffffffff',
    'invalid Huffman name': '0000 2900',
  };
  for (const [what, hex] of Object.entries(invalid)) assert.throws(() => decode(hex), failsToDecompress, what);
});

test('returns null for more decoded bytes than permitted', () => {
  const pairs = ['user-agent', 'a'.repeat(100)];
  const section = encodeFieldSection(pairs);
  assert.deepEqual(decodeFieldSection(section, 114), pairs);
  assert.equal(decodeFieldSection(section, 113), null);
});

test('finds each row of the static table by its name and value', () => {
  assert.equal(staticTable.length, 99);
  for (const [row, [name, value]] of staticTable.entries()) {
    const section = encodeFieldSection([name, value]);
    assert.equal(section.length, row < 63 ? 3 : 4, name);
    assert.deepEqual(decodeFieldSection(section, 1000), [name, value]);
  }
});

test('decodes what it encodes, for all bytes', () => {
  const text = fc.array(fc.nat(255), { maxLength: 300 }).map((bytes) => String.fromCharCode(...bytes));
  check(2000, fc.array(fc.tuple(text, text), { maxLength: 8 }), (pairs) => {
    assert.deepEqual(decodeFieldSection(encodeFieldSection(pairs.flat()), 1e9), pairs.flat());
  });
});

test('decodes or rejects every mutation of a section, and nothing else', () => {
  const sections = ['0000 510b 2f69 6e64 6578 2e68 746d 6c', '0000 d1 d7 50 8c f1e3 c2e5 f23a 6ba0 ab90 f4ff c1'];
  check(20_000, mutationOf(sections.map(bytesOf)), (bytes) => {
    try {
      decodeFieldSection(bytes, 1000);
    } catch (error) {
      assert.equal((error as { code?: number }).code, errorCodes.decompressionFailed);
    }
  });
});
