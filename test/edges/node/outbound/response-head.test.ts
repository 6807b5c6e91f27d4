/** Reads heads that break the rules of HTTP/1.1 as browsers do; test/browser/malformed-response.test.ts asks Chromium. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { endOfHead, parseHead } from '../../../../src/edges/node/outbound/response-head.ts';
import { check, textOf } from '../../../random.ts';
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

test('finds nothing wrong with heads that keep the rules', () => {
  const name = textOf([...'abcXYZ019', '-', '_', '!'], 12, 1);
  const value = textOf([...'abc019 ;,="é', "'self'", '\t'], 20).map((text) => text.trim());
  const fields = fc.array(fc.tuple(name, value), { maxLength: 8 });
  check(5000, fields, (sent) => {
    const text = latin1(`HTTP/1.1 404 Not Found\r\n${sent.map((field) => `${field.join(': ')}\r\n`).join('')}\r\n`);
    assert.equal(endOfHead(text, 0), text.length);
    const { status, fields, malformed } = parseHead(text) ?? assert.fail(text);
    assert.deepEqual([status, malformed], [404, []], text);
    const expected = Map.groupBy(sent, ([name]) => name.toLowerCase());
    assert.deepEqual(
      { ...fields },
      Object.fromEntries([...expected].map(([name, group]) => [name, group.map(([, value]) => latin1(value))])),
    );
  });
});

test('rejects what does not begin with a status that browsers accept', () => {
  for (const text of [
    '',
    '<p>',
    'ICY 200 OK\r\n\r\n',
    'HTTP/1.1 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/1.1 099 OK\r\n\r\n',
  ])
    assert.equal(parseHead(text), null, text);
});

test('finds the end of a head behind an empty line, also before the status', () => {
  assert.equal(endOfHead('HTTP/1.1 200 OK\r\nX: 1\r\n', 0), -1);
  assert.equal(endOfHead('\r\n\r\n HTTP/1.1 200 OK\r\n\r\nbody\r\n\r\n', 0), 24);
  assert.equal(endOfHead('HTTP/1.1 200 OK\n\nbody', 0), 17);
  assert.equal(endOfHead('1\n\n2\n\n3', 3), 6);
});
