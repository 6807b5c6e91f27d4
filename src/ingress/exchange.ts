/** A request and its response, over any version of HTTP: the target, the header fields of both, and the body. */
import type { Readable } from 'node:stream';
import type { ClosingReason } from './bounds.ts';
import type { Connection } from './connection.ts';
import type { BodyProblem, Sending } from './memory.ts';

const noHeaders: readonly string[] = [];
const noTarget: Target = { authority: '', path: '', query: '' };

export abstract class Exchange implements Sending {
  readonly connection: Connection;
  /** Host, path and query; set before the handler is called. */
  target = noTarget;
  /** Names and values alternate, as received, with the pseudo-headers of HTTP/2 and HTTP/3; empty after a response over HTTP/2 or HTTP/3 has begun. */
  rawHeaders: readonly string[];
  abstract readonly method: string;
  abstract readonly protocol: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2' | 'HTTP/3';
  abstract readonly output: Sending['output'];
  bufferedBytes = 0;
  progressedMs = 0;
  #headers: Readonly<Record<string, string>> | null = null;
  #releaseBody: (() => void) | null = null;

  constructor(connection: Connection, rawHeaders: readonly string[]) {
    this.connection = connection;
    this.rawHeaders = rawHeaders;
  }

  /** Lower-case names, repeats joined; `host` is the host that the request names. */
  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= headersOf(this.rawHeaders);
    return this.#headers;
  }

  /** Whether the response has begun, or the client has disconnected. */
  abstract readonly isAnswered: boolean;

  /**
   * Sends the response, once: adds the length, and omits the body if the request is a HEAD. Does nothing if the client has disconnected,
   * or if a bound has answered already.
   */
  abstract respond(response: Response): void;

  /** Lets no request follow on an HTTP/1 connection if the body of this one has not been read. */
  endAfterUnreadBody(): void {}

  /** Ends the exchange without the rest of its response, and an HTTP/1 connection with it. */
  abstract destroy(): void;

  /** Ends only this exchange; false if its connection cannot go on without it. */
  protected closeAlone(): boolean {
    return false;
  }

  /** Ends the exchange because of a bound. The other exchanges of a trusted proxy are those of other clients, and go on. */
  abort(reason: ClosingReason): void {
    const { socket, client, shared } = this.connection;
    if (socket.destroyed) return;
    shared.onClosed(reason);
    if (!client.trusted || !this.closeAlone()) socket.destroy();
  }

  /** Counts each piece of the body; null if what parses it is bounded otherwise. */
  protected readonly onData: ((bytes: Uint8Array) => void) | null = null;

  /** The body as a stream; null if the request certainly has none. */
  protected abstract readonly body: Readable | null;

  /**
   * Reads the whole body of at most `maxBytes`, once. Resolves in an iteration of the event loop that has time for it. The bytes are freed
   * when the exchange ends.
   */
  async readBody(maxBytes: number): Promise<Uint8Array | BodyProblem> {
    const { body, connection } = this;
    if (body === null) return new Uint8Array();
    const { bodies, scheduler } = connection.shared;
    const declaredBytes = Number(this.headers['content-length'] ?? 0);
    if (this.onData !== null) body.on('data', this.onData);
    const bytes = await bodies.read(body, { declaredBytes, maxBytes }, (release) => {
      this.#releaseBody = release;
    });
    // The bodies of many requests may end in one iteration, and each may take long to handle.
    await scheduler.wait(connection, connection.share);
    return bytes;
  }

  /** Nothing reads the headers after the response has begun, and a client that reads slowly may let it take long. */
  protected dropHeaders(): void {
    this.rawHeaders = noHeaders;
    this.#headers = null;
  }

  /** Must be called when the exchange has ended. */
  protected release(): void {
    if (this.bufferedBytes > 0) this.connection.shared.sendBuffer.release(this);
    this.#releaseBody?.();
    this.#releaseBody = null;
  }
}

/** RFC 3986 §3.2.2 and §3.2.3, without user information, percent-encoding and sub-delimiters, which host names do not contain. */
const authorityShape = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** A host name has at most 253 characters; a longer Host serves only to enlarge the responses that contain it. */
const maxAuthorityLength = 255;

/**
 * Returns null unless the request names exactly one valid host. `named` is that of its headers; null if it is missing or ambiguous.
 * `checked` has the latest valid host of the connection, which usually repeats.
 */
export function targetOf(url: string, named: string | null, checked: { authority: string | null }): Target | null {
  if (named === null) return null;
  if (url.startsWith('/') || url === '*') return isValid(named, checked) ? targetAt(named, url) : null;
  // The absolute form, as sent to a proxy: its host takes precedence over the header, which is still required.
  if (!isAuthority(named) || !/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const { host, pathname, search } = new URL(url);
  return isValid(host, checked) ? targetAt(host, pathname + search) : null;
}

function targetAt(authority: string, url: string) {
  const mark = url.indexOf('?');
  if (mark === -1) return { authority, path: url, query: '' };
  return { authority, path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** Host with port, path, and query without its question mark, of a request target (RFC 9112 §3.2, RFC 9113 §8.3.1). */
export type Target = Readonly<ReturnType<typeof targetAt>>;

function isValid(authority: string, checked: { authority: string | null }): boolean {
  if (authority === checked.authority) return true;
  if (!isAuthority(authority)) return false;
  checked.authority = authority;
  return true;
}

/** Whether the text is a valid host, with or without a port. */
export const isAuthority = (text: string): boolean =>
  text.length <= maxAuthorityLength && authorityShape.test(text) && URL.canParse(`http://${text}`);

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
const normalize = (authority: string): string => authority.toLowerCase().replace(/:443$/, '');

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Creates objects without inherited members; cheaper to fill and copy than those of `Object.create(null)`. */
function NoMembers(): void {}
NoMembers.prototype = Object.create(null);
const HeaderMap = NoMembers as unknown as new () => Record<string, string>;

/**
 * Returns lower-case names without a prototype, repeats joined by `, ` (cookies by `; `, RFC 9113 §8.2.3). HTTP/2's `:authority`
 * becomes `host`, in place of an equivalent Host; the other pseudo-headers are omitted.
 */
export function headersOf(rawPairs: readonly string[]): Record<string, string> {
  const headers = new HeaderMap();
  let hasAuthority = false;
  for (let at = 0; at + 1 < rawPairs.length; at += 2) {
    let name = (rawPairs[at] as string).toLowerCase();
    const value = decodeValue(rawPairs[at + 1] as string);
    if (name.startsWith(':')) {
      if (name !== ':authority') continue;
      hasAuthority = true;
      name = 'host';
    } else if (name === 'host' && hasAuthority) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}

/** Returns names and values in order, the values decoded. */
export function headerFieldsOf(rawPairs: readonly string[]): [name: string, value: string][] {
  const fields: [string, string][] = [];
  for (let at = 0; at + 1 < rawPairs.length; at += 2)
    fields.push([rawPairs[at] as string, decodeValue(rawPairs[at + 1] as string)]);
  return fields;
}

/** Decodes a value as UTF-8 if it is valid; Node delivers bytes as Latin-1. */
export function decodeValue(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

export type Headers = Readonly<Record<string, string>>;

/** A complete response, without the length of its body. */
export interface Response {
  readonly status: number;
  /** Best one object for all responses with these headers: what is sent is then prepared once. */
  readonly headers: Headers;
  /** Headers of this response alone, which `headers` does not contain. */
  readonly ownHeaders?: Headers;
  readonly body: string | Uint8Array;
}

/** Copying the pairs of an object that is sent again costs less than making them. */
const rawHeaders = new WeakMap<Headers, Readonly<Record<'http1' | 'http2', readonly string[]>>>();

/**
 * Returns alternating names and values of the shared headers, which the caller copies; for HTTP/2 in lower case (RFC 9113 §8.2), after a
 * place for the status.
 */
export function rawHeadersOf({ headers }: Response) {
  let raw = rawHeaders.get(headers);
  if (raw === undefined) {
    const pairs = Object.entries(headers);
    raw = {
      http1: pairs.flat(),
      http2: [':status', '', ...pairs.flatMap(([name, value]) => [name.toLowerCase(), value])],
    };
    rawHeaders.set(headers, raw);
  }
  return raw;
}

/** Adds the headers of this response alone, and the length of its body. */
export function addOwnHeaders(pairs: string[], { status, ownHeaders }: Response, bytes: number): void {
  for (const name in ownHeaders) pairs.push(name, ownHeaders[name] as string);
  // No length with 204 (RFC 9110 §8.6).
  if (status !== 204) pairs.push('Content-Length', `${bytes}`);
}
