/** The grades agree with those of the HTTP Observatory, algorithm 6, for synthetic sets of headers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import { responseOf } from './graded-response.ts';

/** `hops` are the redirects before the final response; `checks` are in the order of ours, each with its points. */
interface CalibrationSet {
  readonly url: string;
  readonly finalUrl?: string;
  readonly hops?: readonly { readonly url: string; readonly status: number; readonly location: string }[];
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  readonly expect: {
    readonly score: number;
    readonly grade: string;
    readonly checks: readonly (readonly [result: string, points: number])[];
  };
}

const sets = readFileSync(new URL('header-grades.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): CalibrationSet => JSON.parse(line));

/** Sets whose only cookies are deletions, which the Observatory grades. */
const onlyDeleted = (set: CalibrationSet): boolean =>
  set.setCookies.includes('z=1; Secure; Max-Age=0; SameSite=Lax') &&
  set.setCookies.every((cookie) => cookie.startsWith('z=') || cookie.startsWith('heroku-session-affinity='));

const graded = sets.map((set) => {
  const { url, finalUrl = url, hops = [], headers, setCookies } = set;
  const final = { url: finalUrl, status: 200, location: null };
  return { set, ours: grade(responseOf({ url, finalUrl, hops: [...hops, final], headers, setCookies })) };
});

test('agrees in score and grade for all 400 sets', () => {
  assert.equal(graded.length, 400);
  for (const { set, ours } of graded) {
    const { score, grade } = set.expect;
    assert.deepEqual({ score: ours.score, grade: ours.grade }, { score, grade }, JSON.stringify(set));
  }
});

/** The Observatory accepts these as six months or longer. */
const unreadableMaxAge = ({ headers }: CalibrationSet): boolean =>
  /max-age=(?!-?\d)/i.test(headers['strict-transport-security'] ?? '');

test('agrees in every check, except deleted cookies and a max-age that is not a number', () => {
  let deleted = 0;
  for (const { set, ours } of graded) {
    const theirs = ours.checks.map(({ id, result, scoreImpact }, at) => {
      if (id !== 'cookies' || !onlyDeleted(set)) return set.expect.checks[at];
      deleted++;
      assert.deepEqual(set.expect.checks[at], ['cookies-secure-with-httponly-sessions-and-samesite', 5]);
      return result === 'cookies-not-found' ? [result, scoreImpact] : null;
    });
    const found = ours.checks.map(({ result, scoreImpact }) => [result, scoreImpact]);
    assert.deepEqual(found, theirs, JSON.stringify(set));
  }
  assert.equal(deleted, 6);
  assert.equal(sets.filter(unreadableMaxAge).length, 0);
});
