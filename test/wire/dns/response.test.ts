/** Responses of a DNS server, read by the decoder of the lookups and by dns-packet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import { type RecordType, typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import { decodeResponse } from '../../../src/wire/dns/message.ts';
import { decodeQuery, type ReceivedQuery } from '../../../src/wire/dns/query.ts';
import {
  type Answer,
  emptyAnswer,
  encodeResponse,
  encodeTruncated,
  isTruncated,
  type ServedRdata,
} from '../../../src/wire/dns/response.ts';
import { cookieOption, type QueryInput, queryOf, subnetOption } from './messages.ts';

const limits = { maxBytes: 512, bufferBytes: 1232 };
const name = 'wWw.example.com';

const received = (input: QueryInput): ReceivedQuery => {
  const query = decodeQuery(queryOf({ id: 0, name, ...input }));
  assert.ok(query !== null);
  return query;
};
const answerOf = (...data: readonly ServedRdata[]): Answer => ({
  ...emptyAnswer('NOERROR'),
  isAuthoritative: true,
  answers: data.map((rdata) => ({ name, ttl: 7, rdata })),
});
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const soa: ServedRdata = {
  type: 'SOA',
  mname: 'ns.other.example',
  rname: 'hostmaster.example.com',
  serial: 4_294_967_295,
  refresh: 2,
  retry: 3,
  expire: 4,
  minimum: 0,
};
const address: ServedRdata = { type: 'A', address: Uint8Array.of(192, 0, 2, 1) };
const samples: Readonly<Record<string, ServedRdata>> = {
  A: address,
  AAAA: { type: 'AAAA', address: Uint8Array.from({ length: 16 }, (_, at) => at) },
  NS: { type: 'NS', target: 'ns.example.com' },
  TXT: { type: 'TXT', strings: [text('address=192.0.2.1'), text(''), text('x'.repeat(255))] },
  SOA: soa,
};

for (const [type, rdata] of Object.entries(samples))
  test(`the decoder of the lookups reads ${type}`, () => {
    const query = received({ type: typeNumbers[type as RecordType] });
    const bytes = encodeResponse(query, answerOf(rdata, rdata), { ...limits, maxBytes: 1024 });
    const message = decodeResponse(bytes, name.toLowerCase(), type as RecordType);
    assert.ok(message !== null);
    assert.deepEqual(
      message.answers.map(({ name, ttl, readData }) => ({ name, ttl, rdata: readData() })),
      [rdata, rdata].map((rdata) => ({ name, ttl: 7, rdata })),
    );
  });

test('repeats id, opcode, RD and the question byte by byte, and sets AA, not RA', () => {
  const query = received({ id: 0xbeef, bits: 0x0110, type: 255 });
  const hinfo: ServedRdata = { type: 'HINFO', cpu: text('RFC8482'), os: text('') };
  const bytes = encodeResponse(query, answerOf(hinfo), limits);
  const { id, flags, questions, answers, additionals } = decode(Buffer.from(bytes)) as ReturnType<typeof decode> & {
    flags: number;
  };
  assert.deepEqual([id, flags, additionals], [0xbeef, 0x0500, []]);
  assert.deepEqual(questions, [{ name, type: 'ANY', class: 'IN' }]);
  assert.deepEqual(
    answers?.map((answer) => ('data' in answer ? answer.data : null)),
    [{ cpu: 'RFC8482', os: '' }],
  );
  assert.equal(encodeResponse(received({ bits: 0 }), answerOf(), limits)[2], 0x84);
});

test('points to the question instead of repeating names', () => {
  const query = received({});
  const long = encodeResponse(
    query,
    { ...answerOf(soa), answers: [], authorities: [{ name: 'other.org', ttl: 0, rdata: soa }] },
    limits,
  );
  const short = encodeResponse(
    query,
    { ...answerOf(soa), answers: [], authorities: [{ name: 'example.com', ttl: 0, rdata: soa }] },
    limits,
  );
  assert.equal(long.length - short.length, 'other.org'.length);
  assert.deepEqual(decodeResponse(short, name.toLowerCase(), 'A')?.authorities[0]?.readData(), soa);
  // Not part of a label, and not where escapes move positions.
  for (const [asked, owner] of [
    ['myexample.com', 'example.com'],
    ['a\\.b.example.com', 'example.com'],
    ['.', '.'],
  ] as const) {
    const bytes = encodeResponse(
      received({ name: asked }),
      { ...answerOf(), answers: [{ name: owner, ttl: 0, rdata: soa }] },
      limits,
    );
    assert.equal(decodeResponse(bytes, asked, 'A')?.answers[0]?.name, owner);
  }
});

interface DecodedOpt {
  readonly udpPayloadSize: number;
  readonly ednsVersion: number;
  readonly flags: number;
  readonly extendedRcode: number;
  readonly options: readonly { readonly code: number; readonly scopePrefixLength: number }[];
}

function optOf(query: ReceivedQuery, answer: Answer): DecodedOpt {
  const [opt] = decode(Buffer.from(encodeResponse(query, answer, limits))).additionals ?? [];
  return opt as unknown as DecodedOpt;
}

test('has EDNS exactly if the query has: version 0, DO, the client subnet with its scope, nothing else', () => {
  const query = received({ edns: { dnssecOk: true, options: [cookieOption, subnetOption, [100, [1]]] } });
  const own = optOf(query, { ...answerOf(), isForSubnet: true });
  assert.deepEqual([own.udpPayloadSize, own.ednsVersion, own.flags, own.extendedRcode], [1232, 0, 0x8000, 0]);
  const scopesOf = ({ options }: DecodedOpt) => options.map(({ code, scopePrefixLength }) => [code, scopePrefixLength]);
  assert.deepEqual(scopesOf(own), [[8, 24]]);
  assert.deepEqual(scopesOf(optOf(query, answerOf())), [[8, 0]]);
  const badVersion = optOf(received({ edns: { version: 1 } }), emptyAnswer('BADVERS'));
  assert.deepEqual([badVersion.ednsVersion, badVersion.extendedRcode], [0, 1]);
});

test('a response to a malformed query is its header only', () => {
  const query = decodeQuery(queryOf({ questions: 2, edns: {} }));
  assert.ok(query !== null);
  assert.deepEqual(
    [...encodeResponse(query, emptyAnswer('FORMERR'), limits)],
    [0x12, 0x34, 0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0],
  );
});

test('what does not fit has TC, no records, and at most the size of the query', () => {
  for (const edns of [null, {}, { options: [subnetOption] }, { version: 1 }]) {
    const input = { id: 0, name, edns };
    const answer = answerOf(...Array.from({ length: 30 }, () => address));
    const bytes = encodeResponse(received(input), answer, limits);
    assert.ok(isTruncated(bytes));
    assert.deepEqual(bytes, encodeTruncated(received(input), answer, limits));
    assert.ok(bytes.length <= queryOf(input).length);
    const { answers, authorities, flags } = decode(Buffer.from(bytes)) as ReturnType<typeof decode> & { flags: number };
    assert.deepEqual([answers, authorities, flags & 0x0400], [[], [], 0x0400]);
    const whole = encodeResponse(received(input), answer, { ...limits, maxBytes: 65_535 });
    assert.ok(!isTruncated(whole) && whole.length > 512);
  }
});

test('a response of exactly the permitted length is whole, and a longer one has TC', () => {
  const query = received({ type: typeNumbers.A });
  const whole = encodeResponse(query, answerOf(address), limits);
  assert.ok(!isTruncated(encodeResponse(query, answerOf(address), { ...limits, maxBytes: whole.length })));
  assert.ok(isTruncated(encodeResponse(query, answerOf(address), { ...limits, maxBytes: whole.length - 1 })));
});
