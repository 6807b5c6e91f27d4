/** For any response of a site, grading ends in time with a valid result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import type { GradedResponse } from '../../../src/lookups/headers-check/schema.ts';
import { Grade } from '../../../src/lookups/headers-check/schema.ts';
import { cpuClock, momentMs } from '../../cpu-time.ts';
import { check, textOf } from '../../random.ts';
import { responseOf, routeOf } from './graded-response.ts';

const names = [
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'permissions-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
  'x-xss-protection',
  'content-type',
  'server',
];

/** Fragments with a meaning for one of the parsers, and some without. */
const pieces = [
  ...' ;,="\'\\/:*%[(\t\u0000\n\u2028é😀\ud800',
  ...["'self'", "'none'", "'unsafe-inline'", "'strict-dynamic'", "'nonce-a'"],
  ...'; |, |%zz|https:|http://b.example|*.example|data:|script-src |frame-ancestors|same-origin;a="'.split('|'),
  ...'default-src object-src report-to -src __proto__ constructor max-age= 31536000 preload nosniff deny'.split(' '),
  ...'require-corp no-referrer text/html -1 session= __Host- __Secure- csrf Secure SameSite= Lax'.split(' '),
  ...'Domain= a.example co.uk Path=/ Expires='.split(' '),
];

const sites = [
  responseOf(),
  responseOf({ url: 'http://a.example/', status: 503 }),
  responseOf(routeOf('http://a.example/', 'https://www.a.example/x')),
  responseOf({ url: 'https://[2606:4700::1111]/' }),
  responseOf({ url: '', hops: [] }),
];

/** Grades; fails if that throws, violates the schema or takes too long. */
function gradeInTime(changed: Partial<GradedResponse>): void {
  const response = responseOf(changed);
  const cpuMs = cpuClock();
  const result = grade(response);
  const tookMs = cpuMs();
  assert.deepEqual(Grade.parse(result), result);
  assert.ok(tookMs < momentMs(), `took ${tookMs} ms`);
  const { notes, checks } = result;
  assert.ok(notes.length < 40 && notes.every(({ message }) => message.length < 1000));
  assert.ok(checks.every(({ value }) => value === null || value.length <= 4096));
}

test('grades random responses', () => {
  const text = textOf(pieces, 13);
  const headers: fc.Arbitrary<Record<string, string>> = fc.dictionary(fc.constantFrom(...names), text, {
    maxKeys: names.length,
  });
  const response = fc.record({
    site: fc.constantFrom(...sites),
    headers,
    setCookies: fc.array(text, { maxLength: 3 }),
  });
  check(3000, response, ({ site, headers, setCookies }) => gradeInTime({ ...site, headers, setCookies }));
});

/** `unit` repeated up to 32 KB. */
const filled = (unit: string): string => unit.repeat(Math.ceil(32_768 / unit.length)).slice(0, 32_768);
const numbered = (before: string, count: number, unit: (at: number) => string): string =>
  before + Array.from({ length: count }, (_, at) => unit(at)).join('');

test('grades headers of 32 KB', () => {
  const values = [
    ...[...pieces.map(filled), filled(' '), filled('a ;'), filled('script-src * ;'), filled('img-src x,')],
    ...[filled('"\\'), filled(';a="'), filled('max-age=1;'), filled("'nonce-"), filled('https://a.b/'), filled('x/')],
    `default-src ${filled("' ")}`,
    `script-src ${filled('https://*.b.example ')}`,
    numbered('script-src', 10_000, (at) => ` h${at}`),
    numbered('', 10_000, (at) => `d${at};`),
    numbered('script-src', 2000, (at) => ` ${'x'.repeat(at % 12)}`),
    numbered('img-src', 2000, (at) => ` h${at}`) + numbered(',img-src', 2000, (at) => ` h${at}`) + filled(',img-src b'),
  ];
  for (const value of values) {
    gradeInTime({ headers: Object.fromEntries(names.map((name) => [name, value])), setCookies: [value, `a=${value}`] });
  }
});

test('grades 200 cookies, each of 1 KB', () => {
  for (const unit of [' ', ';', '=', 'x', 'Domain=.a.example;', 'Expires=1;', 'SameSite=;']) {
    const setCookies = Array.from({ length: 200 }, (_, at) => `session${at}=a; ${filled(unit).slice(0, 1024)}`);
    gradeInTime({ setCookies });
  }
});

test('takes linear time for a policy four times as long', () => {
  const policy = (sources: number): Partial<GradedResponse> => ({
    headers: { 'content-security-policy': numbered('default-src', sources, (at) => ` https://h${at}.example`) },
  });
  const fastest = (changed: Partial<GradedResponse>): number => {
    const times = Array.from({ length: 15 }, () => {
      const cpuMs = cpuClock();
      grade(responseOf(changed));
      return cpuMs();
    });
    return Math.min(...times);
  };
  const short = fastest(policy(350));
  const long = fastest(policy(1400));
  assert.ok(long < short * 12 + 5, `${short} ms, then ${long} ms`);
});
