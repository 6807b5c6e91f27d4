/** What makes the parameters of SVCB and HTTPS records malformed (RFC 9460). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader } from '../../../src/wire/byte-reader.ts';
import { readServiceParameters, serviceKeys } from '../../../src/wire/dns/service-parameters.ts';

type Given = readonly (readonly [key: number, hex: string])[];

/** Reads parameters of a service that are given as numbers and values in hex. */
const read = (...parameters: Given) => readAs('service', parameters);

function readAs(mode: 'alias' | 'service', parameters: Given) {
  const fields = parameters.map(([key, hex]) => {
    const bytes = Buffer.from(hex, 'hex');
    const header = Buffer.alloc(4);
    header.writeUInt16BE(key);
    header.writeUInt16BE(bytes.length, 2);
    return Buffer.concat([header, bytes]);
  });
  return readServiceParameters(new ByteReader(Buffer.concat(fields)), mode);
}

const { mandatory, alpn, noDefaultAlpn, port } = serviceKeys;

test('requires each parameter that is mandatory, and never the list of them', () => {
  assert.equal(read([mandatory, '00010003'], [alpn, '026832'], [port, '01bb']).length, 3);
  const lacks = /lacks a parameter that it declares mandatory/;
  assert.throws(() => read([mandatory, '0001'], [port, '01bb']), lacks);
  assert.throws(() => read([mandatory, '0000'], [port, '01bb']), lacks);
  assert.throws(() => read([mandatory, '00030001'], [alpn, '026832'], [port, '01bb']), /not in ascending order/);
});

test('requires a protocol without the default one', () => {
  assert.equal(read([alpn, '026833'], [noDefaultAlpn, '']).length, 2);
  assert.throws(() => read([noDefaultAlpn, '']), /without alpn/);
});

test('requires no other parameter in an alias, whose parameters clients ignore', () => {
  assert.equal(readAs('alias', [[noDefaultAlpn, '']]).length, 1);
  assert.equal(readAs('alias', [[mandatory, '0001']]).length, 1);
  assert.throws(() => readAs('alias', [[port, '01']]), /parameter 3/);
});

test('rejects keys that repeat or descend, and values of a wrong size', () => {
  assert.throws(() => read([port, '01bb'], [port, '01bb']), /ascending/);
  assert.throws(() => read([port, '01bb'], [alpn, '026832']), /ascending/);
  for (const wrong of [
    [alpn, ''],
    [alpn, '00'],
    [noDefaultAlpn, '00'],
    [port, '01'],
    [port, '01bb00'],
  ] as const)
    assert.throws(() => read(wrong));
});
