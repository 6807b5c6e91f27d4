/** Redirects browsers from plain HTTP to a public HTTPS URL. */
import type { ObservedRequest } from '../core/observed.ts';
import type { HttpResponse } from '../core/request-context.ts';
import { hostOf } from '../core/setting-values.ts';
import { endpoints } from './endpoints.ts';
import { prefersHtml } from './negotiate.ts';
import { commonHeaders } from './response.ts';

/** Requests of a CA that validates a domain (RFC 8555 §8.3). */
export const acmeChallengePath = '/.well-known/acme-challenge/';

/** Health checks: a load balancer may request HTML, and must not leave this process. */
const probePaths = new Set(endpoints.filter(({ kind }) => kind === 'probe').map(({ path }) => path));

/**
 * Returns the redirect of a request for a page over plain HTTP; null for every other request. It leads to the URL with the host of the
 * request, else to the first one: on another host, the browser might use the other IP version. `isForwarded`: a trusted proxy sent it, so
 * that only its header tells the scheme: without one, the proxy may have terminated TLS, and a redirect would never end.
 */
export function httpsRedirect(
  { method, origin, path, query, headers, edgeHeaders }: ObservedRequest,
  publicUrls: readonly [string, ...(string | null)[]],
  isForwarded: boolean,
): HttpResponse | null {
  if ((method !== 'GET' && method !== 'HEAD') || !prefersHtml(headers.accept)) return null;
  if (!origin.startsWith('http:')) return null;
  // An empty header is as if absent.
  if (isForwarded && !/[^\s,]/.test(edgeHeaders['x-forwarded-proto'] ?? '')) return null;
  // A public URL ends with its host, so only a slash may follow it.
  if (!path.startsWith('/') || path.startsWith(acmeChallengePath) || probePaths.has(path)) return null;
  const target = escapeTarget(query === '' ? path : `${path}?${query}`);
  const host = hostOf(origin);
  const publicUrl = publicUrls.find((url) => hostOf(url) === host) ?? publicUrls[0];
  return { status: 308, headers: { ...commonHeaders, Vary: 'Accept', Location: publicUrl + target }, body: '' };
}

/** Percent-encodes every character that a request target should not contain (RFC 3986 §3); the parser admits some of them. */
const escapeTarget = (text: string): string =>
  text.replaceAll(
    /[^!$-;=?-Z[\]_a-z~]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
