/** Queries that a DNS server receives: what is read from them, and which are malformed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decodeQuery } from '../../../src/wire/dns/query.ts';
import { check, mutationOf } from '../../random.ts';
import { cookieOption, type QueryInput, queryOf, subnetOption } from './messages.ts';

const problemOf = (input: QueryInput) => decodeQuery(queryOf(input))?.problem;
const subnet = (...value: readonly number[]): QueryInput => ({ edns: { options: [[8, value]] } });

test('reads a query without EDNS, with the case of its name', () => {
  const query = decodeQuery(queryOf({ name: 'wWw.Example\\.\\032.com', type: 65, class: 3 }));
  assert.deepEqual(query, {
    id: 0x1234,
    copiedBits: 0x0100,
    question: { octets: query?.question?.octets, name: 'wWw.Example\\.\\032.com', type: 65, class: 3 },
    edns: null,
    problem: null,
  });
  assert.equal(
    Buffer.from(query?.question?.octets ?? []).toString('latin1'),
    '\x03wWw\x09Example. \x03com\0\0\x41\0\x03',
  );
});

test('reads version, size, DO, cookie and client subnet of EDNS, and ignores other options and flags', () => {
  const options = [subnetOption, cookieOption, [100, []] as const];
  const { edns } = decodeQuery(queryOf({ edns: { bufferBytes: 4096, dnssecOk: true, options } })) ?? {};
  assert.deepEqual(edns, {
    version: 0,
    bufferBytes: 4096,
    dnssecOk: true,
    hasCookie: true,
    clientSubnet: { family: 1, address: Uint8Array.of(203, 0, 113, 0), prefixLength: 24 },
  });
  const plain = decodeQuery(queryOf({ edns: {} }))?.edns;
  assert.deepEqual([plain?.dnssecOk, plain?.hasCookie, plain?.clientSubnet], [false, false, null]);
});

test('reads EDNS behind records of other types in each section', () => {
  for (const others of [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 1, 2],
  ] as const) {
    const query = decodeQuery(queryOf({ others, edns: { bufferBytes: 4096, options: [cookieOption] } }));
    assert.deepEqual(
      [query?.problem, query?.edns?.bufferBytes, query?.edns?.hasCookie],
      [null, 4096, true],
      `${others}`,
    );
    assert.equal(decodeQuery(queryOf({ others }))?.edns, null);
  }
});

test('reads client subnets of each family, and rejects those with other lengths or bits beyond the prefix', () => {
  const valid = [
    [0, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 1, 20, 0, 203, 0, 0xf0],
    [0, 1, 32, 0, 203, 0, 113, 7],
    [0, 2, 56, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 1],
    [0, 2, 128, 0, ...Array.from({ length: 16 }, () => 1)],
  ];
  for (const value of valid) assert.equal(problemOf(subnet(...value)), null, `${value}`);
  const invalid = [
    [],
    [0, 1, 24],
    [0, 0, 8, 0, 1],
    [0, 3, 0, 0],
    [0, 1, 24, 0, 203, 0],
    [0, 1, 24, 0, 203, 0, 113, 0],
    [0, 1, 20, 0, 203, 0, 0xf8],
    [0, 1, 33, 0, 203, 0, 113, 1, 0],
    [0, 1, 24, 24, 203, 0, 113],
    [0, 2, 129, 0, ...Array.from({ length: 17 }, () => 0)],
  ];
  for (const value of invalid) assert.equal(problemOf(subnet(...value)), 'FORMERR', `${value}`);
});

test('names the problem of a query that no zone can answer', () => {
  assert.equal(problemOf({ edns: { version: 1, options: [[8, [1]]] } }), 'BADVERS');
  assert.equal(problemOf({ bits: 0x7800 }), 'NOTIMP');
  assert.equal(problemOf({ bits: 0x2800, questions: 0 }), 'NOTIMP');
  for (const questions of [0, 2]) assert.equal(problemOf({ questions }), 'FORMERR', `${questions} questions`);
  assert.equal(problemOf({ edns: {}, opts: 2 }), 'FORMERR');
  assert.equal(problemOf({ edns: { name: 'a' } }), 'FORMERR');
});

test('returns nothing for a response, and for what has no whole header', () => {
  assert.equal(decodeQuery(queryOf({ bits: 0x8000 })), null);
  for (let length = 0; length < 12; length += 1) assert.equal(decodeQuery(queryOf().subarray(0, length)), null);
});

test('a query that is cut off anywhere after its header, or goes on behind its end, is malformed', () => {
  const whole = queryOf({ edns: { options: [subnetOption, cookieOption] } });
  for (let length = 12; length < whole.length; length += 1)
    assert.equal(decodeQuery(whole.subarray(0, length))?.problem, 'FORMERR', `${length} bytes`);
  assert.equal(decodeQuery(Uint8Array.of(...whole, 0))?.problem, 'FORMERR');
});

test('a name must be whole, short enough and not compressed', () => {
  const header = queryOf().subarray(0, 12);
  const problem = (...name: readonly number[]) => decodeQuery(Uint8Array.of(...header, ...name, 0, 1, 0, 1))?.problem;
  const label = [63, ...Array.from({ length: 63 }, () => 97)];
  const longest = [...label, ...label, ...label, 61, ...label.slice(1, 62)];
  assert.equal(problem(...longest, 0), null);
  assert.equal(problem(...label, ...label, ...label, ...label, 0), 'FORMERR');
  assert.equal(problem(64, ...label, 0), 'FORMERR');
  // To itself, and into the header.
  assert.equal(problem(0xc0, 12), 'FORMERR');
  assert.equal(problem(0xc0, 4), 'FORMERR');
  assert.equal(problem(1, 97, 0xc0, 12), 'FORMERR');
});

test('never throws, and repeats the id of every message that it does not drop', () => {
  const originals = [queryOf(), queryOf({ edns: { options: [subnetOption, cookieOption] } })];
  const messages = fc.oneof(mutationOf(originals), fc.uint8Array({ minLength: 12, maxLength: 64 }));
  check(20_000, messages, (message) => {
    const query = decodeQuery(message);
    if (query !== null) assert.equal(query.id, ((message[0] ?? 0) << 8) | (message[1] ?? 0));
  });
});
