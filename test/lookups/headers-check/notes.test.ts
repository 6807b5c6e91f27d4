/** The notes: what is said of a response beside its points. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import type { GradedResponse } from '../../../src/lookups/headers-check/header-check.ts';
import { responseOf, routeOf } from './graded-response.ts';

/** The notes of a response, but for the two that nearly every response here has. */
function notesOf(changed: Partial<GradedResponse>): Record<string, string> {
  const { notes } = grade(responseOf(changed));
  const told = notes.filter(({ id }) => id !== 'permissions-policy-absent' && id !== 'bonus-withheld');
  return Object.fromEntries(told.map(({ id, message }) => [id, message]));
}

const idsOf = (headers: Record<string, string>): string[] => Object.keys(notesOf({ headers }));
const csp = (value: string) => notesOf({ headers: { 'content-security-policy': value } });

test('says nothing of a response that gives no reason', () => {
  const headers = { 'permissions-policy': 'camera=()', server: 'nginx', 'x-xss-protection': '0' };
  assert.deepEqual(grade(responseOf({ headers })).notes, []);
});

test('misses Permissions-Policy', () => {
  const [note] = grade(responseOf()).notes;
  assert.deepEqual([note?.id, note?.level], ['permissions-policy-absent', 'info']);
});

test('names the headers that reveal software, server only with a version', () => {
  assert.deepEqual(idsOf({ server: 'nginx' }), []);
  const { 'software-revealed': message = '' } = notesOf({ headers: { server: 'nginx/1.2', 'x-powered-by': 'PHP' } });
  assert.match(message, /by: server, x-powered-by\./);
});

test('names obsolete headers, X-XSS-Protection unless it is 0', () => {
  for (const name of ['expect-ct', 'feature-policy', 'pragma', 'public-key-pins', 'x-xss-protection']) {
    assert.match(notesOf({ headers: { [name]: '1' } })['deprecated-header'] ?? '', new RegExp(`^${name} is obsolete`));
  }
  assert.deepEqual(idsOf({ 'x-xss-protection': '0' }), []);
});

test('says whether HSTS is fit for the preload lists, where it asks for them', () => {
  const of = (value: string, site: Partial<GradedResponse> = {}) =>
    Object.keys(notesOf({ ...site, headers: { 'strict-transport-security': value } }));
  assert.deepEqual(of('max-age=31536000; includeSubDomains; preload'), ['hsts-preload-eligible']);
  assert.deepEqual(of('max-age=31535999; includeSubDomains; preload'), ['hsts-preload-ineligible']);
  assert.deepEqual(of('max-age=31536000; preload'), ['hsts-preload-ineligible']);
  assert.deepEqual(of('max-age=31536000; includeSubDomains'), []);
  assert.deepEqual(of('max-age=31536000; includeSubDomains; preload', { url: 'http://a.example/' }), ['plain-http']);
});

test('names cookies whose prefix makes browsers refuse them', () => {
  const refused = ['__Secure-a=1', '__Host-b=1; Secure', '__Host-c=1; Secure; Path=/; Domain=a.example'];
  const kept = ['__Secure-d=1; Secure', '__Host-e=1; Secure; Path=/', 'f=1'];
  const { 'cookie-prefix': message = '' } = notesOf({ setCookies: [...refused, ...kept] });
  assert.match(message, /: __Secure-a, __Host-b, __Host-c\./);
  assert.deepEqual(notesOf({ setCookies: kept }), {});
});

test('says that the response is an error, is plain HTTP, has a body that is not read, or may be read by every site', () => {
  assert.match(notesOf({ status: 404 })['error-status'] ?? '', /404/);
  assert.deepEqual(notesOf({ status: 399 }), {});
  assert.deepEqual(Object.keys(notesOf(routeOf('https://a.example/', 'http://a.example/'))), ['plain-http']);
  assert.deepEqual(idsOf({ 'content-type': 'Text/HTML; charset=utf-8' }), ['body-not-read']);
  assert.deepEqual(idsOf({ 'content-type': 'application/json' }), []);
  assert.deepEqual(idsOf({ 'access-control-allow-origin': '*' }), ['cors-any-origin']);
});

test('warns of frames by every site, for which there are points', () => {
  assert.ok('frame-ancestors-any' in csp("default-src 'none'; frame-ancestors *"));
  assert.ok('frame-ancestors-any' in csp("default-src 'none'; frame-ancestors https:"));
  assert.deepEqual(csp("default-src 'none'; frame-ancestors https://b.example"), {});
});

test('tells each weakness of a policy, in one note for each kind', () => {
  const found: [id: string, policy: string, message: RegExp][] = [
    ['csp-inline-scripts', "default-src 'unsafe-inline'", /default-src 'unsafe-inline'\.$/],
    [
      'csp-whole-scheme',
      "default-src 'none'; script-src https:; base-uri data:",
      /script-src https:, base-uri data:\.$/,
    ],
    ['csp-wildcard', "default-src 'none'; script-src *", /script-src \*\.$/],
    ['csp-missing-directive', "script-src 'nonce-abcdefgh'", /object-src, base-uri\.$/],
    ['csp-bypass', "default-src 'none'; script-src accounts.google.com", /script-src accounts\.google\.com\.$/],
    ['csp-short-nonce', "default-src 'none'; script-src 'nonce-abc'; base-uri 'none'", /script-src 'nonce-abc'\.$/],
    ['csp-plain-http', "default-src 'none'; img-src http://b.example", /img-src http:\/\/b\.example\.$/],
    ['csp-missing-semicolon', "default-src 'none' script-src", /default-src script-src\.$/],
    ['csp-unknown-keyword', "default-src 'none'; script-src self", /script-src self\.$/],
    ['csp-unknown-directive', "default-src 'none'; scrpt-src 'self'", /scrpt-src\.$/],
    ['csp-deprecated-directive', "default-src 'none'; prefetch-src 'self'", /prefetch-src\.$/],
  ];
  for (const [id, policy, message] of found) {
    assert.deepEqual(Object.keys(csp(policy)), [id], policy);
    assert.match(csp(policy)[id] ?? '', message);
  }
});

test('says nothing of what may be a weakness', () => {
  assert.deepEqual(csp("default-src 'none'; script-src 'self' https://b.example"), {});
});

test('takes the newest words of the language for no mistake', () => {
  assert.deepEqual(csp("default-src 'none'; fenced-frame-src https://b.example; script-src 'report-sha256'"), {});
});

test('looks at what several policies allow together', () => {
  assert.deepEqual(csp("default-src 'none', frame-ancestors 'none'"), {});
  assert.deepEqual(csp("default-src 'none'; script-src *, script-src 'self'"), {});
});

test('names few of many, and says when a policy is not searched', () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, at) => `http://h${at}.example`).join(' ');
  const { 'csp-plain-http': message = '' } = csp(`default-src 'none'; img-src ${hosts(20)}`);
  assert.match(message, /http:\/\/h0\.example, .* and 15 more\.$/);
  assert.match(csp(`default-src 'none'; img-src ${hosts(251)}`)['csp-not-examined'] ?? '', /more than 250 sources/);
  assert.match(csp(`default-src 'none'; img-src h${'x'.repeat(1024)}`)['csp-not-examined'] ?? '', /longer/);
  assert.match(csp("default-src 'none'; script-src http://[.")['csp-not-examined'] ?? '', /not an address/);
  assert.deepEqual(csp('upgrade-insecure-requests,'), {});
});
