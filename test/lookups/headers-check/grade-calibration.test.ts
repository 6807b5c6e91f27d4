/** The grades agree with those of the HTTP Observatory, algorithm 6, for synthetic sets of headers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checks } from '../../../src/lookups/headers-check/data/checks.ts';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import { responseOf } from './graded-response.ts';

/** `hops` are the redirects before the final response; `checks` are their results with points, in any order. */
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

/** The check that each result belongs to. */
const checkOf = new Map(
  Object.entries(checks).flatMap(([id, { outcomes }]) => Object.keys(outcomes).map((result) => [result, id] as const)),
);

test('agrees in every check, except deleted cookies and a max-age that is not a number', () => {
  let deleted = 0;
  for (const { set, ours } of graded) {
    // By name, so that a check of ours that the Observatory does not have changes nothing here.
    const found = new Map(ours.checks.map(({ id, result, scoreImpact }) => [id as string, [result, scoreImpact]]));
    for (const theirs of set.expect.checks) {
      const id = checkOf.get(theirs[0]) ?? assert.fail(`no check has the result ${theirs[0]}`);
      if (id === 'cookies' && onlyDeleted(set)) {
        deleted++;
        assert.deepEqual(theirs, ['cookies-secure-with-httponly-sessions-and-samesite', 5]);
        assert.equal(found.get(id)?.[0], 'cookies-not-found');
      } else assert.deepEqual(found.get(id), theirs, `${id}: ${JSON.stringify(set)}`);
    }
  }
  assert.equal(deleted, 6);
  assert.equal(sets.filter(unreadableMaxAge).length, 0);
});

test('has a result for each check in each set', () => {
  for (const { set } of graded) {
    const ids = set.expect.checks.map(([result]) => checkOf.get(result));
    assert.equal(new Set(ids).size, 11, JSON.stringify(set));
  }
});
