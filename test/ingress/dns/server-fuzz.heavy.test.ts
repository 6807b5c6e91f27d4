/** Fuzzes the DNS server over UDP and TCP with queries: valid ones, changed ones, and random bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { queryTypes, typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import { decodeQuery } from '../../../src/wire/dns/query.ts';
import { mutationOf, skipUnlessAll } from '../../random.ts';
import { cookieOption, type QueryInput, queryOf, subnetOption } from '../../wire/dns/messages.ts';
import { connectTo, endOf, framed, openServer, sendDatagrams, zone } from './dns-server.ts';

const seconds = Number(process.env.SEENBY_FUZZ_SECONDS ?? (skipUnlessAll === false ? 10 : 2));
const seed = Number(process.env.SEENBY_FUZZ_SEED ?? Date.now() % 2 ** 31);
const perBatch = 50;
const runsPerSeed = 10;

const label = fc.constantFrom(
  'whoami',
  'WhoAmI',
  '1-0123456789abcdef',
  '_https',
  'x',
  'a\\.b',
  '\\000\\255',
  'x'.repeat(63),
);
const name = fc.array(label, { maxLength: 3 }).map((labels) => [...labels, zone].join('.'));
const option = fc.oneof(
  fc.constantFrom(subnetOption, cookieOption),
  fc.tuple(fc.constantFrom(3, 8, 10, 12, 100), fc.array(fc.nat(255), { maxLength: 24 })),
);
const valid: fc.Arbitrary<QueryInput> = fc.record({
  bits: fc.constantFrom(0, 0x0100, 0x0110, 0x7800, 0x8000),
  name: fc.oneof(name, fc.constantFrom('.', 'other.example', `x${zone}`)),
  type: fc.oneof(fc.constantFrom(...Object.values(typeNumbers), ...Object.values(queryTypes)), fc.nat(65_535)),
  class: fc.constantFrom(1, 1, 1, 3, 255),
  questions: fc.constantFrom(1, 1, 1, 0, 2),
  edns: fc.option(
    fc.record({
      version: fc.constantFrom(0, 0, 0, 1),
      bufferBytes: fc.constantFrom(0, 512, 1232, 65_535),
      dnssecOk: fc.boolean(),
      options: fc.array(option, { maxLength: 3 }),
    }),
    { nil: null },
  ),
});
const message: fc.Arbitrary<Uint8Array> = fc.oneof(
  valid.map(queryOf),
  valid.map(queryOf).chain((query) => mutationOf([query])),
  fc.uint8Array({ maxLength: 80 }),
);

test('answers what is a query, within its bounds, whatever else arrives', async (context) => {
  context.diagnostic(`seed ${seed}`);
  const { port, counts } = await openServer(context);
  let sent = 0;
  let answered = 0;
  const property = fc.asyncProperty(
    fc.array(message, { minLength: perBatch, maxLength: perBatch }),
    async (messages) => {
      // Its place is the id of each message, by which its response is found.
      const numbered = messages.map((each, at) =>
        Uint8Array.from(each, (octet, place) => (place === 0 ? 0 : place === 1 ? at : octet)),
      );
      const responses = await sendDatagrams(port, numbered);
      for (const response of responses) {
        const query = numbered[response.readUInt16BE(0)];
        assert.ok(query !== undefined && (response[2] ?? 0) >= 0x80);
        assert.ok(response.length <= 512 && response.length <= 6 * query.length);
      }
      const queries = numbered.filter((each) => decodeQuery(each) !== null);
      assert.equal(responses.length, queries.length);
      const socket = await connectTo(port);
      const ended = endOf(socket.resume());
      socket.end(Buffer.concat(numbered.map(framed)));
      await ended;
      sent += numbered.length;
      answered += responses.length;
    },
  );
  // Not fast-check's own time limit, which leaves a run behind whose server has gone.
  const endMs = performance.now() + 1_000 * seconds;
  for (let round = 0; performance.now() < endMs; round += 1)
    await fc.assert(property, { seed: seed + round, numRuns: runsPerSeed });
  context.diagnostic(`${sent} messages, ${answered} responses over UDP`);
  assert.ok(answered > perBatch && answered < sent);
  assert.deepEqual(
    Object.keys(counts).filter((result) => /error|SERVFAIL/i.test(result) && result !== 'NOERROR'),
    [],
  );
});
