/** A request and its response, over any version of HTTP. */
import type { Readable } from 'node:stream';
import type { ClosingReason } from './bounds.ts';
import type { Connection } from './connection.ts';
import type { BodyProblem } from './limits/bodies.ts';
import { headersOf } from './message/headers.ts';
import type { Target } from './message/target.ts';
import type { Sending } from './send-buffer.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** A complete response, without the length of its body. */
export interface OutgoingResponse {
  readonly status: number;
  /** Pass the same object for all responses that have these headers: each object is prepared only once. */
  readonly headers: ResponseHeaders;
  /** Headers that only this response has; none of them is in `headers`. */
  readonly ownHeaders?: ResponseHeaders;
  readonly body: string | Uint8Array;
}

const noHeaders: readonly string[] = [];
const noTarget: Target = { authority: '', path: '', query: '' };

export abstract class Exchange implements Sending {
  readonly connection: Connection;
  /** 1 for the first request of its connection, 2 for the next one. */
  readonly requestNumber: number;
  /** Host, path and query; set before the handler is called. */
  target = noTarget;
  /**
   * Names and values alternate, as received, with the pseudo-headers of HTTP/2 and HTTP/3; over these, empty after the response has
   * begun.
   */
  rawHeaders: readonly string[];
  abstract readonly method: string;
  abstract readonly protocol: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2' | 'HTTP/3';
  abstract readonly output: Sending['output'];
  bufferedBytes = 0;
  progressedMs = 0;
  #headers: Readonly<Record<string, string>> | null = null;
  #releaseBody: (() => void) | null = null;
  #onEnd: (() => void) | null = null;
  #hasEnded = false;

  constructor(connection: Connection, rawHeaders: readonly string[]) {
    this.connection = connection;
    this.rawHeaders = rawHeaders;
    connection.begun += 1;
    this.requestNumber = connection.begun;
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
  abstract respond(response: OutgoingResponse): void;

  /**
   * Adds the headers that only this response has, and the length of its body: not to 204, and not to HEAD if the body is empty, because the
   * length of the response to GET may be unknown (RFC 9110 §8.6). Over HTTP/2, Node writes their names in lower case.
   */
  protected addOwnHeaders(pairs: string[], { status, ownHeaders }: OutgoingResponse, bytes: number): void {
    for (const name in ownHeaders) pairs.push(name, ownHeaders[name] as string);
    if (status !== 204 && (bytes > 0 || this.method !== 'HEAD')) pairs.push('Content-Length', `${bytes}`);
  }

  /** Lets no request follow on an HTTP/1 connection if the body of this one has not been read. */
  endAfterUnreadBody(): void {}

  /** Ends the exchange without the rest of its response, and an HTTP/1 connection with it. */
  abstract destroy(): void;

  /** Whether the client waits for 100 (Continue) before it sends the body (RFC 9110 §10.1.1). */
  expectsContinue = false;

  /** Sends 100 (Continue). */
  protected abstract continue(): void;

  /** Ends only this exchange; false if its connection cannot go on without it. */
  protected closeAlone(): boolean {
    return false;
  }

  /** Ends the exchange because of a bound. The other exchanges of a trusted proxy belong to other clients, and go on. */
  abort(reason: ClosingReason): void {
    const { socket, client, context } = this.connection;
    if (socket.destroyed) return;
    context.onClosed(reason);
    if (!client.trusted || !this.closeAlone()) socket.destroy();
  }

  /** Counts each piece of the body; null if what parses it is bounded otherwise. */
  protected readonly onData: ((bytes: Uint8Array) => void) | null = null;

  /** The body as a stream; null if the request certainly has none. */
  protected abstract readonly body: Readable | null;

  /** Length of the body if all of it has arrived and waits in the stream; null otherwise. */
  protected get arrivedBytes(): number | null {
    return null;
  }

  /**
   * Reads the whole body, of at most `maxBytes`, once. Resolves in an iteration of the event loop that has time for it, with the bytes or
   * the reason why there are none. The bytes count until the exchange ends; those of a body that arrived in pieces are freed then.
   */
  async readBody(maxBytes: number): Promise<Uint8Array | BodyProblem> {
    const { body, connection } = this;
    if (body === null) return new Uint8Array();
    const { bodies, scheduler } = connection.context;
    // Over HTTP/1, the parser gets a body that came in the same read before the next microtask.
    if (this.arrivedBytes === null) await undefined;
    // Nothing would free the memory of the body.
    if (this.#hasEnded) return 'request_timeout';
    const { arrivedBytes } = this;
    // A small body needs no buffer and no timer: these and a step take as long as a tool call.
    if (arrivedBytes !== null && arrivedBytes <= maxBytes) {
      if (!bodies.add(arrivedBytes, connection.holder)) return 'overloaded';
      this.#releaseBody = () => bodies.remove(arrivedBytes);
      const bytes: Uint8Array = body.read() ?? new Uint8Array();
      if (!scheduler.hasTime()) await scheduler.wait(connection, connection.flow);
      return bytes;
    }
    const declaredBytes = Number(this.headers['content-length'] ?? 0);
    if (this.expectsContinue) {
      if (declaredBytes > maxBytes) return 'too_large';
      this.continue();
    }
    if (this.onData !== null) body.on('data', this.onData);
    const bytes = await bodies.read(body, { declaredBytes, maxBytes, holder: connection.holder }, (release) => {
      this.#releaseBody = release;
    });
    // The bodies of many requests may end in one iteration, and each may take long to handle.
    if (typeof bytes !== 'string') await scheduler.wait(connection, connection.flow);
    return bytes;
  }

  /** Sets the one function that is called when the exchange has ended: with its response, or because the client has disconnected. */
  onEnd(listener: () => void): void {
    if (this.#hasEnded) listener();
    else this.#onEnd = listener;
  }

  /** Nothing reads the headers after the response has begun, and a client that reads slowly may let it take long. */
  protected dropHeaders(): void {
    this.rawHeaders = noHeaders;
    this.#headers = null;
  }

  /** Must be called when the exchange has ended; further calls do nothing. */
  protected release(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.bufferedBytes > 0) this.connection.context.sendBuffer.release(this);
    this.#releaseBody?.();
    this.#releaseBody = null;
    this.#onEnd?.();
    this.#onEnd = null;
    const { connection } = this;
    if (!connection.isReplaceable) connection.limit?.release(connection);
  }
}

/** Copying the pairs of an object that is sent again costs less than making them. */
const prepared = new WeakMap<ResponseHeaders, Readonly<Record<'http1' | 'http2', readonly string[]>>>();

/**
 * Returns alternating names and values of the shared headers, which the caller copies; for HTTP/2 in lower case (RFC 9113 §8.2), after a
 * place for the status.
 */
export function rawHeadersOf({ headers }: OutgoingResponse) {
  let raw = prepared.get(headers);
  if (raw === undefined) {
    const pairs = Object.entries(headers);
    raw = {
      http1: pairs.flat(),
      http2: [':status', '', ...pairs.flatMap(([name, value]) => [name.toLowerCase(), value])],
    };
    prepared.set(headers, raw);
  }
  return raw;
}
