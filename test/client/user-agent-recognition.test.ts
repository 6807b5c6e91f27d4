/** Recognition does not become worse than in the last release, in any field. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Field, fields, readCorpus, resultOf } from '../../bench/corpus/corpus.ts';
import { userAgent } from '../../src/client/user-agent.ts';

/** Right values of version 1.3.0 on the whole corpus in percent, measured on 2026-11-29. At each release, write those of the new one. */
const lastRelease: Readonly<Record<Field, number>> = {
  browser: 100,
  engine: 100,
  os: 100,
  type: 99.8,
  vendor: 100,
  model: 99.8,
  kind: 100,
  bot: 100,
  operator: 100,
};

const tolerance = 0.3;

const cases = ['recognition', 'held-out'].flatMap((part) =>
  readCorpus(readFileSync(new URL(`../../bench/corpus/${part}.tsv`, import.meta.url), 'utf8')),
);
const results = cases.map(({ headers, expected }) => ({ expected, found: resultOf(userAgent(headers)) }));

for (const field of fields) {
  test(`recognizes ${field} at least as often as the last release`, () => {
    assert.ok(cases.length >= 600);
    const right = results.filter(({ expected, found }) => expected[field] === found[field]).length;
    const share = (100 * right) / cases.length;
    assert.ok(share >= lastRelease[field] - tolerance, `${share.toFixed(1)} %, before ${lastRelease[field]} %`);
  });
}
