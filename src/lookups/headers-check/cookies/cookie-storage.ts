/** Why browsers do not store a cookie (RFC 6265bis §5.7). */
import { getDomain } from 'tldts';
import type { Cookie } from './cookie.ts';

/** Octets of name and value above which browsers reject a cookie. */
export const maxCookieBytes = 4096;

export type Rejection = 'control' | 'nameless' | 'size' | 'domain' | 'secure' | 'prefix' | 'same-site' | 'partitioned';

/** Null if browsers store the cookie, or delete an earlier one by it. */
export function rejectionOf(cookie: Cookie, finalUrl: string): Rejection | null {
  const { name, value, secure, sameSite, partitioned } = cookie;
  if (cookie.hasControl) return 'control';
  // A value without a name must not look like a cookie with a prefix.
  if (name === '' && (value === '' || prefix.test(value))) return 'nameless';
  if (cookie.size > maxCookieBytes) return 'size';
  const host = URL.parse(finalUrl)?.hostname ?? '';
  // A Domain that equals the host is accepted, even for an address or a public suffix.
  if (cookie.domain !== host && isForeign(host, cookie.domain)) return 'domain';
  if (secure && !acceptsSecure(finalUrl)) return 'secure';
  if (breaksPrefix(cookie)) return 'prefix';
  if (sameSite === 'none' && !secure) return 'same-site';
  return partitioned && !secure ? 'partitioned' : null;
}

/** No site can set cookies for another host or a whole public suffix, such as co.uk or github.io (RFC 6265 §5.3). */
export function isForeign(host: string, domain: string | null): boolean {
  if (domain === null) return false;
  if (getDomain(domain, { allowPrivateDomains: true }) === null) return true;
  return host !== domain && !host.endsWith(`.${domain}`);
}

/** Whether browsers accept Secure in the response: over HTTPS, and from the visitor's own machine. */
export const acceptsSecure = (finalUrl: string): boolean =>
  !/^http:(?!\/\/(?:[^/:]+\.)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$))/.test(finalUrl);

/** Prefixes of names, in any case of their letters. */
const prefix = /^__(?:secure|host|http|host-http)-/i;
export const isHostName = (name: string): boolean => /^__host-/i.test(name);
export const isHttpName = (name: string): boolean => /^__(?:host-)?http-/i.test(name);

/** Whether the attributes do not match the prefix of the name: `__Host-` requires an explicit Path=/. */
export function breaksPrefix({ name, secure, httpOnly, domain, path }: Cookie): boolean {
  if (prefix.test(name) && !secure) return true;
  if (isHttpName(name) && !httpOnly) return true;
  return isHostName(name) && !(domain === null && path === '/');
}
