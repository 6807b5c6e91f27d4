/** The notes on a response. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import type { GradedResponse } from '../../../src/lookups/headers-check/schema.ts';
import { responseOf, routeOf } from './graded-response.ts';

/** The notes on a response, except two that most responses of these tests have. */
function notesOf(changed: Partial<GradedResponse>): Record<string, string> {
  const { notes } = grade(responseOf(changed));
  const relevant = notes.filter(({ id }) => id !== 'permissions-policy-absent' && id !== 'bonus-withheld');
  return Object.fromEntries(relevant.map(({ id, message }) => [id, message]));
}

const idsOf = (headers: Record<string, string>): string[] => Object.keys(notesOf({ headers }));
const csp = (value: string) => notesOf({ headers: { 'content-security-policy': value } });

test('returns no notes for a response without findings', () => {
  const headers = { 'permissions-policy': 'camera=()', server: 'nginx', 'x-xss-protection': '0' };
  assert.deepEqual(grade(responseOf({ headers })).notes, []);
});

test('reports a missing Permissions-Policy', () => {
  const [note] = grade(responseOf()).notes;
  assert.deepEqual([note?.id, note?.level], ['permissions-policy-absent', 'info']);
});

test('names the headers that reveal software, server only with a version', () => {
  assert.deepEqual(idsOf({ server: 'nginx' }), []);
  const { 'software-revealed': message = '' } = notesOf({ headers: { server: 'nginx/1.2', 'x-powered-by': 'PHP' } });
  assert.match(message, /version: server, x-powered-by\./);
});

test('names obsolete headers, and X-XSS-Protection unless it is 0', () => {
  for (const name of ['expect-ct', 'feature-policy', 'pragma', 'public-key-pins', 'x-xss-protection']) {
    assert.match(notesOf({ headers: { [name]: '1' } })['deprecated-header'] ?? '', new RegExp(`^${name} is obsolete`));
  }
  assert.deepEqual(idsOf({ 'x-xss-protection': '0' }), []);
});

test('reports whether HSTS with preload meets the requirements of the preload lists', () => {
  const of = (value: string, site: Partial<GradedResponse> = {}) =>
    Object.keys(notesOf({ ...site, headers: { 'strict-transport-security': value } }));
  assert.deepEqual(of('max-age=31536000; includeSubDomains; preload'), ['hsts-preload-eligible']);
  assert.deepEqual(of('max-age=31535999; includeSubDomains; preload'), ['hsts-preload-ineligible']);
  assert.deepEqual(of('max-age=31536000; preload'), ['hsts-preload-ineligible']);
  assert.deepEqual(of('max-age=31536000; includeSubDomains'), []);
  assert.deepEqual(of('max-age=31536000; includeSubDomains; preload', { url: 'http://a.example/' }), ['plain-http']);
});

test('names the domain that must be on the preload lists, if the header is of another host', () => {
  const headers = { 'strict-transport-security': 'max-age=31536000; includeSubDomains; preload' };
  for (const [host, message] of [
    ['a.example', /\); whether the site is on them was not checked\.$/],
    ['A.example.', /\); whether the site is on them was not checked\.$/],
    ['a.github.io', /\); whether the site is on them was not checked\.$/],
    ['www.a.co.uk', /\), which accepts only registrable domains: a\.co\.uk must send it too\. That was not checked\.$/],
    ['github.io', /\), which accepts only registrable domains\.$/],
  ] as const)
    assert.match(notesOf({ url: new URL(`https://${host}/`).href, headers })['hsts-preload-eligible'] ?? '', message);
});

test('names cookies that browsers reject because of their prefix', () => {
  const rejected = ['__Secure-a=1', '__Host-b=1; Secure', '__Host-c=1; Secure; Path=/; Domain=a.example'];
  const kept = ['__Secure-d=1; Secure', '__Host-e=1; Secure; Path=/', 'f=1'];
  const { 'cookie-prefix': message = '' } = notesOf({ setCookies: [...rejected, ...kept] });
  assert.match(message, /: __Secure-a, __Host-b, __Host-c\./);
  assert.deepEqual(notesOf({ setCookies: kept }), {});
});

test('reports error statuses, plain HTTP, an unread body and CORS for every site', () => {
  assert.match(notesOf({ status: 404 })['error-status'] ?? '', /404/);
  assert.deepEqual(notesOf({ status: 399 }), {});
  assert.deepEqual(Object.keys(notesOf(routeOf('https://a.example/', 'http://a.example/'))), [
    'plain-http',
    'redirect-downgrade',
  ]);
  assert.deepEqual(idsOf({ 'content-type': 'Text/HTML; charset=utf-8' }), ['body-not-read']);
  assert.deepEqual(idsOf({ 'content-type': 'application/json' }), []);
  assert.deepEqual(idsOf({ 'access-control-allow-origin': '*' }), ['cors-any-origin']);
});

test('warns of frames by every site, although the check passes', () => {
  assert.ok('frame-ancestors-any' in csp("default-src 'none'; frame-ancestors *"));
  assert.ok('frame-ancestors-any' in csp("default-src 'none'; frame-ancestors https:"));
  assert.deepEqual(csp("default-src 'none'; frame-ancestors https://b.example"), {});
});

test('reports the weaknesses of a policy, one note per kind', () => {
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
    ['csp-missing-semicolon', "default-src 'none' script-src", /: script-src is read as a source of default-src\. Add/],
    ['csp-unknown-keyword', "default-src 'none'; script-src self", /script-src self\.$/],
    ['csp-unknown-directive', "default-src 'none'; scrpt-src 'self'", /: scrpt-src\. Did you mean script-src\? /],
    ['csp-deprecated-directive', "default-src 'none'; prefetch-src 'self'", /: prefetch-src\. /],
  ];
  for (const [id, policy, message] of found) {
    assert.deepEqual(Object.keys(csp(policy)), [id], policy);
    assert.match(csp(policy)[id] ?? '', message);
  }
});

test('no check denies what a note reports', () => {
  const policy =
    "default-src 'self'; script-src 'self' https://ajax.googleapis.com; object-src 'none'; base-uri 'none'";
  const { checks, notes } = grade(
    responseOf({ headers: { 'content-security-policy': policy }, setCookies: ['auth_token=1; Secure; SameSite=Lax'] }),
  );
  for (const id of ['csp-bypass', 'cookie-readable']) assert.ok(notes.some((note) => note.id === id));
  const stated = checks.filter(({ pass }) => pass).map(({ description }) => description);
  assert.ok(stated.some((text) => text.startsWith('The policy allows no unsafe inline code')));
  for (const text of stated) assert.doesNotMatch(text, /nothing unsafe|session-like/);
});

test('reports a deprecated directive once, and mistakes in quotes and none', () => {
  for (const name of ['plugin-types', 'block-all-mixed-content', 'reflected-xss']) {
    const { notes } = grade(responseOf({ headers: { 'content-security-policy': `default-src 'none'; ${name} x` } }));
    const mentions = notes.filter(({ message }) => message.includes(name));
    assert.deepEqual(
      mentions.map(({ id }) => id),
      ['csp-deprecated-directive'],
    );
  }
  assert.match(
    csp("default-src 'self' script-src 'none'")['csp-missing-semicolon'] ?? '',
    /: script-src is read as a source of default-src\. Add one before it/,
  );
  assert.match(csp("default-src ‘none’; base-uri 'none'")['csp-curly-quotes'] ?? '', /: default-src ‘none’\. /);
  assert.match(
    csp("default-src 'none'; img-src 'none' https://b.example")['csp-none-ignored'] ?? '',
    /img-src 'none' https:\/\/b\.example\. /,
  );
  assert.match(csp("default-src 'none'; completely-wrong x")['csp-unknown-directive'] ?? '', /: completely-wrong\. /);
});

test('quotes sources as sent: nonces and paths are case-sensitive', () => {
  assert.match(
    csp("script-src 'nonce-AbC'; default-src 'none'; base-uri 'none'")['csp-short-nonce'] ?? '',
    /'nonce-AbC'\.$/,
  );
  assert.match(
    csp("default-src 'none'; img-src http://B.example/Path")['csp-plain-http'] ?? '',
    /http:\/\/B\.example\/Path\.$/,
  );
});

test('quotes names of the response without control characters', () => {
  const { notes } = grade(
    responseOf({ headers: { 'content-security-policy': "default-src 'self'; x\u009b2Jy 'self'" } }),
  );
  const message = notes.find(({ id }) => id === 'csp-unknown-directive')?.message ?? '';
  assert.match(message, /: x 2jy\./);
});

test('reports HSTS values that browsers ignore, without effect on the score', () => {
  const of = (value: string) => {
    const { score, notes, checks } = grade(responseOf({ headers: { 'strict-transport-security': value } }));
    const check = checks.find(({ id }) => id === 'strict-transport-security');
    return { score, check, note: notes.find(({ id }) => id === 'hsts-ignored') };
  };
  for (const [value, reason] of [
    ['max-age=31536000 includeSubDomains', 'a semicolon is missing after max-age'],
    ['max-age=31536000s', 'max-age is not a whole number of seconds'],
    ['max-age=31536000.5', 'max-age is not a whole number of seconds'],
    ['max-age=0; max-age=31536000', 'max-age occurs twice'],
    ['max-age=31536000; includeSubDomains preload', 'a semicolon is missing after includeSubDomains'],
    ['max-age=31536000; includeSubDomains; INCLUDESUBDOMAINS', 'includeSubDomains occurs twice'],
    ['max-age=31536000; includeSubDomains=1', 'includeSubDomains has a value'],
    ['max-age=-1', 'max-age is not a whole number of seconds'],
    ['max-age="31536000', 'max-age is not a whole number of seconds'],
  ] as const) {
    const { check, note } = of(value);
    assert.deepEqual(
      [note?.level, note?.link],
      ['warning', 'https://www.rfc-editor.org/rfc/rfc6797#section-6.1'],
      value,
    );
    const [message = '', description = ''] = [note?.message, check?.description];
    assert.ok(message.includes(`: ${reason}.`), message);
    assert.ok(description.includes(`browsers ignore the header: ${reason}.`), description);
    assert.notEqual(check?.recommendation, null);
  }
  assert.equal(of('max-age=31536000s').score, of('max-age=31536000').score);
  for (const value of ['max-age=31536000', 'MAX-AGE="31536000" ; includeSubDomains; preload; x y=z;;', 'max-age=0'])
    assert.equal(of(value).note, undefined, value);
  const spaced = of('max-age = 31536000');
  assert.equal(spaced.note, undefined);
  assert.match(spaced.check?.description ?? '', /^Browsers honor this value, but/);
  assert.match(
    of('max-age=1, max-age=2').check?.description ?? '',
    /^The header was sent more than once: browsers honor the first/,
  );
  for (const value of ['max-age=31536000, includeSubDomains', 'max-age=31536000,includeSubDomains; preload']) {
    const { check, note } = of(value);
    assert.match(note?.message ?? '', /: a semicolon is missing after max-age\./, value);
    assert.equal(check?.description, 'Browsers ignore the header: a semicolon is missing after max-age.');
  }
  const comma = of('max-age=31536000; includeSubDomains, preload');
  assert.equal(comma.note, undefined);
  assert.match(comma.check?.description ?? '', /^A comma stands in place of a semicolon: browsers honor max-age/);
});

test('states that browsers store no HSTS for an IP address', () => {
  for (const url of ['https://192.0.2.1/', 'https://[2001:db8::1]/']) {
    const strict = 'max-age=63072000; includeSubDomains; preload';
    const { notes, checks } = grade(responseOf({ url, headers: { 'strict-transport-security': strict } }));
    const found = notes.filter(({ id }) => id.startsWith('hsts-'));
    assert.deepEqual(
      found.map(({ id, link }) => [id, link]),
      [['hsts-ignored', 'https://www.rfc-editor.org/rfc/rfc6797#section-8.1.1']],
    );
    const check = checks.find(({ id }) => id === 'strict-transport-security');
    assert.match(check?.description ?? '', /browsers ignore the header: the host is an IP address\.$/);
    assert.deepEqual([check?.recommendation, check?.suggestion], [null, null]);
  }
});

test('does not call HSTS that browsers ignore a protection of cookies', () => {
  const of = (url: string, value: string, setCookie: string) =>
    grade(responseOf({ url, headers: { 'strict-transport-security': value }, setCookies: [setCookie] })).checks.find(
      ({ id }) => id === 'cookies',
    );
  for (const [url, value, reason] of [
    ['https://a.example/', 'max-age=31536000 includeSubDomains', 'a semicolon is missing after max-age'],
    ['https://a.example/', 'max-age=0; max-age=31536000', 'max-age occurs twice'],
    ['https://192.0.2.1/', 'max-age=31536000', 'the host is an IP address'],
  ] as const) {
    const check = of(url, value, 'a=1');
    assert.equal(check?.result, 'cookies-without-secure-flag-but-protected-by-hsts');
    assert.equal(
      check.description,
      `A cookie lacks Secure. The HTTP Observatory counts HSTS as protection, but browsers ignore the header: ${reason}.`,
    );
    assert.equal(check.suggestion, 'Set-Cookie: a=…; Secure; SameSite=Lax');
    assert.match(of(url, value, 'session=1; HttpOnly')?.description ?? '', /^A session cookie .*browsers ignore/);
  }
  assert.match(of('https://a.example/', 'max-age=31536000', 'a=1')?.description ?? '', /Only HSTS stops browsers/);
});

test('explains repeated X- headers, which browsers honor', () => {
  const describe = (name: string, value: string) =>
    grade(responseOf({ headers: { [name]: value } })).checks.find(({ id }) => id === name)?.description ?? '';
  assert.match(describe('x-frame-options', 'DENY, DENY'), /browsers honor the repeated value/);
  assert.match(describe('x-frame-options', 'DENY, SAMEORIGIN'), /browsers then block every frame/);
  assert.match(describe('x-frame-options', 'x, y'), /neither DENY nor SAMEORIGIN/);
  assert.match(describe('x-content-type-options', 'nosniff, nosniff'), /browsers honor the first value/);
  assert.match(describe('x-content-type-options', 'x, nosniff'), /not nosniff/);
});

test('warns of a redirect from HTTPS to plain HTTP and names the hop', () => {
  const chain = routeOf('https://a.example/', 'http://b.example/x', 'https://b.example/x');
  assert.match(notesOf(chain)['redirect-downgrade'] ?? '', /^Redirect 1 goes .*\(a\.example to b\.example\)/);
  assert.equal(grade(responseOf(chain)).checks.find(({ id }) => id === 'redirection')?.result, 'redirection-to-https');
  assert.deepEqual(notesOf(routeOf('http://a.example/', 'https://a.example/')), {});
});

test('reports CORS headers that browsers reject or that open the response', () => {
  const of = (origin: string, credentials?: string) =>
    idsOf({
      'access-control-allow-origin': origin,
      ...(credentials && { 'access-control-allow-credentials': credentials }),
    });
  assert.deepEqual(of('*', 'true'), ['cors-any-origin-credentials']);
  assert.deepEqual(of('*', 'false'), ['cors-credentials-invalid', 'cors-any-origin']);
  assert.deepEqual(of('https://b.example', 'True'), ['cors-credentials-invalid']);
  for (const origin of ['https://b.example/', '*.b.example', 'b.example', 'https://B.example', 'https://*.b.example'])
    assert.deepEqual(of(origin), ['cors-invalid-origin'], origin);
  for (const origin of ['capacitor://localhost/', 'capacitor:localhost', 'file://', 'moz-extension://*'])
    assert.deepEqual(of(origin), ['cors-invalid-origin'], origin);
  // As browsers and apps send them; test/browser/header-notes.test.ts has that of an extension.
  for (const origin of [
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'capacitor://localhost',
    'http://a.example:8080',
  ])
    assert.deepEqual(of(origin), [], origin);
  assert.deepEqual(of('null', 'true'), ['cors-null-origin']);
  for (const separator of [', ', ' '])
    assert.deepEqual(of(`https://a.example${separator}https://b.example`), ['cors-duplicate-origin']);
  assert.deepEqual(of('https://b.example', 'true'), []);
});

test('reports Permissions-Policy in the old syntax, invalid, or open for every site', () => {
  const of = (value: string) => {
    const { notes } = grade(responseOf({ headers: { 'permissions-policy': value } }));
    return notes.map(({ id, message }) => [id, message] as const);
  };
  for (const value of ["camera 'none'; microphone 'self'", "camera 'none'", 'fullscreen *'])
    assert.match(String(of(value)[0]), /^permissions-policy-invalid,.*syntax of Feature-Policy/, value);
  assert.match(String(of('camera=(), microphone=(')[0]), /^permissions-policy-invalid,.*is not valid/);
  assert.match(String(of('camera=*, microphone=(self), usb=(*)')[0]), /^permissions-policy-any,.*: camera, usb\./);
  assert.deepEqual(of('camera=(), geolocation=(self "https://a.example"), fullscreen=self'), []);
  assert.deepEqual(of('ch-ua-model=*, ch-ua-platform-version=*'), []);
  // Features that were proposed and given up.
  assert.deepEqual(of('push=(), speaker=(), vibrate=(), vr=(), wake-lock=(), document-domain=()'), []);
});

test('names what browsers ignore in Permissions-Policy without a word', () => {
  const of = (value: string) => notesOf({ headers: { 'permissions-policy': value } });
  for (const [value, id, message] of [
    ['accelerometer=self; camera=self', 'permissions-policy-semicolon', /: camera behind accelerometer\. Separate/],
    ['camera=(); microphone=(); geolocation=()', 'permissions-policy-invalid', /by commas, not semicolons/],
    ['Camera=()', 'permissions-policy-invalid', /in lower case/],
    ["camera='none'", 'permissions-policy-invalid', /without quotes, and \(\) for none/],
    ['camera=(),', 'permissions-policy-invalid', /remove the comma/],
    [
      'camera=(self https://a.example)',
      'permissions-policy-ignored',
      /: camera=https:\/\/a\.example \(an origin needs double/,
    ],
    [
      'camera=("self" "a.example")',
      'permissions-policy-ignored',
      /camera="self" \(write self without quotes\), camera="a/,
    ],
    ['camera=none', 'permissions-policy-ignored', /: camera=none \(write \(\)\)\./],
    ['camera, fullscreen=(self)', 'permissions-policy-ignored', /: camera=true \(write/],
    ['geo-location=()', 'permissions-policy-feature', /: geo-location \(did you mean geolocation\?\)/],
  ] as const)
    assert.match(of(value)[id] ?? '', message, value);
  for (const value of [
    'camera=();report-to=x, usb=("https://a.example" "https://*.b.example:8443")',
    'bluetooth=(), web-share=()',
  ])
    assert.deepEqual(of(value), {}, value);
});

test('names what browsers ignore in other headers without a word', () => {
  for (const [name, value, id, message] of [
    ['content-security-policy-report-only', 'default-src self', 'csp-unknown-keyword', /: default-src self\./],
    [
      'content-security-policy',
      "default-src 'none'; frame-ancestors 'sefl' none",
      'csp-unknown-keyword',
      /'sefl', frame-ancestors none\./,
    ],
    [
      'content-security-policy',
      "default-src 'none'; require-trusted-types-for script",
      'csp-trusted-types',
      /for script\. The only/,
    ],
    [
      'content-security-policy',
      "default-src 'none'; img-src data https://*.* a.example/*",
      'csp-invalid-source',
      /: img-src data, img-src https:\/\/\*\.\*, img-src a\.example\/\*\./,
    ],
    [
      'content-security-policy',
      "default-src 'none'; report-to https://a.example/csp",
      'csp-report-to-url',
      /: https:\/\/a/,
    ],
    [
      'content-security-policy-report-only',
      "default-src 'none'; scrpt-src x",
      'csp-unknown-directive',
      /Did you mean script-src/,
    ],
    [
      'strict-transport-security',
      'max-age=31536000; includeSubdomain',
      'hsts-unknown-directive',
      /: includeSubdomain \(did you mean includeSubDomains\?\)/,
    ],
    [
      'strict-transport-security',
      'max-age=31536000; include-sub-domains',
      'hsts-unknown-directive',
      /did you mean includeSubDomains/,
    ],
    ['referrer-policy', 'no-referer, strict-origin', 'referrer-policy-unknown', /: no-referer\. The last/],
  ] as const)
    assert.match(notesOf({ headers: { [name]: value } })[id] ?? '', message, value);
  const fine = "default-src 'none'; img-src data: *.a.example:* https://a.example/x/ a_b.example [::1]; report-to main";
  assert.deepEqual(Object.keys(csp(fine.replace(' [::1]', ''))), []);
});

test('names cookies that browsers reject for their Domain or size, and session-like cookies that scripts can read', () => {
  const of = (...setCookies: string[]) => notesOf({ setCookies });
  assert.match(of('a=1; Domain=b.example; Secure')['cookie-domain'] ?? '', /: a\. Their Domain/);
  const onGithub = notesOf({ ...routeOf('https://me.github.io/'), setCookies: ['a=1; Domain=github.io; Secure'] });
  assert.match(onGithub['cookie-domain'] ?? '', /public suffix/);
  const onSuffix = notesOf({ ...routeOf('https://github.io/'), setCookies: ['a=1; Domain=github.io; Secure'] });
  assert.deepEqual(onSuffix, {});
  assert.match(of(`a=${'x'.repeat(4096)}; Secure`)['cookie-size'] ?? '', /longer than 4096 octets/);
  assert.deepEqual(of(`a=${'x'.repeat(4095)}; Secure`, 'b=1; Domain=.a.example; Secure'), {});
  for (const name of ['sid', 'connect.sid', 'token', 'auth', 'auth_token', 'access-token', 'x_jwt', 'accessToken'])
    assert.match(of(`${name}=1; Secure`)['cookie-readable'] ?? '', new RegExp(`: ${name}\\.`), name);
  assert.deepEqual(of('sid=1; Secure; HttpOnly', 'XSRF-TOKEN=1; Secure', 'side=1; Secure', 'sid=; Max-Age=0'), {});
});

test('names cookies with Secure that a response over plain HTTP cannot set', () => {
  const of = (url: string) => notesOf({ url, setCookies: ['a=1; Secure', 'b=1'] })['cookie-secure'];
  const shown = (url: string) =>
    grade(responseOf({ url, setCookies: ['a=1; Secure'] })).checks.find(({ id }) => id === 'cookies')?.value;
  for (const url of [
    'http://a.example/',
    'http://localhost.example/',
    'http://a.example/localhost',
    'http://1.1.1.1/',
  ]) {
    assert.match(of(url) ?? '', /^Browsers reject these cookies: a\. Only/, url);
    assert.equal(shown(url), null, url);
  }
  for (const url of [
    'https://a.example/',
    'http://localhost/',
    'http://b.localhost:8080/',
    'http://127.0.0.1/',
    'http://[::1]/',
  ]) {
    assert.equal(of(url), undefined, url);
    assert.equal(shown(url), 'a=…; Secure', url);
  }
});

test('names why browsers reject a cookie, and attributes that they ignore', () => {
  for (const [setCookie, id, message] of [
    [
      '__Host-Http-sid=1; Secure; SameSite=Lax; Path=/',
      'cookie-prefix',
      /: __Host-Http-sid\. .*__Host-Http- also HttpOnly/,
    ],
    ['a=1; SameSite=None', 'cookie-samesite-none', /: a\. SameSite=None requires Secure/],
    ['a=1; Partitioned', 'cookie-partitioned', /: a\. Partitioned requires Secure/],
    ['a=\u0001; Secure', 'cookie-control-character', /: a\. They contain a control/],
    ['a=1; Secure; Http-Only', 'cookie-attribute', /: a: http-only \(did you mean httponly\?\)/],
    ['a=1; Secure; Samsite=Lax', 'cookie-attribute', /: a: samsite \(did you mean samesite\?\)/],
    ['a=1; Secure; HttpOnly=false', 'cookie-attribute', /: a: httponly=false \(set all the same/],
    ['a=1; Secure; Max-Age=1h', 'cookie-attribute', /: a: max-age=1h \(not a whole number\)/],
    [
      'a=1; Secure; Expires=2030-01-01T00:00:00Z',
      'cookie-attribute',
      /: a: expires=2030-01-01T00:00:00Z \(not a date\)/,
    ],
    ['a=1; Path=/, b=2; Secure', 'cookie-joined', /: a\. Send one Set-Cookie for each/],
  ] as const)
    assert.match(notesOf({ setCookies: [setCookie] })[id] ?? '', message, setCookie);
  assert.deepEqual(
    notesOf({
      setCookies: ['a=1; Secure; Priority=High; Expires=Wed, 21-Oct-2065 07:28:00 GMT; Domain=a.example; Path=/'],
    }),
    {},
  );
});

test('does not claim that browsers store none of the cookies that are not graded', () => {
  for (const changed of [
    { setCookies: ['heroku-session-affinity=1', 'nameless'] },
    { url: 'https://192.0.2.1/', setCookies: ['a=1; Domain=192.0.2.1'] },
  ]) {
    const check = grade(responseOf(changed)).checks.find(({ id }) => id === 'cookies');
    assert.deepEqual([check?.applicable, check?.description], [false, 'The response sets no cookie that is graded.']);
  }
});

test('shows only cookies that browsers store, with prefixes in any case', () => {
  const of = (setCookie: string) =>
    grade(responseOf({ setCookies: [setCookie] })).checks.find(({ id }) => id === 'cookies');
  for (const setCookie of ['__Host-a=1; Secure', '__host-a=1; Secure; Path=/x', '__SECURE-a=1', '__Host-a=1; Path=/']) {
    assert.equal(of(setCookie)?.value, null, setCookie);
    assert.ok('cookie-prefix' in notesOf({ setCookies: [setCookie] }), setCookie);
  }
  assert.equal(of('__Host-a=1; Secure; Path=/')?.value, '__Host-a=…; Path=/; Secure');
});

test('names obsolete policy headers, and links every note to MDN or an RFC', () => {
  for (const name of ['x-content-security-policy', 'x-webkit-csp', 'expect-ct', 'public-key-pins'])
    assert.deepEqual(idsOf({ [name]: 'x' }), ['deprecated-header'], name);
  const { notes } = grade(
    responseOf({
      ...routeOf('https://a.example/', 'http://a.example/'),
      status: 404,
      headers: {
        server: 'nginx/1.2',
        'expect-ct': '1',
        'content-type': 'text/html',
        'access-control-allow-origin': '*',
        'content-security-policy': "default-src 'unsafe-inline'; scrpt-src x; frame-ancestors *",
      },
      setCookies: ['sid=1', '__Host-a=1'],
    }),
  );
  assert.ok(notes.length > 10);
  for (const { id, link } of notes)
    assert.match(
      link,
      /^https:\/\/(?:developer\.mozilla\.org\/en-US\/|www\.rfc-editor\.org\/rfc\/rfc\d+#section-)/,
      id,
    );
});

test('ignores suspected weaknesses', () => {
  assert.deepEqual(csp("default-src 'none'; script-src 'self' https://b.example"), {});
});

test('accepts the newest directives and keywords', () => {
  assert.deepEqual(csp("default-src 'none'; fenced-frame-src https://b.example; script-src 'report-sha256'"), {});
});

test('examines what several policies allow together', () => {
  assert.deepEqual(csp("default-src 'none', frame-ancestors 'none'"), {});
  assert.deepEqual(csp("default-src 'none'; script-src *, script-src 'self'"), {});
});

test('truncates long lists, and reports a policy that is not examined', () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, at) => `http://h${at}.example`).join(' ');
  const { 'csp-plain-http': message = '' } = csp(`default-src 'none'; img-src ${hosts(20)}`);
  assert.match(message, /http:\/\/h0\.example, .* and 15 more\.$/);
  assert.match(csp(`default-src 'none'; img-src ${hosts(251)}`)['csp-not-examined'] ?? '', /more than 250 sources/);
  assert.match(csp(`default-src 'none'; img-src h${'x'.repeat(1024)}`)['csp-not-examined'] ?? '', /longer/);
  assert.match(csp("default-src 'none'; script-src http://[.")['csp-not-examined'] ?? '', /not a valid URL/);
  assert.deepEqual(csp('upgrade-insecure-requests,'), {});
});
