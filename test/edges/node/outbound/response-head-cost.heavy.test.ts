/** Time that hostile heads of responses take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfHead, parseHead } from '../../../../src/edges/node/outbound/response-head.ts';
import { cpuClock, momentMs } from '../../../cpu-time.ts';
import { malformedHeads } from './malformed-heads.ts';

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

for (const [name, { head, kinds, values }] of Object.entries(malformedHeads))
  test(`reads a head of the kind ${name}`, () => {
    const octets = latin1(head);
    const parsed = parseHead(octets.slice(0, endOfHead(octets, 0))) ?? assert.fail('no head');
    assert.equal(parsed.status, 200);
    assert.deepEqual([...new Set(parsed.malformed.map(({ kind }) => kind))].sort(), [...kinds].sort());
    assert.deepEqual([parsed.fields['x-a']?.[0] ?? null, parsed.fields['x-b']?.[0] ?? null], values);
    assert.deepEqual(parsed.fields['x-last'], ['1']);
  });

test('names the header of each malformed line', () => {
  const namesOf = (name: string) =>
    parseHead(latin1(malformedHeads[name]?.head ?? ''))?.malformed.map((line) => line.name);
  assert.deepEqual(namesOf('folded'), ['X-A']);
  assert.deepEqual(namesOf('policyInLines'), ['X-A', "script-src 'self';"]);
  assert.deepEqual(namesOf('nameWithSpace'), ['X A']);
  const long = parseHead(`HTTP/1.1 200 OK\r\n${'x '.repeat(5000)}\r\n${'y\r\n'.repeat(1000)}\r\n`);
  assert.equal(long?.malformed[0]?.name.length, 100);
  assert.equal(long?.malformed.length, 20);
});

test('reads hostile heads of 32 KB in time', () => {
  for (const unit of [
    ' ',
    '\t\n',
    '\n ',
    ':\n',
    'a:\n',
    'a: b\n c\n',
    '\r',
    'x',
    '\0',
    'content-length: 1\n',
    ' :',
    'é\n',
  ]) {
    const text = `HTTP/1.1 200 OK\n${unit.repeat(32_768 / unit.length)}\n\n`;
    const cpuMs = cpuClock();
    assert.equal(parseHead(text)?.status, 200);
    endOfHead(text, 0);
    const tookMs = cpuMs();
    assert.ok(tookMs < momentMs(), `${JSON.stringify(unit)} took ${tookMs} ms`);
  }
});
