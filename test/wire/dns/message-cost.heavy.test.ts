/** Time that hostile DNS messages take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DnsRecord } from '../../../src/lookups/dns/schema.ts';
import { cpuClock, momentMs } from '../../cpu-time.ts';
import { decodeResponse, encodeCompressedResponse, encodeResponse, randomRecords } from '../../lookups/dns/messages.ts';
import { checkDrawn } from '../../random.ts';

const Strict = DnsRecord.strict();

test('reads 64 KB of chained pointers and wrong counts in bounded time', () => {
  // Each name is a pointer to the previous one, up to 16 KB back, repeatedly.
  const chained = [0, 0, 0x81, 0x80, 0, 1, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 1, 0, 1];
  const pointers = Uint8Array.from({ length: 65_535 }, (_, at) => {
    const behind = at - ((at - chained.length) % 2) - 2;
    return chained[at] ?? ((at - chained.length) % 2 === 0 ? 0xc0 | (behind >> 8) : behind & 255);
  });
  const owner = Array.from({ length: 127 }, () => [1, 0x62]).flat();
  const question = [...owner.slice(2), 0, 0, 1, 0, 1];
  const many = Uint8Array.from([
    ...[0, 0, 0x81, 0x80, 0, 1, 0x0f, 0xff, 0, 0, 0, 0],
    ...question,
    ...Array.from({ length: 4095 }, () => [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 0, 0, 2, 0xc0, 12]).flat(),
  ]);
  const name = Array<string>(126).fill('b').join('.');
  const cpuMs = cpuClock();
  assert.equal(decodeResponse(pointers, '.', 'A'), null);
  assert.equal(decodeResponse(many, name, 'A')?.answers.length, 4095);
  assert.ok(cpuMs() < 2000);
});

test('returns null or a valid message for mutations and random octets', () => {
  let rejected = 0;
  let slowestMs = 0;
  const rounds = checkDrawn(20_000, (values) => {
    const draw = randomRecords(values);
    const { below } = draw;
    const input = {
      name: 'example.com',
      type: 'A' as const,
      answers: [draw.record(), draw.record()],
      authorities: [draw.record()],
    };
    let bytes = below(4) === 0 ? encodeResponse(input) : encodeCompressedResponse(input);
    if (below(10) === 0) bytes = Uint8Array.from([...bytes.subarray(0, 29), ...draw.octets(300)]);
    for (let change = below(4); change >= 0; change -= 1) bytes[29 + below(bytes.length - 29)] = below(256);
    if (below(4) === 0) bytes = bytes.subarray(0, below(bytes.length + 1));
    const cpuMs = cpuClock();
    const read = decodeResponse(bytes, 'example.com', 'A');
    slowestMs = Math.max(slowestMs, cpuMs());
    if (read === null) rejected += 1;
    else
      for (const record of [...read.answers, ...read.authorities]) {
        assert.deepEqual(Strict.parse(record), record);
        assert.doesNotMatch(`${record.name}${record.data}`, /[\p{C}\p{Zl}\p{Zp}]/u);
      }
  });
  assert.ok(rejected > 0.2 * rounds && rejected < 0.9 * rounds, `${rejected} of ${rounds} rejected`);
  assert.ok(slowestMs < momentMs(), `${slowestMs} ms`);
});
