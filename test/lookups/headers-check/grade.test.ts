/** Every outcome of every check, and the grade for a score. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checks } from '../../../src/lookups/headers-check/data/checks.ts';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import { type CheckId, type Outcome, outcomes } from '../../../src/lookups/headers-check/outcomes.ts';
import type { GradedResponse } from '../../../src/lookups/headers-check/schema.ts';
import { Grade } from '../../../src/lookups/headers-check/schema.ts';
import { bestHeaders, responseOf, routeOf } from './graded-response.ts';

const csp = (value: string) => ({ headers: { 'content-security-policy': value } });
const hsts = (value: string) => ({ headers: { 'strict-transport-security': value } });
const cookie = (...setCookies: string[]) => ({ setCookies });
const header = (name: string, value: string) => ({ headers: { [name]: value } });
const plain = { url: 'http://a.example/' };
const longHsts = { 'strict-transport-security': 'max-age=15552000' };

/** Responses with each outcome: a simple example first, then edge cases. */
const examples: Record<Outcome, readonly Partial<GradedResponse>[]> = {
  'csp-implemented-with-no-unsafe-default-src-none': [
    csp("default-src 'none'"),
    csp('DEFAULT-SRC;;; ;'),
    csp("default-src 'none'; script-src 'unsafe-inline' 'nonce-abc'"),
    csp("default-src 'none'; script-src 'nonce-abc' 'strict-dynamic' https: http: * 'unsafe-inline' 'self'"),
    // Both policies must allow a source.
    csp("default-src 'none' https://a.example, default-src https://b.example"),
    // https: starts with the previous host, so it is removed.
    csp("default-src 'none'; script-src http https:"),
  ],
  'csp-implemented-with-no-unsafe': [
    csp("default-src 'self'"),
    csp("default-src 'self', script-src *"),
    csp("default-src 'self' https://a.example/x/, default-src 'self' https://a.example/"),
  ],
  'csp-implemented-with-unsafe-inline-in-style-src-only': [
    csp("default-src 'self'; style-src 'unsafe-inline'"),
    csp("default-src 'none'; style-src data:"),
    csp("default-src 'none'; style-src *"),
  ],
  'csp-implemented-but-duplicate-directives': [
    csp("default-src 'none'; report-uri /a; report-uri /b"),
    csp("default-src 'none'; img-src http:; report-to a; report-to b"),
  ],
  'csp-implemented-with-insecure-scheme-in-passive-content-only': [
    csp("default-src 'none'; img-src http://a.example"),
    csp("default-src 'none'; media-src ftp:"),
  ],
  'csp-implemented-with-unsafe-eval': [
    csp("default-src 'none'; script-src 'unsafe-eval'"),
    csp("default-src 'none'; style-src 'unsafe-eval'"),
  ],
  'csp-implemented-with-unsafe-inline': [
    csp("default-src 'none'; script-src 'unsafe-inline'"),
    csp("default-src 'none'; script-src data:"),
    csp("default-src 'none'; object-src https:"),
    csp("script-src 'self'"),
    csp('upgrade-insecure-requests'),
    { ...plain, ...csp('default-src http:') },
  ],
  'csp-implemented-with-insecure-scheme': [
    csp("default-src 'none'; script-src http://a.example"),
    csp("default-src 'none'; report-uri http://a.example/"),
    // The second policy allows every URL below its path.
    csp('default-src http://a.example/x, default-src http://a.example/'),
  ],
  'csp-header-invalid': [
    csp(''),
    csp('x'),
    csp("default-src 'none',"),
    csp("default-src 'none'; default-src 'none'"),
    csp("default-src 'none'; script-src 'self' 'strict-dynamic'"),
    csp('img-src https://a.example/%zz, img-src https://a.example/%zz'),
  ],
  'csp-not-implemented': [{}, csp(';;;;;;'), header('content-security-policy-report-only', '')],
  'csp-not-implemented-but-reporting-enabled': [header('content-security-policy-report-only', "default-src 'none'")],
  'cookies-secure-with-httponly-sessions-and-samesite': [
    cookie('a=b; Secure; SameSite=Lax'),
    cookie('SESSION=b; secure; httponly; samesite=STRICT', 'c=d; Secure; SameSite=None'),
    cookie('csrf=b; Secure; SameSite=Strict; Domain=.a.example'),
    cookie('a=b; Secure; SameSite=Lax', 'c=; SameSite=x; Max-Age=0'),
    cookie('__Host-a=b; Secure; SameSite=Lax'),
    // The later of two cookies with the same name counts.
    cookie('session=a', 'session=b; Secure; HttpOnly; SameSite=Lax'),
  ],
  'cookies-secure-with-httponly-sessions': [cookie('a=b; Secure'), cookie('session=b; Secure; HttpOnly', 'session')],
  'cookies-not-found': [
    {},
    cookie('novalue', '=noname', 'a=\u0001'),
    cookie('heroku-session-affinity=a'),
    cookie('session=a; Domain=b.example', 'session=a; Domain=example'),
    { url: 'https://me.github.io/', ...cookie('session=a; Domain=github.io') },
    { url: 'https://a.co.uk/', ...cookie('session=a; Domain=co.uk') },
    cookie('session=; Max-Age=0', 'login=; max-age=-1; Expires=Wed, 21 Oct 2065 07:28:00 GMT'),
    cookie('session=; Expires=Fri, 31 Dec 1999 23:59:59 GMT; Path=/'),
    { ...cookie('session=; Expires=Sat, 01 Jan 2022 00:00:00 GMT'), nowMs: Date.UTC(2026, 0) },
    // The Date of the response comes before the clock.
    {
      ...cookie('session=; Expires=Sun, 01-Jan-2034 00:00:00 GMT'),
      ...header('date', 'Mon, 02 Jan 2034 00:00:00 GMT'),
      nowMs: Date.UTC(2026, 0),
    },
    cookie('__Host-Http-session=1; Secure; SameSite=Lax; Path=/', '__http-login=1; Secure'),
    cookie('session=; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'login=; expires=Thu, 01-Jan-70 00:00:01 GMT'),
    cookie('session=a', 'session=; SameSite=x; Expires=Thu Jan  1 00:00:00 1970'),
    { url: 'https://a.example/x/y', ...cookie('__Host-session=a; Secure') },
    cookie('__Secure-session=a', '__Host-session=a; Secure; Path=/; Domain=a.example'),
  ],
  'cookies-without-secure-flag-but-protected-by-hsts': [{ ...cookie('a=b'), headers: longHsts }],
  'cookies-session-without-secure-flag-but-protected-by-hsts': [{ ...cookie('sess=b; HttpOnly'), headers: longHsts }],
  'cookies-without-secure-flag': [
    cookie('a=b'),
    { ...cookie('a=b'), ...hsts('max-age=abc') },
    { ...cookie('a=b'), headers: longHsts, ...plain },
    cookie('a=b; Max-Age=0; Max-Age=1', 'c=d; Secure'),
    // Two cookies with the same name and different paths are distinct.
    cookie('a=b; Path=/x', 'a=b; Secure'),
  ],
  'cookies-samesite-flag-invalid': [
    cookie('a=b; Secure; SameSite=x'),
    cookie('a=b; Secure; SameSite'),
    cookie('a=b; SameSite=None'),
    cookie('a=b; Secure; SameSite=Lax', 'c=d; SameSite=x; Domain=b.example'),
  ],
  'cookies-anticsrf-without-samesite-flag': [cookie('XCSRF=b; Secure'), cookie('csrf=b', 'a=b; SameSite=x')],
  'cookies-session-without-httponly-flag': [
    cookie('login=b; Secure; SameSite=Lax'),
    { ...cookie('login=b'), headers: longHsts },
  ],
  'cookies-session-without-secure-flag': [
    {
      ...cookie('session=b; Expires=Sat, 01 Jan 2022 00:00:00 GMT'),
      ...header('date', 'Fri, 31 Dec 2021 23:59:59 GMT'),
    },
    cookie('session=b; Expires=yesterday'),
    cookie('mysession=b; HttpOnly'),
    cookie('LogIn=b', 'a=b; Secure'),
  ],
  'coep-implemented-with-require-corp': [
    header('cross-origin-embedder-policy', 'require-corp'),
    header('cross-origin-embedder-policy', 'require-corp; report-to="a\\"b"'),
  ],
  'coep-implemented-with-credentialless': [header('cross-origin-embedder-policy', 'credentialless')],
  'coep-implemented-with-unsafe-none': [header('cross-origin-embedder-policy', 'unsafe-none')],
  'coep-not-implemented': [{}, header('cross-origin-embedder-policy', '')],
  'coep-header-invalid': [
    header('cross-origin-embedder-policy', 'same-origin'),
    header('cross-origin-embedder-policy', '"require-corp"'),
    header('cross-origin-embedder-policy', 'require-corp;'),
    header('cross-origin-embedder-policy', 'require-corp ;x'),
    header('cross-origin-embedder-policy', '1'),
  ],
  'coop-implemented-with-same-origin': [
    header('cross-origin-opener-policy', 'same-origin'),
    header('cross-origin-opener-policy', ' same-origin;a;b=?1'),
  ],
  'coop-implemented-with-same-origin-allow-popups': [header('cross-origin-opener-policy', 'same-origin-allow-popups')],
  'coop-implemented-with-noopener-allow-popups': [header('cross-origin-opener-policy', 'noopener-allow-popups')],
  'coop-implemented-with-unsafe-none': [header('cross-origin-opener-policy', 'unsafe-none')],
  'coop-not-implemented': [{}, header('cross-origin-opener-policy', '')],
  'coop-header-invalid': [
    header('cross-origin-opener-policy', 'Same-Origin'),
    header('cross-origin-opener-policy', 'same-origin, same-origin'),
  ],
  'corp-implemented-with-same-origin': [header('cross-origin-resource-policy', 'Same-Origin ')],
  'corp-implemented-with-same-site': [header('cross-origin-resource-policy', 'same-site')],
  'corp-implemented-with-cross-origin': [header('cross-origin-resource-policy', 'cross-origin')],
  'corp-not-implemented': [{}, header('cross-origin-resource-policy', '')],
  'corp-header-invalid': [header('cross-origin-resource-policy', 'same-site, same-site')],
  'cross-origin-resource-sharing-not-implemented': [{}, header('access-control-allow-origin', '*')],
  'redirection-to-https': [
    routeOf('http://a.example/', 'https://a.example/'),
    routeOf('http://a.example/', 'https://a.example/', 'https://b.example/'),
    routeOf('https://b.example/', 'http://a.example/', 'https://a.example/'),
  ],
  'redirection-not-needed-no-http': [{}, routeOf('https://a.example/', 'https://b.example/')],
  'redirection-off-host-from-http': [routeOf('http://a.example/', 'https://www.a.example/')],
  'redirection-not-to-https-on-initial-redirection': [
    routeOf('http://a.example/', 'http://a.example/x', 'https://a.example/x'),
  ],
  'redirection-not-to-https': [
    routeOf('http://a.example/', 'http://b.example/'),
    routeOf('http://a.example/', 'https://a.example/', 'http://a.example/'),
  ],
  'redirection-missing': [plain, routeOf('https://a.example/', 'http://a.example/')],
  'referrer-policy-private': [
    header('referrer-policy', 'no-referrer'),
    header('referrer-policy', 'unsafe-url, Strict-Origin, x'),
  ],
  'referrer-policy-not-implemented': [{}],
  'referrer-policy-unsafe': [header('referrer-policy', 'no-referrer, origin')],
  'referrer-policy-header-invalid': [header('referrer-policy', ''), header('referrer-policy', 'x')],
  'hsts-implemented-max-age-at-least-six-months': [
    hsts('max-age=15552000'),
    hsts(' MAX-AGE=63072000 ; includeSubDomains'),
    hsts('max-age="31536000"'),
    hsts('max-age=1; max-age=31536000'),
  ],
  'hsts-implemented-max-age-less-than-six-months': [
    hsts('max-age=15551999'),
    hsts('max-age=0; preload'),
    hsts('max-age=-1'),
  ],
  'hsts-not-implemented': [{}],
  'hsts-header-invalid': [
    hsts(''),
    hsts('includeSubDomains'),
    hsts('max-age = 31536000'),
    hsts('max-age=31536000, max-age=31536000'),
    // The Observatory accepts this as six months or longer.
    hsts('max-age=abc'),
  ],
  'hsts-not-implemented-no-https': [
    { ...plain, headers: longHsts },
    routeOf('https://a.example/', 'http://a.example/'),
  ],
  'x-content-type-options-nosniff': [header('x-content-type-options', 'NoSniff ')],
  'x-content-type-options-not-implemented': [{}, header('x-content-type-options', '')],
  'x-content-type-options-header-invalid': [header('x-content-type-options', 'nosniff, nosniff')],
  'x-frame-options-implemented-via-csp': [
    csp("frame-ancestors 'none'"),
    { headers: { 'content-security-policy': 'Frame-Ancestors *', 'x-frame-options': 'x' } },
  ],
  'x-frame-options-sameorigin-or-deny': [
    header('x-frame-options', 'Deny '),
    header('x-frame-options', 'SAMEORIGIN'),
    // An invalid policy does not control frames.
    { headers: { 'content-security-policy': "frame-ancestors 'none',", 'x-frame-options': 'DENY' } },
  ],
  'x-frame-options-allow-from-origin': [header('x-frame-options', 'ALLOW-FROM https://b.example/')],
  'x-frame-options-not-implemented': [{}, header('x-frame-options', '')],
  'x-frame-options-header-invalid': [header('x-frame-options', 'DENY, DENY'), header('x-frame-options', 'x')],
};

const outcomesOf = (id: CheckId): Outcome[] => Object.keys(checks[id].outcomes) as Outcome[];

for (const id of Object.keys(checks) as CheckId[]) {
  test(`${id} returns each of its outcomes`, () => {
    for (const outcome of outcomesOf(id)) {
      for (const example of examples[outcome]) {
        const check = grade(responseOf(example)).checks.find((check) => check.id === id);
        assert.equal(check?.result, outcome, JSON.stringify(example));
        assert.equal(check.scoreImpact, outcomes[outcome].points);
      }
    }
  });
}

test('outcome names are unique', () => {
  const count = Object.values(checks).reduce((sum, { outcomes }) => sum + Object.keys(outcomes).length, 0);
  assert.equal(Object.keys(outcomes).length, count);
});

test('recommends a change for every penalty', () => {
  for (const [outcome, { points, pass, recommendation }] of Object.entries(outcomes)) {
    if (points < 0 || !pass) assert.notEqual(recommendation, null, outcome);
    if (points > 5) assert.equal(recommendation, null, outcome);
  }
});

/** The response with the suggested header lines in place of its own, and policies that only report enforced. */
function applySuggestion(response: GradedResponse, suggestion: string): GradedResponse {
  const headers = { ...response.headers };
  let { setCookies, hops, url } = response;
  for (const line of suggestion.split('\n')) {
    const [, name = '', value = ''] = /^([A-Za-z-]+): (.+)$/.exec(line) ?? assert.fail(line);
    const cookie = value.split('=')[0];
    if (name === 'Set-Cookie') setCookies = [...setCookies.filter((sent) => !sent.startsWith(`${cookie}=`)), value];
    else if (name === 'Location') {
      const from = hops.find((hop) => hop.url.startsWith('http:'))?.url ?? '';
      ({ hops, url } = routeOf(from, value));
    } else headers[name.toLowerCase().replace('-report-only', '')] = value;
  }
  return { ...response, url, headers, setCookies, hops, finalUrl: response.finalUrl.replace('http:', 'https:') };
}

test('the best headers leave nothing to improve; add those that a new check needs', () => {
  const { checks } = grade(responseOf({ headers: bestHeaders }));
  assert.deepEqual(
    checks.filter(({ recommendation }) => recommendation !== null).map(({ id }) => id),
    [],
  );
});

/** Recommendations to do something else first. */
const withoutLine = [
  /^When Content-Security-Policy-Report-Only reports no more violations/,
  / redirects to plain HTTP: end that redirect first/,
  /^Serve the site over HTTPS first/,
];

test('suggests for every failed check header lines with which it passes, perhaps after a trial', () => {
  for (const [outcome, responses] of Object.entries(examples)) {
    const id = (Object.keys(checks) as CheckId[]).find((each) => outcomesOf(each).includes(outcome as Outcome));
    for (const example of responses) {
      const response = responseOf(example);
      const check = grade(response).checks.find((each) => each.id === id);
      if (check?.pass === true) continue;
      if (check?.suggestion === null && withoutLine.some((reason) => reason.test(check.recommendation ?? ''))) continue;
      assert.ok(check?.suggestion, `${outcome} suggests no header line: add a line to its check, or to advice.ts`);
      const after = grade(applySuggestion(response, check?.suggestion ?? '')).checks.find((each) => each.id === id);
      assert.equal(after?.pass, true, `${JSON.stringify(example)} ${check?.suggestion} ${after?.result}`);
    }
  }
});

test('suggests only lines that browsers honor', () => {
  const suggestion = (changed: Partial<GradedResponse>, id: CheckId) =>
    grade(responseOf(changed)).checks.find((check) => check.id === id)?.suggestion ?? '';
  assert.equal(
    suggestion(cookie('__Host-a=1; Path=/x', '__HOST-b=2; Secure; Path=/; Domain=a.example'), 'cookies'),
    'Set-Cookie: __Host-a=…; Path=/; Secure; SameSite=Lax\nSet-Cookie: __HOST-b=…; Path=/; Secure; SameSite=Lax',
  );
  assert.equal(suggestion(cookie('a=1; samesite=strict'), 'cookies'), 'Set-Cookie: a=…; Secure; SameSite=Strict');
  // The line for a deleted cookie would set it.
  assert.equal(
    suggestion(cookie('a=1', 'b=; Max-Age=0; Path=/', 'heroku-session-affinity=1'), 'cookies'),
    'Set-Cookie: a=…; Secure; SameSite=Lax',
  );
  // A line that is cut would set another cookie.
  const path = `/${'x'.repeat(500)}`;
  assert.equal(
    suggestion(cookie(`a=1; Path=${path}`), 'cookies'),
    `Set-Cookie: a=…; Path=${path}; Secure; SameSite=Lax`,
  );
  const long = `${'n'.repeat(5000)}=1${'; a=b'.repeat(2000)}`;
  assert.equal(suggestion(cookie(long, 'a=1'), 'cookies'), 'Set-Cookie: a=…; Secure; SameSite=Lax');
  for (const name of ['__Http-sid', '__HOST-HTTP-x'])
    assert.match(
      suggestion(cookie(`${name}=1; Secure`, 'a=1'), 'cookies'),
      new RegExp(`${name}=…;.* HttpOnly; SameSite=Lax`),
    );
  // Over plain HTTP, browsers would reject the cookie with Secure.
  assert.equal(suggestion({ url: 'http://a.example/', setCookies: ['a=1'] }, 'cookies'), '');
  for (const policy of ["default-src 'self' script-src x", "default-src: 'self'", 'script-src ‘unsafe-inline’ *'])
    assert.match(
      suggestion(header('content-security-policy-report-only', policy), 'content-security-policy'),
      /^Content-Security-Policy-Report-Only: default-src 'none'; script-src 'self'; /,
      policy,
    );
  assert.equal(
    suggestion(header('x-frame-options', 'ALLOW-FROM https://b.example:8443/page;script-src'), 'x-frame-options'),
    "Content-Security-Policy: frame-ancestors https://b.example:8443 'self'",
  );
});

test('suggests the case of Cross-Origin-Resource-Policy that browsers require', () => {
  const of = (value: string) =>
    grade(responseOf(header('cross-origin-resource-policy', value))).checks.find(
      ({ id }) => id === 'cross-origin-resource-policy',
    );
  for (const value of ['Same-Origin', ' SAME-SITE ', 'Cross-Origin']) {
    const check = of(value);
    assert.match(check?.description ?? '', /browsers ignore the header: it must be lower case/);
    assert.equal(check?.suggestion, `Cross-Origin-Resource-Policy: ${value.trim().toLowerCase()}`);
  }
  assert.match(of(' same-origin ')?.description ?? '', /^Pages of other origins cannot embed/);
});

test('suggests no Cross-Origin-Resource-Policy that blocks what every site may read', () => {
  const of = (headers: Record<string, string>) =>
    grade(responseOf({ headers })).checks.find(({ id }) => id === 'cross-origin-resource-policy')?.suggestion;
  const everySite = { 'access-control-allow-origin': '*' };
  for (const sent of [{}, { 'cross-origin-resource-policy': 'x' }] as Record<string, string>[]) {
    assert.equal(of({ ...sent, ...everySite }), 'Cross-Origin-Resource-Policy: cross-origin');
    assert.equal(of(sent), 'Cross-Origin-Resource-Policy: same-origin');
  }
  assert.equal(of({ 'cross-origin-resource-policy': 'cross-origin', ...everySite }), null);
});

test('states that browsers ignore some headers over plain HTTP', () => {
  for (const url of ['http://a.example/', 'http://localhost/', 'https://a.example/'])
    for (const headers of [
      {},
      { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' },
    ])
      for (const { id, description, recommendation, suggestion } of grade(responseOf({ url, headers })).checks) {
        if (id !== 'cross-origin-opener-policy' && id !== 'cross-origin-embedder-policy') continue;
        const isIgnored = url === 'http://a.example/';
        const isSent = id in headers;
        assert.equal(/over plain HTTP, browsers ignore it/.test(description), isIgnored && isSent, id);
        assert.equal(/^Requires HTTPS\. |^Serve the site over HTTPS\.$/.test(recommendation ?? ''), isIgnored, id);
        assert.equal(suggestion === null, isSent, id);
      }
});

test('keeps what is safe in a suggested policy, redirect or cookie', () => {
  const suggestion = (changed: Partial<GradedResponse>, id: CheckId) =>
    grade(responseOf(changed)).checks.find((check) => check.id === id)?.suggestion;
  assert.equal(
    suggestion(
      csp("default-src 'self'; script-src 'self' 'unsafe-eval' https://CDN.example/App.js"),
      'content-security-policy',
    ),
    "Content-Security-Policy-Report-Only: default-src 'self'; script-src 'self' https://CDN.example/App.js",
  );
  assert.equal(
    suggestion(
      csp("default-src 'self'; script-src 'unsafe-inline' data: https:; img-src *"),
      'content-security-policy',
    ),
    "Content-Security-Policy-Report-Only: default-src 'self'; script-src 'self'; img-src *",
  );
  assert.equal(
    suggestion(
      csp("script-src 'nonce-R4ndomR4ndomR4ndom' 'strict-dynamic' 'unsafe-eval'; object-src 'none'; base-uri 'none'"),
      'content-security-policy',
    ),
    "Content-Security-Policy-Report-Only: script-src 'nonce-…' 'strict-dynamic'; object-src 'none'; base-uri 'none'",
  );
  // https: beside http: is not repeated.
  assert.equal(
    suggestion(
      header(
        'content-security-policy-report-only',
        "script-src 'nonce-R4ndomR4ndomR4ndom' 'strict-dynamic' https: http:",
      ),
      'content-security-policy',
    ),
    "Content-Security-Policy-Report-Only: script-src 'nonce-…' 'strict-dynamic' https:; object-src 'self' blob:",
  );
  // It would block inline scripts, which nothing blocks yet.
  assert.equal(
    suggestion(header('content-security-policy-report-only', "default-src 'self'"), 'content-security-policy'),
    null,
  );
  assert.equal(
    suggestion(csp("default-src 'self'; img-src http:; script-src * http://b.example:80/x"), 'content-security-policy'),
    "Content-Security-Policy: default-src 'self'; img-src https:; script-src 'self' https://b.example/x",
  );
  assert.equal(suggestion(routeOf('http://a.example:80/x?y=z'), 'redirection'), 'Location: https://a.example/x?y=z');
  assert.equal(
    suggestion(
      cookie('SID=secret; Path=/app; Max-Age=60; secure', 'ok=1; Secure; SameSite=None', 'session=x'),
      'cookies',
    ),
    'Set-Cookie: SID=…; Path=/app; Max-Age=60; Secure; HttpOnly; SameSite=Lax\nSet-Cookie: session=…; Secure; HttpOnly; SameSite=Lax',
  );
  assert.equal(
    suggestion(
      {
        headers: {
          'x-frame-options': 'ALLOW-FROM https://b.example/',
          'content-security-policy': "default-src 'self';",
        },
      },
      'x-frame-options',
    ),
    "Content-Security-Policy: default-src 'self'; frame-ancestors https://b.example 'self'",
  );
  for (const [value, directives] of [
    ['max-age=31536000s', 'max-age=63072000'],
    ['max-age=0; includesubdomains; preload', 'max-age=63072000; includeSubDomains; preload'],
  ] as const)
    assert.equal(suggestion(hsts(value), 'strict-transport-security'), `Strict-Transport-Security: ${directives}`);

  assert.equal(suggestion(hsts('max-age=31536000'), 'strict-transport-security'), null);
});

test('returns each of the thirteen grades', () => {
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(bestHeaders).filter(([name]) => !names.includes(name)));
  const weak = "default-src 'none'; script-src 'unsafe-inline'; frame-ancestors 'none'";
  const mixed = "default-src 'none'; img-src http:; frame-ancestors 'none'";
  const sniffing = without('x-content-type-options');
  const bare = { 'content-security-policy': '', 'strict-transport-security': 'max-age=63072000' };
  const sites: [score: number, grade: string, Partial<GradedResponse>][] = [
    [100, 'A+', { headers: bestHeaders }],
    [
      95,
      'A',
      {
        headers: {
          'x-frame-options': 'DENY',
          'content-security-policy': mixed,
          ...longHsts,
          'x-content-type-options': 'nosniff',
        },
      },
    ],
    [85, 'A-', { headers: { ...sniffing, 'content-security-policy': mixed } }],
    [80, 'B+', { headers: { ...bestHeaders, 'content-security-policy': weak } }],
    [75, 'B', { headers: { ...sniffing, 'content-security-policy': weak } }],
    [65, 'B-', { headers: { ...sniffing, 'content-security-policy': weak, 'strict-transport-security': 'max-age=1' } }],
    [60, 'C+', { headers: { ...bestHeaders, 'content-security-policy': weak, 'strict-transport-security': '' } }],
    [55, 'C', { headers: { ...bare, 'x-content-type-options': 'nosniff' } }],
    [45, 'C-', { headers: { ...bare, 'x-content-type-options': 'x', 'referrer-policy': 'x' } }],
    [
      40,
      'D+',
      {
        headers: { ...bare, 'x-content-type-options': 'x', 'referrer-policy': 'x', 'cross-origin-opener-policy': 'x' },
      },
    ],
    [30, 'D', {}],
    [25, 'D-', header('referrer-policy', 'x')],
    [0, 'F', cookie('session=a')],
  ];
  for (const [score, letter, site] of sites) {
    const result = grade(responseOf(site));
    assert.deepEqual([result.score, result.grade], [score, letter]);
  }
});

test('counts bonuses only from 90 points on, and notes withheld bonuses', () => {
  const result = grade(
    responseOf({ headers: { ...bestHeaders, 'x-content-type-options': '', 'referrer-policy': 'x' } }),
  );
  const withheld = (headers: Record<string, string>) =>
    grade(responseOf({ headers })).notes.find(({ id }) => id === 'bonus-withheld')?.message;
  assert.equal(result.score, 100);
  assert.equal(withheld({ ...bestHeaders, 'x-content-type-options': '', 'referrer-policy': 'x' }), undefined);
  assert.match(
    withheld({ ...bestHeaders, 'x-content-type-options': '', 'strict-transport-security': 'max-age=1' }) ?? '',
    /^Bonuses of 50 points/,
  );
  assert.equal(withheld({}), undefined);
});

test('returns the graded header value, truncated if long', () => {
  const shown = (id: string, response: Partial<GradedResponse>) =>
    grade(responseOf(response)).checks.find((check) => check.id === id)?.value;
  assert.equal(shown('referrer-policy', header('referrer-policy', 'x')), 'x');
  assert.equal(shown('referrer-policy', {}), null);
  assert.equal(shown('referrer-policy', header('referrer-policy', '')), '');
  assert.equal(shown('x-frame-options', csp('frame-ancestors *')), 'frame-ancestors *');
  assert.equal(shown('content-security-policy', header('content-security-policy-report-only', 'x')), 'x');
  assert.equal(shown('redirection', routeOf('http://a.example/', 'https://a.example/')), 'https://a.example/');
  assert.equal(shown('redirection', {}), null);
  const long = shown('x-frame-options', header('x-frame-options', 'x'.repeat(5000)));
  assert.equal(long, `${'x'.repeat(4095)}…`);
});

test('returns only the names and attributes of cookies', () => {
  const setCookies = [
    'session=secret; Path=/; Secure; HttpOnly; SameSite=LAX; Max-Age=10',
    'a=secret="x"; SameSite=x',
    'secret',
    '=secret',
  ];
  const result = grade(responseOf({ setCookies }));
  const value = result.checks.find(({ id }) => id === 'cookies')?.value;
  assert.equal(value, 'session=…; Path=/; Secure; HttpOnly; SameSite=lax, a=…; SameSite=?');
  assert.doesNotMatch(JSON.stringify(result), /secret/);
});

test('matches its schema, with every check in a fixed order', () => {
  const result = grade(responseOf({ headers: bestHeaders }));
  assert.deepEqual(Grade.parse(result), result);
  assert.deepEqual(
    result.checks.map(({ id }) => id),
    Object.keys(checks),
  );
});
