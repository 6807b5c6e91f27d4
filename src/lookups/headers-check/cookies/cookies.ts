/** Cookies: whether they are protected from plain HTTP, scripts and requests of other sites (RFC 6265). */
import { checks } from '../data/checks.ts';
import type { OutcomeOf } from '../outcomes.ts';
import type { GradedResponse } from '../schema.ts';
import { type Cookie, parseCookie } from './cookie.ts';
import { parseCookieDate } from './cookie-date.ts';
import { breaksPrefix, isForeign, isHttpName, rejectionOf } from './cookie-storage.ts';

/** Set by Heroku's router; the site cannot change this cookie. */
export const ignoredName = 'heroku-session-affinity';

const outcomesBestToWorst = Object.keys(checks.cookies.outcomes) as OutcomeOf<'cookies'>[];

/** The cookies of a response, also those that browsers reject. They expire by its Date, or else by the clock. */
export function parseCookies({ headers, setCookies, nowMs }: GradedResponse): Cookie[] {
  const now = parseCookieDate(headers.date ?? '') ?? nowMs ?? Date.now();
  return setCookies.map((setCookie) => parseCookie(setCookie, now));
}

/**
 * The cookies that the Observatory grades: not those for another site. It applies the rules of name prefixes only in
 * their exact case, accepts a default path for `__Host-`, and does not know the prefixes with Http.
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
    const isRejected = (/^__(?:Secure|Host)-/.test(name) || isHttpName(name)) && breaksPrefix({ ...cookie, path });
    if (name === '' || cookie.hasControl || name === ignoredName || isForeign(host, domain) || isRejected) continue;
    jar.set(JSON.stringify([name, domain ?? host, path]), cookie);
  }
  return [...jar.values()].filter((cookie) => !cookie.isDeletion);
}

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
    .filter((cookie) => rejectionOf(cookie, finalUrl) === null)
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
