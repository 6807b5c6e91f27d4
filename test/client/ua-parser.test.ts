/** The parser with a choice of rules finds what ua-parser-js finds with all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { UAParser } from 'ua-parser-js';
import { uaParserLiterals } from '../../src/client/data/generated/ua-parser-literals.ts';
import { parserOf, parserParts, readRules } from '../../src/client/ua-parser.ts';
import { check } from '../random.ts';
import { corpus, fixtures } from './fixtures.ts';

const samples = [...fixtures.map(({ raw }) => raw), ...corpus.map(({ headers }) => headers['user-agent'] ?? '')];

const read = (
  parser: Pick<ReturnType<typeof parserOf>, 'getBrowser' | 'getCPU' | 'getDevice' | 'getEngine' | 'getOS'>,
) => [parser.getBrowser(), parser.getCPU(), parser.getDevice(), parser.getEngine(), parser.getOS()];

test('the package appends its rules to those of its second parameter, on which the choice relies', () => {
  const rules = readRules();
  for (const part of parserParts) assert.ok(rules.filter((each) => each.part === part).length >= 9, part);
  assert.equal(rules.length, uaParserLiterals.length);
});

test('finds the same as all rules in every listed User-Agent', () => {
  for (const raw of samples) assert.deepEqual(read(parserOf(raw)), read(new UAParser(raw)), raw);
});

test('finds the same as all rules in a User-Agent with a part of another', () => {
  const mixture = fc.record({
    one: fc.constantFrom(...samples),
    other: fc.constantFrom(...samples),
    at: fc.nat(500),
    from: fc.nat(500),
    length: fc.integer({ min: 1, max: 60 }),
  });
  check(20 * samples.length, mixture, ({ one, other, at, from, length }) => {
    const raw = (one.slice(0, at) + other.slice(from, from + length) + one.slice(at)).slice(0, 500);
    assert.deepEqual(read(parserOf(raw)), read(new UAParser(raw)), raw);
  });
});
