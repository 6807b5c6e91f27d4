/** Advice on cookies: a line for each one that lacks an attribute, without its value. Browsers store what they store today. */
import type { Advice } from '../policy/csp-advice.ts';
import type { GradedResponse } from '../schema.ts';
import { hstsProblemOf } from '../transport-security.ts';
import { type Cookie, nameAndValue } from './cookie.ts';
import { isUngradedSession } from './cookie-notes.ts';
import { acceptsSecure, isHostName, isHttpName } from './cookie-storage.ts';
import { ignoredName, isGradedSession, parseCookies } from './cookies.ts';

/** Cookies with a line of their own. */
const maxCookies = 5;
/** A longer line is not printed: it would be another cookie if it were cut. */
const maxLineLength = 1000;

export function suggestCookies(response: GradedResponse): Advice {
  if (!acceptsSecure(response.finalUrl))
    return {
      recommendation:
        'Serve the site over HTTPS first: over plain HTTP, browsers reject cookies with Secure. Then send: Set-Cookie: name=value; Secure; HttpOnly; SameSite=Lax',
      suggestion: null,
    };
  const lines = parseCookies(response)
    .map((cookie, at) => completeCookie(cookie, response.setCookies[at] ?? ''))
    .filter((line) => line !== null && line.length <= maxLineLength);
  return { suggestion: lines.length === 0 ? null : lines.slice(0, maxCookies).join('\n') };
}

export function explainUnprotected(cookie: string) {
  return (response: GradedResponse): Advice => {
    const problem = hstsProblemOf(response);
    if (problem === null) return suggestCookies(response);
    const description = `${cookie} lacks Secure. The HTTP Observatory counts HSTS as protection, but browsers ignore the header: ${problem}.`;
    return { ...suggestCookies(response), description };
  };
}

/** The cookie with all recommended attributes; null if it has them, or if it is not graded: the line would set a cookie that was deleted. */
function completeCookie(cookie: Cookie, setCookie: string): string | null {
  const { name, secure, httpOnly, sameSite } = cookie;
  if (name === '' || name === ignoredName || cookie.hasControl || cookie.isDeletion) return null;
  const needsHttpOnly = !httpOnly && (isGradedSession(name) || isUngradedSession(name) || isHttpName(name));
  if (secure && sameSite !== null && !needsHttpOnly) return null;
  const valid = sameSite?.replace(/^./, (letter) => letter.toUpperCase());
  // Browsers reject such a cookie with a Domain or another path.
  const isHost = isHostName(name);
  const replaced = ['', 'secure', 'httponly', 'samesite', ...(isHost ? ['path', 'domain'] : [])];
  const [, ...attributes] = setCookie.split(';').map((part) => part.trim());
  const others = attributes.filter((attribute) => !replaced.includes(nameAndValue(attribute)[0]));
  return [
    `Set-Cookie: ${name}=…`,
    ...(isHost ? ['Path=/'] : []),
    ...others,
    'Secure',
    ...(httpOnly || needsHttpOnly ? ['HttpOnly'] : []),
    `SameSite=${valid ?? (/csrf/i.test(name) ? 'Strict' : 'Lax')}`,
  ].join('; ');
}
