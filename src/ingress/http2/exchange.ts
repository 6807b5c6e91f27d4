/** One request over HTTP/2 and its response, on Node's stream API. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { Connection } from '../connection.ts';
import { addOwnHeaders, type Response, rawHeadersOf } from '../response.ts';
import { StreamExchange } from '../streams/stream-exchange.ts';

function ignoreError(): void {}

const noFields: IncomingHttpHeaders = {};

interface Stream {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  onData(bytes: Uint8Array): void;
  onClose(exchange: Http2Exchange): void;
}

export class Http2Exchange extends StreamExchange {
  readonly output: ServerHttp2Stream;
  readonly method: string;
  readonly protocol = 'HTTP/2';
  /** The parser does not bound them. */
  readonly isTooLarge: boolean;
  /** Node's form of the headers, with the pseudo-headers. */
  fields: IncomingHttpHeaders;
  protected override readonly onData: (bytes: Uint8Array) => void;
  readonly #onStreamClose: (exchange: Http2Exchange) => void;

  constructor(connection: Connection, stream: ServerHttp2Stream, { headers, rawHeaders, onData, onClose }: Stream) {
    super(connection, rawHeaders);
    this.output = stream;
    this.fields = headers;
    this.method = headers[':method'] ?? 'GET';
    this.#onStreamClose = onClose;
    this.onData = onData;
    let headerBytes = 0;
    for (const part of rawHeaders) headerBytes += part.length + 2;
    this.isTooLarge = headerBytes > connection.shared.bounds.maxHeaderBytes;
    // An error of a stream is its end, which `close` reports.
    stream.on('error', ignoreError);
    stream.on('close', this.#onClose);
  }

  get isClosed(): boolean {
    return this.output.closed || this.output.destroyed;
  }

  get isReceived(): boolean {
    return this.output.endAfterHeaders || this.output.readableEnded;
  }

  get isAnswered(): boolean {
    return this.output.headersSent || this.isClosed;
  }

  protected get body(): Readable {
    return this.output;
  }

  respond(response: Response): void {
    if (this.isAnswered) return;
    const { status, body } = response;
    const bytes = Buffer.byteLength(body);
    const pairs = rawHeadersOf(response).http2.slice();
    pairs[1] = `${status}`;
    addOwnHeaders(pairs, response, bytes);
    // A client need not send the rest of a body after the response (RFC 9113 §8.1); Node would keep the stream open for it.
    if (!this.isReceived) this.output.once('finish', () => this.output.close(constants.NGHTTP2_NO_ERROR));
    const endStream = this.method === 'HEAD' || bytes === 0;
    this.output.respond(pairs, { endStream });
    this.dropHeaders();
    if (!endStream) this.connection.shared.sendBuffer.send(this, body, bytes);
  }

  continue(): void {
    if (!this.isAnswered) this.output.additionalHeaders({ ':status': 100 });
  }

  destroy(): void {
    this.output.destroy();
  }

  protected closeAlone(): boolean {
    // Without an error, Node would wait for the rest of the response.
    this.output.close(constants.NGHTTP2_CANCEL);
    return true;
  }

  protected closeRefused(): void {
    this.output.close(constants.NGHTTP2_REFUSED_STREAM);
    this.output.resume();
  }

  protected override dropHeaders(): void {
    super.dropHeaders();
    this.fields = noFields;
  }

  readonly #onClose = (): void => {
    this.dropHeaders();
    this.release();
    this.#onStreamClose(this);
  };
}
