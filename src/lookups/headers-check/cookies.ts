/** Cookies: whether what a site stores is kept from plain HTTP, from scripts and from other sites' requests (RFC 6265). */
import { getDomain } from 'tldts';
import type { GradedResponse } from './header-check.ts';
import type { OutcomeOf } from './outcomes.ts';

export interface Cookie {
  /** Empty where browsers would not take it for a cookie with a name. */
  readonly name: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** In lower case; null where absent or unknown, which browsers treat alike. */
  readonly sameSite: 'strict' | 'lax' | 'none' | null;
  /** Lower case without leading dot; null: for the host alone. */
  readonly domain: string | null;
  /** As sent; null where absent. */
  readonly path: string | null;
  /** Sent only to take an earlier cookie away. */
  readonly deletes: boolean;
  /** Whether a SameSite says something that no browser knows. */
  readonly hasInvalidSameSite: boolean;
}

/** Set by Heroku's router; the site cannot change it. */
const ignoredName = 'heroku-session-affinity';

/** From best to worst. */
const worsening = [
  'cookies-without-secure-flag-but-protected-by-hsts',
  'cookies-without-secure-flag',
  'cookies-session-without-secure-flag-but-protected-by-hsts',
  'cookies-samesite-flag-invalid',
  'cookies-anticsrf-without-samesite-flag',
  'cookies-session-without-httponly-flag',
  'cookies-session-without-secure-flag',
] as const satisfies OutcomeOf<'cookies'>[];

/** Every Set-Cookie of a response, those that browsers refuse included. */
export const sentCookies = ({ setCookies }: GradedResponse): Cookie[] => setCookies.map(parseCookie);

function parseCookie(setCookie: string): Cookie {
  const [pair = '', ...rest] = setCookie.split(';');
  const attributes = new Map(rest.map(nameAndValue));
  return {
    name: nameOf(pair.trim()),
    secure: attributes.has('secure'),
    httpOnly: attributes.has('httponly'),
    sameSite: sameSiteOf(attributes.get('samesite') ?? ''),
    domain: attributes.get('domain')?.toLowerCase().replace(/^\./, '') || null,
    path: attributes.get('path') ?? null,
    deletes: deletes(attributes.get('max-age'), attributes.get('expires')),
    hasInvalidSameSite: /samesite/i.test(setCookie) && [pair, ...rest].some(isInvalidSameSite),
  };
}

function nameAndValue(attribute: string): [name: string, value: string] {
  const [name = '', ...value] = attribute.split('=');
  return [name.trim().toLowerCase(), value.join('=').trim()];
}

/** A control character makes browsers refuse the cookie (RFC 6265bis §5.6). */
function nameOf(pair: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f]/.test(pair) ? '' : pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
}

/** As the Observatory reads it: in every part, and only up to a second `=`. */
function isInvalidSameSite(part: string): boolean {
  const [name = '', value = ''] = part.split('=');
  return name.trim().toLowerCase() === 'samesite' && sameSiteOf(value.trim()) === null;
}

const sameSiteOf = (value: string): Cookie['sameSite'] =>
  (['strict', 'lax', 'none'] as const).find((known) => known === value.toLowerCase()) ?? null;

/** Max-Age outranks Expires (RFC 6265 §5.3). There is no clock here: a date of the last century is in the past. */
function deletes(maxAge: string | undefined, expires: string | undefined): boolean {
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  return expires !== undefined && /\b1[6-9]\d\d\b|-[7-9]\d\b/.test(expires);
}

/** The cookies a browser would keep: not those for another site, nor those that break the rule of their prefix. */
export function keptCookies({ finalUrl }: GradedResponse, sent: readonly Cookie[]): Cookie[] {
  if (!URL.canParse(finalUrl)) return [];
  const { hostname: host, pathname } = new URL(finalUrl);
  // RFC 6265 §5.1.4
  const directory = pathname.slice(0, pathname.lastIndexOf('/')) || '/';
  const jar = new Map<string, Cookie>();
  for (const cookie of sent) {
    const { name, domain } = cookie;
    const path = cookie.path?.startsWith('/') ? cookie.path : directory;
    if (name === '' || name === ignoredName || !belongsTo(host, domain) || breaksPrefix({ ...cookie, path })) continue;
    jar.set(JSON.stringify([name, domain ?? host, path]), cookie);
  }
  return [...jar.values()].filter(({ deletes }) => !deletes);
}

/** No site can set cookies for a whole public suffix, such as co.uk or github.io (RFC 6265 §5.3). */
function belongsTo(host: string, domain: string | null): boolean {
  if (domain === null) return true;
  if (getDomain(domain, { allowPrivateDomains: true }) === null) return false;
  return host === domain || host.endsWith(`.${domain}`);
}

/** Whether browsers refuse it because its name promises what its attributes do not keep (RFC 6265bis §4.1.3). */
export function breaksPrefix({ name, secure, domain, path }: Cookie): boolean {
  if (name.startsWith('__Secure-')) return !secure;
  return name.startsWith('__Host-') && !(secure && domain === null && path === '/');
}

/** `underHsts`: browsers come by HTTPS alone, so that a cookie without Secure does not leave it either. */
export function cookies(sent: readonly Cookie[], kept: readonly Cookie[], underHsts: boolean): OutcomeOf<'cookies'> {
  if (kept.length === 0) return 'cookies-not-found';
  const found = new Set<OutcomeOf<'cookies'>>();
  // The Observatory looks for this among all that is sent, refused cookies included.
  if (sent.some(({ deletes, hasInvalidSameSite }) => hasInvalidSameSite && !deletes)) {
    found.add('cookies-samesite-flag-invalid');
  }
  for (const { name, secure, httpOnly, sameSite } of kept) {
    const isSession = /login|sess/i.test(name);
    if (!secure) {
      found.add(underHsts ? 'cookies-without-secure-flag-but-protected-by-hsts' : 'cookies-without-secure-flag');
      if (sameSite === 'none') found.add('cookies-samesite-flag-invalid');
      if (isSession) {
        found.add(
          underHsts
            ? 'cookies-session-without-secure-flag-but-protected-by-hsts'
            : 'cookies-session-without-secure-flag',
        );
      }
    }
    if (/csrf/i.test(name) && sameSite === null) found.add('cookies-anticsrf-without-samesite-flag');
    if (isSession && !httpOnly) found.add('cookies-session-without-httponly-flag');
  }
  const worst = worsening.findLast((outcome) => found.has(outcome));
  if (worst !== undefined) return worst;
  return kept.every(({ sameSite }) => sameSite !== null)
    ? 'cookies-secure-with-httponly-sessions-and-samesite'
    : 'cookies-secure-with-httponly-sessions';
}

/** The judged cookies by name and attributes; what they hold is nobody's business. */
export function describedCookies(kept: readonly Cookie[]): string | null {
  return kept.length === 0 ? null : kept.map(described).join(', ');
}

function described({ name, secure, httpOnly, sameSite, domain, path, hasInvalidSameSite }: Cookie): string {
  const parts = [`${name}=…`];
  if (path !== null) parts.push(`Path=${path}`);
  if (domain !== null) parts.push(`Domain=${domain}`);
  if (secure) parts.push('Secure');
  if (httpOnly) parts.push('HttpOnly');
  if (sameSite !== null) parts.push(`SameSite=${sameSite}`);
  if (hasInvalidSameSite) parts.push('SameSite=?');
  return parts.join('; ');
}
