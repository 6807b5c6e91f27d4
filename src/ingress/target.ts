/** Host, path and query of a request target (RFC 9112 §3.2, RFC 9113 §8.3.1). */
import type { IncomingMessage } from 'node:http';
import { Http2ServerRequest } from 'node:http2';
import type { Connection } from './connection.ts';

export type Incoming = IncomingMessage | Http2ServerRequest;

export interface Target {
  /** Host and port. */
  readonly authority: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** RFC 3986 §3.2.2 and §3.2.3, without user information, percent-encoding and sub-delimiters, which no host of ours contains. */
const authorityShape = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** A host name has at most 253 characters; a longer Host serves only to enlarge the responses that contain it. */
const maxAuthorityLength = 255;

/** Returns null unless the request names exactly one valid host; `base` replaces it if the request may name none. */
export function targetOf(incoming: Incoming, connection: Connection, base: () => string): Target | null {
  const url = incoming.url ?? '/';
  if (url.startsWith('/') || url === '*') return targetAt(authorityOf(incoming, base), url, connection);
  // The absolute form, as sent to a proxy: its host takes precedence over the header, which is still required.
  const named = authorityOf(incoming, base);
  if (named === null || !isAuthority(named) || !/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const { host, pathname, search } = new URL(url);
  return targetAt(host, pathname + search, connection);
}

function targetAt(authority: string | null, url: string, connection: Connection): Target | null {
  if (authority === null || !isValid(authority, connection)) return null;
  const mark = url.indexOf('?');
  if (mark === -1) return { authority, path: url, query: '' };
  return { authority, path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** A connection usually repeats the same host: it is checked once. */
function isValid(authority: string, connection: Connection): boolean {
  if (authority === connection.authority) return true;
  if (!isAuthority(authority)) return false;
  connection.authority = authority;
  return true;
}

/** Whether the text is a valid host, with or without a port. */
export function isAuthority(text: string): boolean {
  return text.length <= maxAuthorityLength && authorityShape.test(text) && URL.canParse(`http://${text}`);
}

function authorityOf(incoming: Incoming, base: () => string): string | null {
  const { rawHeaders } = incoming;
  const named = incoming instanceof Http2ServerRequest ? authorityOfHttp2(incoming) : hostOf(rawHeaders);
  if (named === '' || (named === undefined && incoming.httpVersion === '1.0'))
    return base()
      .replace(/^https?:\/\//i, '')
      .replace(/\/.*/, '');
  return named ?? null;
}

/** Returns `:authority`, else the Host header; null if they differ (RFC 9113 §8.3.1) or there are several hosts. */
function authorityOfHttp2({ headers, rawHeaders }: Http2ServerRequest): string | null | undefined {
  const { ':authority': authority, host } = headers;
  if (host === undefined) return authority;
  const named = hostOf(rawHeaders);
  if (authority === undefined || named === null || named === undefined) return named;
  return normalizeAuthority(named) === normalizeAuthority(authority) ? authority : null;
}

/** HTTP/2 is offered only over TLS, so 443 is its default port. */
function normalizeAuthority(text: string): string {
  return text.toLowerCase().replace(/:443$/, '');
}

/** Returns the Host header; undefined if there is none, null if there are several. */
function hostOf(rawPairs: readonly string[]): string | null | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawPairs.length; at += 2) {
    const name = rawPairs[at] as string;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return null;
    host = rawPairs[at + 1];
  }
  return host;
}
