/** What is worth knowing of the headers and gives or takes no points. */
import { broad, type Policy } from './content-security-policy.ts';
import { breaksPrefix, type Cookie } from './cookies.ts';
import { cspNotes } from './csp-notes.ts';
import type { Note } from './grade-schema.ts';
import type { GradedResponse } from './header-check.ts';
import { named } from './named.ts';
import { parseHsts } from './strict-transport-security.ts';

/** Of hstspreload.org: one year. */
const preloadMaxAge = 31_536_000;

/**
 * Headers that tell strangers which software, and often which version, to attack; those of OWASP's list that name
 * software. `server` is noted only with a version.
 * https://owasp.org/www-project-secure-headers/ci/headers_remove.json Last updated: 2026-11-21
 */
const revealing = [
  'liferay-portal',
  'oraclecommercecloud-version',
  'pega-host',
  'powered-by',
  'product',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'x-beserver',
  'x-cf-powered-by',
  'x-cms',
  'x-cocoon-version',
  'x-content-encoded-by',
  'x-diaginfo',
  'x-feserver',
  'x-framework',
  'x-generated-by',
  'x-generator',
  'x-jitsi-release',
  'x-mod-pagespeed',
  'x-owa-version',
  'x-page-speed',
  'x-php-version',
  'x-powered-by',
  'x-powered-by-plesk',
  'x-powered-cms',
  'x-redirect-by',
  'x-server-powered-by',
  'x-sourcefiles',
  'x-turbo-charged-by',
  'x-umbraco-version',
  'x-varnish-backend',
  'x-varnish-server',
];

/** Headers that browsers no longer heed, and what took their place. */
const deprecated: Readonly<Record<string, string>> = {
  'expect-ct': 'Browsers require Certificate Transparency without it.',
  'feature-policy': 'Permissions-Policy took its place.',
  pragma: 'Only requests give it a meaning; Cache-Control took its place.',
  'public-key-pins': 'Browsers dropped it, because mistakes locked sites out.',
  'public-key-pins-report-only': 'Browsers dropped it.',
  'x-xss-protection': 'The filter that it ruled is gone, and could itself be abused; remove it or send 0.',
};

/** `policy` is the one that was judged, `sent` the cookies with those that browsers refuse. */
export function notes(response: GradedResponse, policy: Policy | null, sent: readonly Cookie[]): Note[] {
  return [
    ...responseNotes(response),
    ...headerNotes(response),
    ...preloadNotes(response),
    ...cookieNotes(sent),
    ...(policy === null ? [] : [...framingNotes(policy), ...cspNotes(policy)]),
  ];
}

function* responseNotes({ status, finalUrl, headers }: GradedResponse): Generator<Note> {
  if (status >= 400) {
    const message = `The final response has status ${status}; pages of error are often sent without a site's usual headers.`;
    yield { id: 'error-status', level: 'warning', message };
  }
  if (finalUrl.startsWith('http:')) {
    const message = 'The final address is plain HTTP: all of it, these headers too, can be changed on the way.';
    yield { id: 'plain-http', level: 'warning', message };
  }
  if (isHtml(headers['content-type'] ?? '')) {
    const message = 'The body is not read, so <meta> elements and the integrity of scripts (SRI) are not judged.';
    yield { id: 'body-not-read', level: 'info', message };
  }
}

const isHtml = (contentType: string): boolean => /^\s*text\/html\b/i.test(contentType);

function* headerNotes({ headers }: GradedResponse): Generator<Note> {
  if (headers['permissions-policy'] === undefined && isHtml(headers['content-type'] ?? 'text/html')) {
    const message =
      'Permissions-Policy is absent; with it a page gives up what it does not use, such as: Permissions-Policy: camera=(), microphone=(), geolocation=()';
    yield { id: 'permissions-policy-absent', level: 'info', message };
  }
  if (headers['access-control-allow-origin']?.trim() === '*') {
    const message = 'Access-Control-Allow-Origin: * lets every site read this response; right for public data alone.';
    yield { id: 'cors-any-origin', level: 'info', message };
  }
  const leaks = revealing.filter((name) => headers[name] !== undefined);
  if (/\/\s*v?\d|\d\.\d/.test(headers.server ?? '')) leaks.unshift('server');
  if (leaks.length > 0) {
    const message = `The software in use, or its version, is told to strangers by: ${named(leaks)}. Remove it, or the version from it.`;
    yield { id: 'software-revealed', level: 'info', message };
  }
  for (const [name, reason] of Object.entries(deprecated)) {
    const value = headers[name];
    if (value === undefined || (name === 'x-xss-protection' && value.trim() === '0')) continue;
    yield { id: 'deprecated-header', level: 'info', message: `${name} is obsolete. ${reason}` };
  }
}

function* preloadNotes({ finalUrl, headers }: GradedResponse): Generator<Note> {
  const hsts = finalUrl.startsWith('https:') ? parseHsts(headers['strict-transport-security'] ?? '') : null;
  if (!hsts?.preload) return;
  if (hsts.includeSubDomains && hsts.maxAge >= preloadMaxAge) {
    const message =
      "HSTS is fit for the browsers' preload lists (hstspreload.org); whether the site is on them is not looked up.";
    yield { id: 'hsts-preload-eligible', level: 'info', message };
  } else {
    const message = `HSTS asks for preloading, which takes includeSubDomains and a max-age of ${preloadMaxAge} or more.`;
    yield { id: 'hsts-preload-ineligible', level: 'warning', message };
  }
}

function* cookieNotes(sent: readonly Cookie[]): Generator<Note> {
  const names = sent.filter(breaksPrefix).map(({ name }) => name);
  if (names.length === 0) return;
  const message = `Browsers refuse these cookies: ${named(names)}. __Secure- takes Secure; __Host- takes Secure, Path=/ and no Domain.`;
  yield { id: 'cookie-prefix', level: 'warning', message };
}

function* framingNotes(policy: Policy): Generator<Note> {
  if (policy.get('frame-ancestors')?.isDisjointFrom(broad) === false) {
    const message = 'frame-ancestors lets every site show the page in a frame, although the check of framing passes.';
    yield { id: 'frame-ancestors-any', level: 'warning', message };
  }
}
