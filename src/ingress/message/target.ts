/** The target of a request, and the host that it names. */

/** RFC 3986 §3.2.2 and §3.2.3, without user information, percent-encoding and sub-delimiters, which host names do not contain. */
const authorityShape = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Usual names, which need no further test: no Punycode, whose validity depends on its letters, and no number at the end. */
const usualName = /^(?:(?!xn--)[a-z][a-z\d-]*\.)+[a-z]+$/i;

/** A host name has at most 253 characters; a longer Host serves only to enlarge the responses that contain it. */
const maxAuthorityLength = 255;

/**
 * Returns null unless the request names exactly one valid host. `named` is the host in its headers; null if it is missing or ambiguous.
 * `latest` has the latest valid host of the connection, which usually repeats.
 */
export function targetOf(url: string, named: string | null, latest: { authority: string | null }): Target | null {
  if (named === null) return null;
  if (url.startsWith('/') || url === '*') return isValid(named, latest) ? targetAt(named, url) : null;
  // The absolute form, as sent to a proxy: its host takes precedence over the header, which is still required. It must have a host,
  // and no user information (RFC 9110 §4.2.1 and §4.2.4).
  const [, authority, rest = ''] = /^https?:\/\/([^/?#@]+)((?:[/?#].*)?)$/is.exec(url) ?? [];
  if (authority === undefined || !isAuthority(named) || !URL.canParse(url)) return null;
  const { host } = new URL(url);
  // As sent: the URL of the platform would resolve dots and encode more characters than in the usual form.
  return isValid(host, latest) ? targetAt(host, rest.startsWith('/') ? rest : `/${rest}`) : null;
}

function targetAt(authority: string, url: string) {
  const mark = url.indexOf('?');
  // An empty port is the default one (RFC 3986 §3.2.3).
  const host = authority.endsWith(':') ? authority.slice(0, -1) : authority;
  if (mark === -1) return { authority: host, path: url, query: '' };
  return { authority: host, path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** Host with port, path, and query without its question mark, of a request target (RFC 9112 §3.2, RFC 9113 §8.3.1). */
export type Target = Readonly<ReturnType<typeof targetAt>>;

function isValid(authority: string, latest: { authority: string | null }): boolean {
  if (authority === latest.authority) return true;
  if (!isAuthority(authority)) return false;
  latest.authority = authority;
  return true;
}

/** Whether the text is a valid host, with or without a port. */
export const isAuthority = (text: string): boolean =>
  text.length <= maxAuthorityLength &&
  (usualName.test(text) || (authorityShape.test(text) && URL.canParse(`http://${text}`)));

/** Returns the Host header; undefined if there is none, null if there are several. */
export function hostOf(rawPairs: readonly string[]): string | null | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawPairs.length; at += 2) {
    const name = rawPairs[at] as string;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return null;
    host = rawPairs[at + 1];
  }
  return host;
}

/** Returns `:authority`, else the Host header; null if they differ (RFC 9113 §8.3.1) or there are several hosts. */
export function authorityOf(authority: string | undefined, rawPairs: readonly string[]): string | null | undefined {
  const host = hostOf(rawPairs);
  if (authority === undefined || host === null) return host;
  return host === undefined || normalize(host) === normalize(authority) ? authority : null;
}

/** HTTP/2 is offered only over TLS, so 443 is its default port. */
const normalize = (authority: string): string => authority.toLowerCase().replace(/:(?:443)?$/, '');
