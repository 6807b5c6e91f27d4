/** What a request asks for: host, path and query of its target (RFC 9112 §3.2, RFC 9113 §8.3.1). */
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

/** RFC 3986 §3.2.2 and §3.2.3, without what no host of ours has: user information, percent-encoding, sub-delimiters. */
const authorityShape = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Null where the request names no single valid host; `base` stands in where it may name none. */
export function targetOf(incoming: Incoming, connection: Connection, base: () => string): Target | null {
  const url = incoming.url ?? '/';
  if (url.startsWith('/') || url === '*') return targetAt(authorityOf(incoming, base), url, connection);
  // The absolute form, as to a proxy: its host outranks the header, which has to be there all the same.
  if (authorityOf(incoming, base) === null || !/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const { host, pathname, search } = new URL(url);
  return targetAt(host, pathname + search, connection);
}

function targetAt(authority: string | null, url: string, connection: Connection): Target | null {
  if (authority === null || !isValid(authority, connection)) return null;
  const mark = url.indexOf('?');
  if (mark === -1) return { authority, path: url, query: '' };
  return { authority, path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** A connection names the same host again and again: it is looked at once. */
function isValid(authority: string, connection: Connection): boolean {
  if (authority === connection.authority) return true;
  if (!isAuthority(authority)) return false;
  connection.authority = authority;
  return true;
}

/** Whether this is a host of ours, with or without a port. */
export function isAuthority(text: string): boolean {
  return authorityShape.test(text) && URL.canParse(`http://${text}`);
}

function authorityOf(incoming: Incoming, base: () => string): string | null {
  const named = incoming instanceof Http2ServerRequest ? incoming.authority : hostOf(incoming.rawHeaders);
  if (named === '' || (named === undefined && incoming.httpVersion === '1.0'))
    return base()
      .replace(/^https?:\/\//i, '')
      .replace(/\/.*/, '');
  return named ?? null;
}

/** The Host header; undefined where there is none, null where there are several. */
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
