/** Sends large bodies in pieces, bounds the bytes that wait for slow readers, and closes readers without progress. */
import type { Writable } from 'node:stream';
import type { ClosingReason, IngressBounds } from './bounds.ts';

/** A response whose body is being sent. */
export interface Sending {
  readonly connection: {
    bufferedBytes: number;
    progressedMs: number;
    readonly socket: { readonly destroyed: boolean };
  };
  /** The rest of the response: a stream of HTTP/2, or Node's response over HTTP/1, which is no `Writable` by its type only. */
  readonly output: Pick<Writable, 'destroyed'> & {
    write(piece: Uint8Array, done: (error?: Error | null) => void): unknown;
    end(piece: Uint8Array | string): unknown;
  };
  /** Bytes of the body, and of what else the response takes, while it is being sent, else 0. */
  bufferedBytes: number;
  /** Time of the latest progress (`performance.now`). */
  progressedMs: number;
  /** Closes the connection, or only this response if the connection carries the requests of several clients. */
  abort(reason: ClosingReason): void;
}

/** Sends large bodies in pieces, bounds the bytes that wait for slow readers, and closes readers without progress. */
export class SendBuffer {
  readonly #bounds: IngressBounds;
  // In the order of their latest progress.
  readonly #sendings = new Set<Sending>();
  /** Connections that a bound has closed: their bytes count no more, although each response closes later. */
  readonly #closed = new WeakSet<Sending['connection']>();
  #bufferedBytes = 0;

  constructor(bounds: IngressBounds) {
    this.#bounds = bounds;
  }

  /** Whether a response is being sent. */
  get isSending(): boolean {
    return this.#sendings.size > 0;
  }

  /** Writes a body and ends the response; `release` must be called when the response is closed. `bytes` is the body's length. */
  send(sending: Sending, body: string | Uint8Array, bytes: number): void {
    this.#sendings.add(sending);
    const bufferedBytes = bytes + this.#bounds.waitingResponseBytes;
    sending.bufferedBytes = bufferedBytes;
    sending.progressedMs = performance.now();
    // Further requests are not progress.
    if (sending.connection.bufferedBytes === 0) sending.connection.progressedMs = sending.progressedMs;
    this.#count(sending, bufferedBytes);
    if (bytes <= this.#bounds.stallBytes) sending.output.end(body);
    else this.#sendInPieces(sending, typeof body === 'string' ? Buffer.from(body) : body);
    if (this.#bufferedBytes <= this.#bounds.maxSendBufferBytes) return;
    for (const oldest of this.#sendings) {
      this.#abort(oldest, 'unsent_bytes');
      if (this.#bufferedBytes <= this.#bounds.maxSendBufferBytes) return;
    }
  }

  #sendInPieces(sending: Sending, body: Uint8Array): void {
    const { output, connection } = sending;
    let at = 0;
    const writeNext = (error?: Error | null): void => {
      if (error || output.destroyed) return;
      sending.progressedMs = performance.now();
      if (at > 0) connection.progressedMs = sending.progressedMs;
      if (this.#sendings.delete(sending)) this.#sendings.add(sending);
      const piece = body.subarray(at, at + this.#bounds.stallBytes);
      at += piece.length;
      // Node calls back when the piece has left its buffers: over HTTP/2, only as far as the client's window permits. Nothing else shows
      // progress there.
      if (at < body.length) output.write(piece, writeNext);
      else output.end(piece);
    };
    writeNext();
  }

  /** Forgets a response that has been sent or closed. */
  release(sending: Sending): void {
    if (!this.#sendings.delete(sending)) return;
    this.#count(sending, -sending.bufferedBytes);
    sending.bufferedBytes = 0;
    sending.connection.progressedMs = performance.now();
  }

  #count({ connection }: Sending, bytes: number): void {
    if (this.#closed.has(connection)) return;
    connection.bufferedBytes += bytes;
    this.#bufferedBytes += bytes;
  }

  /** Aborts a response whose reader made no progress in time, as a step of the scheduler: returns whether there was one. */
  readonly closeStalled = (): boolean => {
    const [oldest] = this.#sendings;
    if (oldest === undefined || performance.now() - oldest.progressedMs < this.#bounds.stallTimeoutMs) return false;
    this.#abort(oldest, 'stalled_reader');
    return true;
  };

  #abort(sending: Sending, reason: ClosingReason): void {
    // Release now: 'close' fires later, and until then each new response would abort this one again.
    this.release(sending);
    sending.abort(reason);
    const { connection } = sending;
    if (!connection.socket.destroyed || this.#closed.has(connection)) return;
    // Its other responses close later, too; until then, their bytes would close the readers that follow.
    this.#bufferedBytes -= connection.bufferedBytes;
    this.#closed.add(connection);
  }
}
