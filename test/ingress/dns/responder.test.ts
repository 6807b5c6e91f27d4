/** Responses within the bounds of their transport: no amplifier over UDP, whole ones over TCP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Responder, type Sender } from '../../../src/ingress/dns/responder.ts';
import { queryTypes, typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import { isTruncated, type ServedRdata } from '../../../src/wire/dns/response.ts';
import { cookieOption, queryOf, subnetOption } from '../../wire/dns/messages.ts';
import { answer, optionsOf, zone } from './dns-server.ts';

const overUdp: Sender = { address: '198.51.100.7', port: 4242, transport: 'udp' };
const overTcp: Sender = { ...overUdp, transport: 'tcp' };
const rcodeOf = (response: Uint8Array | null): number => (response?.[3] ?? 0xff) & 0xf;

/** An answer of about so many bytes. */
const longAnswer = (bytes: number) => () => {
  const rdata: ServedRdata = { type: 'TXT', strings: [new Uint8Array(100)] };
  return {
    ...answer({ ...overUdp, name: zone, type: typeNumbers.SOA, class: 1, edns: null }),
    answers: Array.from({ length: Math.ceil(bytes / 113) }, () => ({ name: zone, ttl: 0, rdata })),
  };
};

test('over UDP, no response exceeds 512 bytes or six times its query, whatever it asks for', () => {
  const { options } = optionsOf({ responsesPerSecond: 0 });
  const responders = [
    new Responder(options),
    ...[200, 400, 600, 60_000].map((bytes) => new Responder({ ...options, answer: longAnswer(bytes) })),
  ];
  const ednsOf = [null, {}, { dnssecOk: true, bufferBytes: 65_535, options: [subnetOption, cookieOption] }];
  const names = [
    zone,
    `whoami.${zone}`,
    `1-0123456789abcdef.${zone}`,
    '.',
    'other.example',
    `${'x'.repeat(63)}.${zone}`,
  ];
  for (const responder of responders)
    for (const name of names)
      for (const type of [...Object.values(typeNumbers), queryTypes.ANY, 1000])
        for (const edns of ednsOf) {
          const query = queryOf({ name, type, edns });
          const response = responder.respond(query, overUdp);
          assert.ok(
            response !== null && response.length <= 512 && response.length <= 6 * query.length,
            `${name} ${type}`,
          );
        }
});

test('an answer that is too long has TC over UDP, and is whole over TCP', () => {
  const { options, counts } = optionsOf({ answer: longAnswer(3_000) });
  const responder = new Responder(options);
  const query = queryOf({ name: zone, edns: { bufferBytes: 4_096 } });
  const udp = responder.respond(query, overUdp);
  const tcp = responder.respond(query, overTcp);
  assert.ok(udp && isTruncated(udp) && udp.length <= query.length);
  assert.ok(tcp && !isTruncated(tcp) && tcp.length > 3_000);
  assert.deepEqual(counts, { truncated: 1, NOERROR: 1 });
});

test('above the rate of a network, responses are no larger than their queries, and above four times that only one query in four gets one', () => {
  const { options, counts } = optionsOf({ responsesPerSecond: 10 });
  const responder = new Responder(options);
  const query = queryOf({ name: `whoami.${zone}`, type: typeNumbers.TXT, edns: {} });
  // From all addresses of one /24, within less than a second unless this machine stands still.
  const responses = Array.from({ length: 60 }, (_, at) =>
    responder.respond(query, { ...overUdp, address: `198.51.100.${at}` }),
  );
  const whole = responses.filter((each) => each !== null && !isTruncated(each));
  const short = responses.filter((each) => each !== null && isTruncated(each));
  assert.deepEqual([whole.length, short.length], [10, 35]);
  assert.ok(short.every((each) => each !== null && each.length <= query.length));
  assert.deepEqual(counts, { NOERROR: 10, limited: 35, dropped: 15 });
  const others = [{ ...overUdp, address: '198.51.101.1' }, { ...overUdp, address: '2001:db8::1' }, overTcp];
  for (const sender of others)
    assert.equal(isTruncated(responder.respond(query, sender) ?? new Uint8Array([0, 0, 2])), false);
});

test('hands out each query with its sender, also those whose response is not whole', () => {
  const observed: unknown[] = [];
  const { options } = optionsOf({
    responsesPerSecond: 1,
    answer(query) {
      observed.push(query);
      return answer(query);
    },
  });
  const responder = new Responder(options);
  const query = queryOf({ name: 'wHoAmI.dns.seen.example', type: 16, edns: { dnssecOk: true } });
  responder.respond(query, overUdp);
  responder.respond(query, overUdp);
  const edns = { version: 0, bufferBytes: 1232, dnssecOk: true, hasCookie: false, clientSubnet: null };
  const expected = { ...overUdp, name: 'wHoAmI.dns.seen.example', type: 16, class: 1, edns };
  assert.deepEqual(observed, [expected, expected]);
  assert.deepEqual(structuredClone(observed), observed);
});

test('answers what is malformed or not supported without asking for an answer', () => {
  const { options, counts } = optionsOf({ answer: () => assert.fail('asked') });
  const responder = new Responder(options);
  const messages = [
    queryOf({ questions: 2 }),
    queryOf({ bits: 0x7800 }),
    queryOf({ edns: { version: 1 } }),
    queryOf({ bits: 0x8000 }),
    new Uint8Array(11),
  ];
  const responses = messages.map((message) => responder.respond(message, overUdp));
  assert.deepEqual(
    responses.map((each) => (each === null ? null : rcodeOf(each))),
    [1, 4, 0, null, null],
  );
  assert.deepEqual(counts, { FORMERR: 1, NOTIMP: 1, BADVERS: 1, ignored: 2 });
});

test('an error of the answer is reported, and the client gets SERVFAIL', () => {
  const { options, counts } = optionsOf({
    answer() {
      throw new Error('defect');
    },
  });
  assert.equal(rcodeOf(new Responder(options).respond(queryOf(), overUdp)), 2);
  assert.deepEqual(counts, { 'Error: defect': 1, SERVFAIL: 1 });
});
