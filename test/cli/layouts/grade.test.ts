/** A grade in the terminal and as JUnit XML. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWorseThan, junitCase, junitSuite, layOut, shorten } from '../../../src/cli/layouts/grade.ts';
import { junitOf } from '../../../src/cli/layouts/junit.ts';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import type { Grade } from '../../../src/lookups/headers-check/schema.ts';
import { bestHeaders } from '../../lookups/headers-check/graded-response.ts';

const site = { url: 'https://a.example/?a=1&b=<2>', finalUrl: 'https://a.example/', status: 200 };
const response = { ...site, method: 'GET', hops: [], headers: {}, setCookies: [] };
const checked = { ...response, grade: grade(response), elapsedMs: 250 };

test('begins with the letter and what failed, and ends with each header to send once', () => {
  const text = layOut(checked, { width: 80, nowMs: 0 });
  assert.match(
    text,
    /^[A-F][+-]? {2}\d+ of 100 {2}https:\/\/a\.example\/ \(200\)\n\nfail {2}-\d+ +Content-Security-Policy: /,
  );
  assert.ok(text.lastIndexOf('\nfail') < text.indexOf('\nnote'), text);
  const headers = text.slice(text.indexOf('\n\nTo change:\n')).match(/^ {4}[\w-]+(?=: )/gm) ?? [];
  assert.ok(headers.length > 5);
  assert.equal(new Set(headers).size, headers.length);
});

test('names what passed, what could be better and what does not apply in at most one row each', () => {
  const rowsOf = (sent: Record<string, string>): readonly string[] =>
    layOut({ ...response, grade: grade({ ...response, headers: sent }), elapsedMs: 1 }, { width: 500, nowMs: 0 })
      .split('\n')
      .filter((line) => /^(?:fail|ok)|Could be better/.test(line));
  const [ok = '', ...others] = rowsOf(bestHeaders);
  assert.deepEqual(others, []);
  assert.match(ok, /^ok +Content-Security-Policy, .*X-Frame-Options$/);
  const { 'referrer-policy': _, ...improvable } = bestHeaders;
  const [better = '', stillOk = '', ...more] = rowsOf(improvable);
  assert.deepEqual(more, []);
  assert.match(better, /^note +Could be better: Referrer-Policy$/);
  assert.match(stillOk, /^ok /);
  assert.doesNotMatch(stillOk, /Referrer-Policy|Cookies/);
});

test('marks warnings apart from notes, and lists changes only if there are any', () => {
  const graded: Grade = { ...grade({ ...response, headers: bestHeaders }), checks: [] };
  const note = { id: 'x', link: null, message: 'Noted.' } as unknown as Grade['notes'][number];
  const textWith = (changed: Partial<Grade>): string =>
    layOut({ ...response, grade: { ...graded, ...changed }, elapsedMs: 1 }, { width: 80, nowMs: 0 });
  const notes = (['warning', 'info'] as const).map((level) => ({ ...note, level }));
  const text = textWith({ notes });
  assert.deepEqual(text.match(/^(?:warn|note)(?= .*Noted\.$)/gm), ['warn', 'note']);
  assert.doesNotMatch(text, /To change:/);
  const [fixable] = checked.grade.checks.filter(
    ({ pass, suggestion }) => !pass && suggestion?.includes('\n') === false,
  );
  assert.ok(fixable);
  const fixed = textWith({ notes: [], checks: [{ ...fixable, recommendation: `Send: ${fixable.suggestion}` }] });
  assert.match(fixed, /\nTo change:\n {4}\S/);
});

test('takes at most 48 lines of 80 columns for a site with six failures, with what each header blocks', () => {
  const bare = { url: 'http://a.example/', finalUrl: 'http://a.example/', status: 200, method: 'GET', hops: [] };
  const headers = { server: 'nginx/1.2.3', 'referrer-policy': 'unsafe-url' };
  const response = { ...bare, headers, setCookies: ['a=b; Path=/'] };
  const graded = grade(response);
  assert.equal(graded.checks.filter(({ pass }) => !pass).length, 6);
  const lines = layOut({ ...response, grade: graded, elapsedMs: 1 }, { width: 80, nowMs: 0 })
    .trimEnd()
    .split('\n');
  assert.ok(lines.length <= 48, `${lines.length} lines`);
});

test('breaks lines at the width of the terminal, except headers to copy', () => {
  for (const width of [40, 60, 80]) {
    const text = layOut(checked, { width, nowMs: 0 });
    const long = text.split('\n').filter((line) => line.length > width && !/^ {4}[\w-]+: /.test(line));
    assert.deepEqual(long, [], `${width} columns`);
  }
});

test('compares grades', () => {
  const letter = checked.grade.grade;
  assert.equal(shorten(checked), letter);
  assert.equal(isWorseThan(letter.toLowerCase())?.(checked), false);
  assert.equal(isWorseThan('a+')?.(checked), true);
  assert.equal(isWorseThan('G'), null);
});

test('is JUnit XML in which only a grade that is too low is a failure', () => {
  const passed = junitOf([junitSuite(checked, null, {})]);
  assert.match(
    passed,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites>\n {2}<testsuite name="https:\/\/a\.example\/\?a=1&#38;b=&#60;2&#62; \(/,
  );
  const cases = passed.match(/<testcase /g)?.length;
  assert.ok(passed.includes(`tests="${cases}" failures="0" errors="0" time="0.25"`));
  assert.equal(passed.match(/<\/testcase>/g)?.length, cases);
  assert.doesNotMatch(passed, /<failure/);
  assert.match(passed, /<system-out>fail: Content-Security-Policy: /);
  const failed = junitOf([junitSuite(checked, 'D is below B', { 'fail-below': 'b' })]);
  assert.match(
    failed,
    /<testcase classname="grade" name="Grade of at least B"><failure message="D is below B">fail: Con/,
  );
  assert.equal(failed.match(/<failure /g)?.length, 1);
  assert.ok(failed.includes('failures="1" errors="0"'));
});

test('names a site without a result as an error', () => {
  const xml = junitOf([
    { name: 'a<b', cases: [{ ...junitCase({ 'fail-below': 'B' }), error: 'The target is "unreachable".' }] },
  ]);
  assert.match(xml, /<testsuite name="a&#60;b" tests="1" failures="0" errors="1">\n/);
  assert.match(xml, /<error message="The target is &#34;unreachable&#34;\."\/><\/testcase>/);
});
