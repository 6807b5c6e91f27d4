/** One request over HTTP/3 and its response. */
import type { IncomingHttpHeaders } from 'node:http2';
import { Readable } from 'node:stream';
import type { QuicStream } from '../../native/quic.ts';
import type { Connection } from '../connection.ts';
import type { OutgoingResponse, ResponseHeaders } from '../exchange.ts';
import { StreamExchange } from '../streams.ts';
import { errorCodes, frameTypes } from './data/registries.ts';
import { encodeFrame, encodeVarints } from './frames.ts';
import { encodeFieldLines, encodeFieldSection, sectionPrefix } from './qpack.ts';

/** A request as it has arrived, with its stream. */
export interface ReceivedRequest {
  readonly stream: QuicStream;
  /** Names and values alternate; null if they exceed `maxHeaderBytes`. */
  readonly pairs: readonly string[] | null;
  readonly fields: IncomingHttpHeaders;
  /** Whether the client has ended the stream with the headers. */
  readonly isComplete: boolean;
}

/** Handlers usually send the same header objects again. */
const encodedLines = new WeakMap<ResponseHeaders, Buffer>();

function encodeOnce(headers: ResponseHeaders): Buffer {
  const known = encodedLines.get(headers);
  if (known !== undefined) return known;
  const lines = encodeLines(Object.entries(headers).flat());
  encodedLines.set(headers, lines);
  return lines;
}

/** Encodes names, which are sent in lower case, and values, which alternate. */
const encodeLines = (pairs: readonly string[]): Buffer =>
  encodeFieldLines(pairs.map((part, at) => (at % 2 === 0 ? part.toLowerCase() : part)));

export class Http3Exchange extends StreamExchange {
  readonly protocol = 'HTTP/3';
  readonly method: string;
  readonly fields: IncomingHttpHeaders;
  readonly isTooLarge: boolean;
  /** This object, which takes the pieces of a large body itself. */
  readonly output = this;
  isClosed = false;
  isReceived: boolean;
  protected readonly body: Readable | null;
  readonly #stream: QuicStream;
  readonly #onStreamClose: (exchange: Http3Exchange) => void;
  #isAnswered = false;
  /** Continues the response when the stream takes bytes again. */
  #onDrain: (() => void) | null = null;
  #bodyBytes = 0;

  constructor(connection: Connection, request: ReceivedRequest, onClose: (exchange: Http3Exchange) => void) {
    super(connection, request.pairs ?? []);
    const { stream, pairs, fields, isComplete } = request;
    this.#stream = stream;
    this.#onStreamClose = onClose;
    this.fields = fields;
    this.method = fields[':method'] ?? 'GET';
    this.isTooLarge = pairs === null;
    this.isReceived = isComplete;
    this.body = isComplete ? null : new Readable({ read: () => stream.resume() });
  }

  get destroyed(): boolean {
    return this.isClosed;
  }

  get isAnswered(): boolean {
    return this.#isAnswered || this.isClosed;
  }

  /** Passes on a part of the body, and stops the stream while nobody reads it. */
  receive(bytes: Uint8Array): void {
    this.#bodyBytes += bytes.length;
    if (!this.isClosed && this.body?.push(bytes) === false) this.#stream.pause();
  }

  /** Ends the body; returns whether it has the length that the client declared. */
  endBody(): boolean {
    this.isReceived = true;
    if (Number(this.fields['content-length'] ?? this.#bodyBytes) !== this.#bodyBytes) return false;
    this.body?.push(null);
    return true;
  }

  respond(response: OutgoingResponse): void {
    if (this.isAnswered) return;
    this.#isAnswered = true;
    this.dropHeaders();
    const { status, headers, body } = response;
    const bytes = Buffer.byteLength(body);
    const own = [':status', `${status}`, 'date', currentDate()];
    this.addOwnHeaders(own, response, bytes);
    const lines = [encodeLines(own), encodeOnce(headers)] as const;
    const head = [...sectionFrame(lines), ...lines];
    if (this.method === 'HEAD' || bytes === 0) this.#end(Buffer.concat(head));
    else if (bytes <= this.connection.context.bounds.stallBytes)
      this.#end(Buffer.concat([...head, encodeVarints(frameTypes.data, bytes), bytesOf(body)]));
    else {
      this.#stream.write(Buffer.concat(head));
      this.connection.context.sendBuffer.send(this, body, bytes);
    }
  }

  protected continue(): void {
    if (!this.isAnswered) this.#stream.write(encodeFrame(frameTypes.headers, encodeFieldSection([':status', '100'])));
  }

  write(piece: Uint8Array, done: () => void): void {
    if (this.#stream.write(dataFrame(piece))) process.nextTick(done);
    else this.#onDrain = done;
  }

  end(piece: string | Uint8Array): void {
    this.#end(dataFrame(piece));
  }

  #end(bytes: Uint8Array): void {
    if (this.isClosed) return;
    this.#stream.write(bytes, true);
    // A client need not send the rest of a body after the response (RFC 9114 §4.1).
    if (!this.isReceived) this.#stream.stopReading();
    this.close();
  }

  /** The stream takes bytes again. */
  drain(): void {
    const done = this.#onDrain;
    this.#onDrain = null;
    done?.();
  }

  /** Ends the exchange: its response is complete, or the client wants none. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (!this.isReceived) this.body?.destroy();
    this.dropHeaders();
    this.release();
    this.#onStreamClose(this);
  }

  destroy(): void {
    this.reset(errorCodes.internalError);
  }

  /** Ends the exchange without the rest of its response. */
  reset(code: number): void {
    if (this.isClosed) return;
    this.#stream.abort(code);
    this.close();
  }

  protected closeRefused(): void {
    this.reset(errorCodes.requestRejected);
  }
}

const bytesOf = (body: string | Uint8Array): Uint8Array => (typeof body === 'string' ? Buffer.from(body) : body);

const dataFrame = (body: string | Uint8Array): Buffer => encodeFrame(frameTypes.data, bytesOf(body));

/** What precedes these field lines: the beginning of a HEADERS frame, and of its field section. */
function sectionFrame(lines: readonly Uint8Array[]): readonly [Buffer, Buffer] {
  let { length } = sectionPrefix;
  for (const each of lines) length += each.length;
  return [encodeVarints(frameTypes.headers, length), sectionPrefix];
}

let date = { second: 0, text: '' };

/** The time for the Date header, as Node's servers send it over the other versions. */
function currentDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== date.second) date = { second, text: new Date(second * 1000).toUTCString() };
  return date.text;
}
