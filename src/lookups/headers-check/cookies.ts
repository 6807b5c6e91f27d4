/** Cookies: whether they are protected from plain HTTP, scripts and requests of other sites (RFC 6265), and whether browsers reject them. */
import { getDomain } from 'tldts';
import { checks } from './data/checks.ts';
import { type Mistake, mdnHeader, noteMistakes, rfc } from './note.ts';
import type { OutcomeOf } from './outcomes.ts';
import type { GradedResponse, Note } from './schema.ts';

export type Cookie = ReturnType<typeof parseCookie>;

/** Set by Heroku's router; the site cannot change this cookie. */
export const ignoredName = 'heroku-session-affinity';

const outcomesBestToWorst = Object.keys(checks.cookies.outcomes) as OutcomeOf<'cookies'>[];

/** A cookie as browsers read it, even if they reject it. */
export function parseCookie(setCookie: string) {
  const [pair = '', ...rest] = setCookie.split(';');
  const attributes = new Map(rest.map(nameAndValue));
  return {
    /** Empty if browsers do not accept it as a cookie with a name. */
    name: cookieNameOf(pair.trim()),
    secure: attributes.has('secure'),
    httpOnly: attributes.has('httponly'),
    /** In lower case; null if absent or unknown, which browsers treat the same. */
    sameSite: sameSiteOf(attributes.get('samesite') ?? ''),
    /** Lower case without leading dot; null if the cookie belongs only to the host. */
    domain: attributes.get('domain')?.toLowerCase().replace(/^\./, '') || null,
    /** As sent; null if absent. */
    path: attributes.get('path') ?? null,
    /** Octets of name and value together. */
    size: new TextEncoder().encode(pair.trim()).length - (pair.includes('=') ? 1 : 0),
    /** Whether it only deletes an earlier cookie. */
    isDeletion: isDeletion(attributes.get('max-age'), attributes.get('expires')),
    /** Whether a SameSite attribute has a value that no browser knows. */
    hasInvalidSameSite: /samesite/i.test(setCookie) && [pair, ...rest].some(isInvalidSameSite),
  };
}

/** The name is in lower case. */
export function nameAndValue(attribute: string): [name: string, value: string] {
  const [name = '', ...value] = attribute.split('=');
  return [name.trim().toLowerCase(), value.join('=').trim()];
}

/** Browsers reject a cookie with a control character (RFC 6265bis §5.6). */
function cookieNameOf(pair: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
  return /[\u0000-\u001f]/.test(pair) ? '' : pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
}

/** Like the Observatory, reads every part, and only up to a second `=`. */
function isInvalidSameSite(part: string): boolean {
  const [name = '', value = ''] = part.split('=');
  return name.trim().toLowerCase() === 'samesite' && sameSiteOf(value.trim()) === null;
}

const sameSiteOf = (value: string) =>
  (['strict', 'lax', 'none'] as const).find((known) => known === value.toLowerCase()) ?? null;

/** Max-Age takes precedence over Expires (RFC 6265 §5.3). Without a clock, only a date of the last century counts as past. */
function isDeletion(maxAge: string | undefined, expires: string | undefined): boolean {
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  return expires !== undefined && /\b1[6-9]\d\d\b|-[7-9]\d\b/.test(expires);
}

/**
 * The cookies that the Observatory grades: not those for another site. It applies the rules of name prefixes only in
 * their exact case, and accepts a default path for `__Host-`.
 */
export function gradedCookies({ finalUrl }: GradedResponse, sent: readonly Cookie[]): Cookie[] {
  if (!URL.canParse(finalUrl)) return [];
  const { hostname: host, pathname } = new URL(finalUrl);
  // RFC 6265 §5.1.4
  const directory = pathname.slice(0, pathname.lastIndexOf('/')) || '/';
  const jar = new Map<string, Cookie>();
  for (const cookie of sent) {
    const { name, domain } = cookie;
    const path = cookie.path?.startsWith('/') ? cookie.path : directory;
    const isRejected = /^__(?:Secure|Host)-/.test(name) && breaksPrefix({ ...cookie, path });
    if (name === '' || name === ignoredName || !belongsTo(host, domain) || isRejected) continue;
    jar.set(JSON.stringify([name, domain ?? host, path]), cookie);
  }
  return [...jar.values()].filter((cookie) => !cookie.isDeletion);
}

/** No site can set cookies for another host or a whole public suffix, such as co.uk or github.io (RFC 6265 §5.3). */
function belongsTo(host: string, domain: string | null): boolean {
  if (domain === null) return true;
  if (getDomain(domain, { allowPrivateDomains: true }) === null) return false;
  return host === domain || host.endsWith(`.${domain}`);
}

/**
 * Whether browsers reject the cookie because its attributes do not match its name prefix, in any case of its letters
 * (RFC 6265bis §5.7): `__Host-` requires an explicit Path=/.
 */
function breaksPrefix({ name, secure, domain, path }: Cookie): boolean {
  if (/^__secure-/i.test(name)) return !secure;
  return /^__host-/i.test(name) && !(secure && domain === null && path === '/');
}

/** Octets of name and value above which browsers reject a cookie (RFC 6265bis §5.6). */
const maxCookieBytes = 4096;

/** Whether browsers accept Secure in the response: over HTTPS (RFC 6265bis §5.7), and from the visitor's own machine. */
const acceptsSecure = (finalUrl: string): boolean =>
  !/^http:(?!\/\/(?:[^/:]+\.)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$))/.test(finalUrl);

/** Whether browsers store the cookie, of those that belong to the site. */
const isStored = (cookie: Cookie, finalUrl: string): boolean =>
  !breaksPrefix(cookie) && cookie.size <= maxCookieBytes && (!cookie.secure || acceptsSecure(finalUrl));

/** Whether the Observatory counts a cookie of this name as a session, with an effect on the grade. */
export const isGradedSession = (name: string): boolean => /login|sess/i.test(name);

/** With `hasHsts`, browsers use only HTTPS, so they never send a cookie without Secure over plain HTTP. */
export function cookies(sent: readonly Cookie[], graded: readonly Cookie[], hasHsts: boolean): OutcomeOf<'cookies'> {
  if (graded.length === 0) return 'cookies-not-found';
  const found = new Set<OutcomeOf<'cookies'>>();
  const protection = hasHsts ? '-but-protected-by-hsts' : '';
  // The Observatory checks this for all cookies sent, including rejected ones.
  if (sent.some((cookie) => cookie.hasInvalidSameSite && !cookie.isDeletion)) {
    found.add('cookies-samesite-flag-invalid');
  }
  for (const { name, secure, httpOnly, sameSite } of graded) {
    const isSession = isGradedSession(name);
    if (!secure) {
      found.add(`cookies-without-secure-flag${protection}`);
      if (sameSite === 'none') found.add('cookies-samesite-flag-invalid');
      if (isSession) found.add(`cookies-session-without-secure-flag${protection}`);
    }
    if (/csrf/i.test(name) && sameSite === null) found.add('cookies-anticsrf-without-samesite-flag');
    if (isSession && !httpOnly) found.add('cookies-session-without-httponly-flag');
  }
  const worst = outcomesBestToWorst.findLast((outcome) => found.has(outcome));
  if (worst !== undefined) return worst;
  return graded.every(({ sameSite }) => sameSite !== null)
    ? 'cookies-secure-with-httponly-sessions-and-samesite'
    : 'cookies-secure-with-httponly-sessions';
}

/** Names and attributes of the cookies that browsers store, without their values; null if there are none. */
export const describeCookies = ({ finalUrl }: GradedResponse, cookies: readonly Cookie[]): string | null =>
  cookies
    .filter((cookie) => isStored(cookie, finalUrl))
    .map(describeCookie)
    .join(', ') || null;

function describeCookie({ name, secure, httpOnly, sameSite, domain, path, hasInvalidSameSite }: Cookie): string {
  const parts = [
    `${name}=…`,
    path !== null && `Path=${path}`,
    domain !== null && `Domain=${domain}`,
    secure && 'Secure',
    httpOnly && 'HttpOnly',
    sameSite !== null && `SameSite=${sameSite}`,
    hasInvalidSameSite && 'SameSite=?',
  ];
  return parts.filter((part) => part !== false).join('; ');
}

/**
 * Whether a cookie of this name usually carries a session or credentials, although the Observatory does not count it as one. Cookies against
 * forged requests are exempt: scripts have to read them.
 */
export const isUngradedSession = (name: string): boolean =>
  /(?:^|[._-])(?:sid|auth|jwt|token)(?:$|[._-])|(?:auth|access|refresh|id)_?token/i.test(name) &&
  !isGradedSession(name) &&
  !/csrf|xsrf/i.test(name);

export function cookieNotes({ finalUrl }: GradedResponse, sent: readonly Cookie[]): Note[] {
  const host = URL.parse(finalUrl)?.hostname ?? '';
  const mistakes: readonly Mistake<Cookie>[] = [
    [
      { id: 'cookie-prefix', level: 'warning', link: `${mdnHeader('Set-Cookie')}#cookie_prefixes` },
      (cookie) => (breaksPrefix(cookie) ? [cookie.name] : []),
      (names) =>
        `Browsers reject these cookies: ${names}. __Secure- requires Secure; __Host- requires Secure, Path=/ and no Domain.`,
    ],
    [
      { id: 'cookie-domain', level: 'warning', link: rfc(6265, '5.3') },
      // A Domain that equals the host is accepted, even for an address or a public suffix (RFC 6265 §5.3).
      ({ name, domain }) => (domain !== host && !belongsTo(host, domain) ? [name] : []),
      (names) =>
        `Browsers reject these cookies: ${names}. Their Domain is another site or a public suffix; use the site's own domain, or omit it.`,
    ],
    [
      { id: 'cookie-size', level: 'warning', link: rfc(6265, '6.1') },
      ({ name, size }) => (size > maxCookieBytes ? [name] : []),
      (names) =>
        `Browsers reject these cookies: ${names}. Name and value are longer than ${maxCookieBytes} octets; shorten them.`,
    ],
    [
      { id: 'cookie-secure', level: 'warning', link: `${mdnHeader('Set-Cookie')}#secure` },
      ({ name, secure }) => (secure && !acceptsSecure(finalUrl) ? [name] : []),
      (names) => `Browsers reject these cookies: ${names}. Only a response over HTTPS can set a cookie with Secure.`,
    ],
    [
      { id: 'cookie-readable', level: 'warning', link: `${mdnHeader('Set-Cookie')}#httponly` },
      ({ name, httpOnly, isDeletion }) => (isUngradedSession(name) && !httpOnly && !isDeletion ? [name] : []),
      (names) =>
        `These cookies look like sessions, but scripts can read them: ${names}. Add HttpOnly, unless a script needs them.`,
    ],
  ];
  return noteMistakes(mistakes, sent);
}
