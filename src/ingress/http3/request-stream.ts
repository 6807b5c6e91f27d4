/** Reads the request on a stream that the client opened (RFC 9114 §4.1), and checks its fields (§4.2 and §4.3). */
import type { IncomingHttpHeaders } from 'node:http2';
import type { QuicStream, QuicStreamHandler } from '../../native/quic.ts';
import type { IngressBounds } from '../bounds.ts';
import { controlTypes, errorCodes, frameTypes } from './data/registries.ts';
import { ConnectionError, StreamError } from './errors.ts';
import type { Http3Exchange, ReceivedRequest } from './exchange.ts';
import { type FrameHandler, FrameReader, frameCost } from './frames.ts';
import { decodeFieldSection } from './qpack.ts';

/** The members of its connection that a stream uses. */
export interface RequestOwner {
  readonly bounds: IngressBounds;
  /** Starts a request, perhaps later. */
  open(request: ReceivedRequest): Http3Exchange;
  /** Counts bytes that belong to no request. */
  countUseless(bytes: number): void;
  /** Closes the connection if `work` throws, or aborts the stream alone. */
  contain(stream: Pick<QuicStream, 'abort'>, work: () => void): void;
  /** The stream needs no further headers. */
  onHeaders(stream: RequestStream): void;
}

export class RequestStream implements QuicStreamHandler, FrameHandler {
  /** Time at which the stream was opened (`performance.now`). */
  readonly openedMs = performance.now();
  readonly #stream: QuicStream;
  readonly #owner: RequestOwner;
  readonly #frames = new FrameReader(this);
  #exchange: Http3Exchange | null = null;
  #hasTrailers = false;
  #isLast = false;
  /** After an error or a reset, nothing is read. */
  #isEnded = false;
  #discardedBytes = 0;

  constructor(stream: QuicStream, owner: RequestOwner) {
    this.#stream = stream;
    stream.handler = this;
    this.#owner = owner;
  }

  onData(bytes: Uint8Array, isLast: boolean): void {
    this.#owner.contain(this, () => {
      if (this.#isEnded) return;
      this.#isLast = isLast;
      this.#frames.push(bytes);
      if (isLast) this.#finish();
    });
  }

  onReset(): void {
    this.#owner.onHeaders(this);
    if (this.#exchange?.isReceived === false) this.onStopSending();
  }

  onStopSending(): void {
    this.#owner.contain(this, () => {
      const exchange = this.#exchange;
      this.#isEnded = true;
      if (exchange === null || exchange.isClosed) return;
      exchange.reset(errorCodes.requestCancelled);
    });
  }

  onDrain(): void {
    this.#exchange?.drain();
  }

  /** Gives up a stream on which no request arrived in time, or a malformed one. */
  abort(code: number): void {
    this.#isEnded = true;
    this.#owner.onHeaders(this);
    if (this.#exchange === null) this.#stream.abort(code);
    else this.#exchange.reset(code);
  }

  begin(type: number, length: number) {
    if (controlTypes.has(type) || type === frameTypes.pushPromise) throw new ConnectionError('frameUnexpected');
    if (type === frameTypes.data) {
      if (this.#exchange === null || this.#hasTrailers) throw new ConnectionError('frameUnexpected');
      if (length < frameCost) this.#owner.countUseless(frameCost);
      return 'pieces';
    }
    if (type !== frameTypes.headers) {
      this.#owner.countUseless(frameCost);
      return 'skip';
    }
    if (this.#hasTrailers) throw new ConnectionError('frameUnexpected');
    if (length <= this.#owner.bounds.maxHeaderBytes) return 'whole';
    if (this.#exchange !== null) throw new ConnectionError('excessiveLoad');
    this.#open(null, false);
    return 'skip';
  }

  frame(_: number, payload: Uint8Array, isFinal: boolean): void {
    const pairs = decodeFieldSection(payload, this.#owner.bounds.maxHeaderBytes);
    if (this.#exchange === null) this.#open(pairs, isFinal && this.#isLast);
    else {
      this.#hasTrailers = true;
      // Trailers have no pseudo-headers; their values are not used.
      if (pairs?.some((name, at) => at % 2 === 0 && (name.startsWith(':') || !namePattern.test(name))))
        throw malformed();
    }
  }

  piece(bytes: Uint8Array | null, length: number): void {
    const exchange = this.#exchange;
    if (bytes === null) this.#owner.countUseless(length);
    else if (exchange?.isClosed) {
      this.#discardedBytes += length;
      if (this.#discardedBytes > this.#owner.bounds.maxDiscardedBytes) throw new ConnectionError('excessiveLoad');
    } else exchange?.receive(bytes);
  }

  /** `pairs`: null if there are too many. */
  #open(pairs: string[] | null, isComplete: boolean): void {
    this.#owner.onHeaders(this);
    const fields = pairs === null ? {} : readRequestFields(pairs);
    if (isComplete && Number(fields['content-length'] ?? 0) > 0) throw new StreamError('messageError');
    this.#exchange = this.#owner.open({ stream: this.#stream, pairs, fields, isComplete });
  }

  #finish(): void {
    if (this.#frames.isWithinFrame) throw new ConnectionError('frameError');
    if (this.#exchange === null) throw new StreamError('requestIncomplete');
    if (this.#exchange.isReceived) return;
    if (!this.#exchange.endBody() && !this.#exchange.isClosed) throw new StreamError('messageError');
  }
}

const namePattern = /^:?[!#$%&'*+.^_`|~a-z\d-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is not permitted.
const controlCharacter = /[\0-\x08\x0a-\x1f\x7f]/;
/**
 * What the values of pseudo-headers must match (RFC 9114 §4.3.1, RFC 9110 §9.1, RFC 3986 §3.1), as nghttp2 requires it over HTTP/2. A path with
 * bytes beyond ASCII passes: it gets the response that such a path gets over the other versions.
 */
const pseudoHeaders: Readonly<Record<string, RegExp>> = {
  ':method': /^[!#$%&'*+.^_`|~a-z\d-]+$/i,
  ':scheme': /^[a-z][a-z\d+.-]*$/i,
  ':authority': /^[!-~]+$/,
  ':path': /^(?:\/[!-~\x80-\xff]*|\*)$/,
};
/** Fields of HTTP/1 about its connection. */
const forbidden = new Set('connection keep-alive proxy-connection transfer-encoding upgrade'.split(' '));

/** Returns the fields of a request out of all its pairs; throws a `StreamError` if it is malformed. */
function readRequestFields(pairs: readonly string[]): IncomingHttpHeaders {
  const fields: Record<string, string> = Object.create(null);
  let isAfterPseudo = false;
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at] as string;
    const value = pairs[at + 1] as string;
    const isPseudo = name.startsWith(':');
    if (!namePattern.test(name) || controlCharacter.test(value) || forbidden.has(name)) throw malformed();
    const isRepeated = fields[name] !== undefined;
    if (name === 'te' && value.toLowerCase() !== 'trailers') throw malformed();
    if (isPseudo && (isAfterPseudo || isRepeated || !pseudoHeaders[name]?.test(value))) throw malformed();
    if (name === 'content-length' && (isRepeated || !/^\d{1,15}$/.test(value))) throw malformed();
    isAfterPseudo ||= !isPseudo;
    fields[name] = value;
  }
  if (!isComplete(fields)) throw malformed();
  return fields;
}

/** Whether a request has the pseudo-headers of its method, and a host (RFC 9114 §4.3.1 and §4.4). */
function isComplete(fields: Readonly<Record<string, string | undefined>>): boolean {
  const { ':method': method, ':scheme': scheme, ':authority': authority, ':path': path, host } = fields;
  if (method === 'CONNECT') return authority !== undefined && scheme === undefined && path === undefined;
  if (method === undefined || scheme === undefined || path === undefined) return false;
  return Boolean(authority ?? host) && (path !== '*' || method === 'OPTIONS');
}

const malformed = (): StreamError => new StreamError('messageError');
