/** A grade in the terminal and as JUnit XML. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWorseThan, junitOf, layOut, shorten } from '../../../src/cli/layouts/grade.ts';
import { grade } from '../../../src/lookups/headers-check/grade.ts';

const site = { url: 'https://a.example/?a=1&b=<2>', finalUrl: 'https://a.example/', status: 200 };
const response = { ...site, method: 'GET', hops: [], headers: {}, setCookies: [] };
const checked = { ...response, grade: grade(response), elapsedMs: 250 };

test('begins with the letter, prints each check once, and ends with what to change', () => {
  const text = layOut(checked, { width: 80, nowMs: 0 });
  assert.match(text, /^[A-F][+-]? {2}\d+ of 100 {2}https:\/\/a\.example\/ \(200\)\n\n/);
  assert.match(text, /^fail {2}-\d+ +Content-Security-Policy/m);
  assert.match(text, /^note +Referrer-Policy/m);
  assert.match(text, /\n\nTo change:\nContent-Security-Policy/);
  assert.ok(text.split('\n').every((line) => line.length <= 80 || line.startsWith('    ')));
});

test('compares grades', () => {
  const letter = checked.grade.grade;
  assert.equal(shorten(checked), letter);
  assert.equal(isWorseThan(letter.toLowerCase())?.(checked), false);
  assert.equal(isWorseThan('a+')?.(checked), true);
  assert.equal(isWorseThan('G'), null);
});

test('is valid JUnit XML with escaped values', () => {
  const xml = junitOf([checked]);
  assert.match(
    xml,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites>\n {2}<testsuite name="https:\/\/a\.example\/\?a=1&#38;b=&#60;2&#62; \(/,
  );
  const cases = xml.match(/<testcase /g)?.length;
  const failures = xml.match(/<failure /g)?.length;
  assert.ok(xml.includes(`tests="${cases}" failures="${failures}" time="0.25"`));
  assert.equal(xml.match(/<\/testcase>/g)?.length, cases);
});
