/** Notes on cookies that browsers reject, and on session-like cookies that scripts can read. */
import { belongsTo, breaksPrefix, type Cookie, isSessionName, maxCookieBytes } from '../checks/cookies.ts';
import type { GradedResponse, Note } from '../schema.ts';
import { type Mistake, mdnHeader, noteMistakes, rfc } from './note.ts';

/**
 * Names that usually carry a session or credentials, beside those that the Observatory grades. Cookies against forged
 * requests are exempt: scripts have to read them.
 */
export const isSessionLike = (name: string): boolean =>
  /(?:^|[._-])(?:sid|auth|jwt|token)(?:$|[._-])|(?:auth|access|refresh|id)_?token/i.test(name) &&
  !isSessionName(name) &&
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
      { id: 'cookie-readable', level: 'warning', link: `${mdnHeader('Set-Cookie')}#httponly` },
      ({ name, httpOnly, isDeletion }) => (isSessionLike(name) && !httpOnly && !isDeletion ? [name] : []),
      (names) =>
        `These cookies look like sessions, but scripts can read them: ${names}. Add HttpOnly, unless a script needs them.`,
    ],
  ];
  return noteMistakes(mistakes, sent);
}
