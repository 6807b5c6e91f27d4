/** Notes on cookies: why browsers reject them, which attributes they ignore, and which sessions scripts can read. */
import { editDistance } from '../../../core/text.ts';
import { type Mistake, mdnHeader, noteMistakes, rfc } from '../note.ts';
import type { GradedResponse, Note } from '../schema.ts';
import { type Cookie, isMaxAge } from './cookie.ts';
import { parseCookieDate } from './cookie-date.ts';
import { maxCookieBytes, type Rejection, rejectionOf } from './cookie-storage.ts';
import { isGradedSession } from './cookies.ts';

const setCookie = mdnHeader('Set-Cookie');

/** The note of each reason for which browsers reject a cookie: id, documentation, and what to change. */
const rejections: Readonly<Record<Rejection, readonly [id: string, link: string, remedy: string]>> = {
  control: ['cookie-control-character', rfc(6265, '4.1.1'), 'They contain a control character; encode the value.'],
  nameless: [
    'cookie-nameless',
    rfc(6265, '4.1.1'),
    'They have no name, and no value or one like a name with a prefix; set a name.',
  ],
  size: ['cookie-size', rfc(6265, '6.1'), `Name and value are longer than ${maxCookieBytes} octets; shorten them.`],
  domain: [
    'cookie-domain',
    rfc(6265, '5.3'),
    "Their Domain is another site or a public suffix; use the site's own domain, or omit it.",
  ],
  secure: ['cookie-secure', `${setCookie}#secure`, 'Only a response over HTTPS can set a cookie with Secure.'],
  prefix: [
    'cookie-prefix',
    `${setCookie}#cookie_prefixes`,
    '__Secure- requires Secure, and __Http- also HttpOnly; __Host- requires Secure, Path=/ and no Domain, and __Host-Http- also HttpOnly.',
  ],
  'same-site': ['cookie-samesite-none', `${setCookie}#none`, 'SameSite=None requires Secure.'],
  partitioned: ['cookie-partitioned', `${setCookie}#partitioned`, 'Partitioned requires Secure.'],
};

/**
 * Whether a cookie of this name usually carries a session or credentials, although the Observatory does not count it as one. Cookies against
 * forged requests are exempt: scripts have to read them.
 */
export const isUngradedSession = (name: string): boolean =>
  /(?:^|[._-])(?:sid|auth|jwt|token)(?:$|[._-])|(?:auth|access|refresh|id)_?token/i.test(name) &&
  !isGradedSession(name) &&
  !/csrf|xsrf/i.test(name);

const known = ['secure', 'httponly', 'samesite', 'domain', 'path', 'expires', 'max-age', 'partitioned', 'priority'];

const maxNameLength = 20;

/** The attribute that a name in lower case is meant to be; undefined if it is one, or is not similar to one. */
const meantBy = (name: string): string | undefined => {
  const letters = (text: string): string => text.replace(/[^a-z]/g, '');
  if (known.includes(name) || name.length > maxNameLength) return undefined;
  return known.find((each) => letters(each) === letters(name) || (name.length > 4 && editDistance(each, name) <= 1));
};

/** More attributes than a cookie has; the rest is not examined. */
const maxAttributes = 20;

/** Attributes that browsers ignore, or read differently than they look. */
function* mistakenAttributes({ name, attributes }: Cookie): Generator<string> {
  for (const [attribute, value] of [...attributes].slice(0, maxAttributes)) {
    const meant = meantBy(attribute);
    if (meant !== undefined) yield `${name}: ${attribute} (did you mean ${meant}?)`;
    if (['secure', 'httponly', 'partitioned'].includes(attribute) && /^(?:false|0|no|off)$/i.test(value))
      yield `${name}: ${attribute}=${value} (set all the same; omit it)`;
    if (attribute === 'max-age' && !isMaxAge(value)) yield `${name}: max-age=${value} (not a whole number)`;
    if (attribute === 'expires' && value !== '' && parseCookieDate(value) === null)
      yield `${name}: expires=${value} (not a date)`;
    if (attribute === 'path' && value !== '' && !value.startsWith('/'))
      yield `${name}: path=${value} (no slash before it)`;
  }
}

/** Two cookies in one header: the second one is part of an attribute. */
const joined = /,\s*[\w.-]+=/;

export function cookieNotes({ finalUrl }: GradedResponse, sent: readonly Cookie[]): Note[] {
  const reasons = new Map(sent.map((cookie) => [cookie, rejectionOf(cookie, finalUrl)]));
  const rejected = Object.entries(rejections).map(
    ([reason, [id, link, remedy]]): Mistake<Cookie> => [
      { id, level: 'warning', link },
      (cookie) => (reasons.get(cookie) === reason ? [cookie.name] : []),
      (names) => `Browsers reject these cookies: ${names}. ${remedy}`,
    ],
  );
  const others: readonly Mistake<Cookie>[] = [
    [
      { id: 'cookie-joined', level: 'warning', link: rfc(6265, '3') },
      ({ name, attributes }) =>
        [...attributes].some(([attribute, value]) => attribute !== 'expires' && joined.test(value)) ? [name] : [],
      (names) =>
        `These headers contain a second cookie after a comma, which browsers read as part of an attribute: ${names}. Send one Set-Cookie for each cookie.`,
    ],
    [
      { id: 'cookie-attribute', level: 'warning', link: setCookie },
      (cookie) => [...mistakenAttributes(cookie)],
      (found) => `Browsers ignore these attributes, or read them differently: ${found}. Correct them.`,
    ],
    [
      { id: 'cookie-readable', level: 'warning', link: `${setCookie}#httponly` },
      (cookie) =>
        isUngradedSession(cookie.name) && !cookie.httpOnly && !cookie.isDeletion && reasons.get(cookie) === null
          ? [cookie.name]
          : [],
      (names) =>
        `These cookies look like sessions, but scripts can read them: ${names}. Add HttpOnly, unless a script needs them.`,
    ],
  ];
  return noteMistakes([...rejected, ...others], sent);
}
