/** One request and its response over HTTP/2 or HTTP/3, where each has a stream of its own. */
import type { IncomingHttpHeaders } from 'node:http2';
import { Exchange } from '../exchange.ts';

export abstract class StreamExchange extends Exchange {
  /** The headers by name, with the pseudo-headers. */
  abstract readonly fields: Pick<IncomingHttpHeaders, ':authority' | ':path' | 'expect' | 'host'>;
  /** Whether the headers exceed `maxHeaderBytes`. */
  abstract readonly isTooLarge: boolean;
  /** Whether the request has arrived with its body. */
  abstract readonly isReceived: boolean;
  abstract readonly isClosed: boolean;
  /** Whether a bound has ended the request before it was handled. */
  isRefused = false;
  /** When its handling began (`performance.now`). */
  startedMs = 0;
  /** Ends the stream, and reports the error; null until the handler has been called. */
  fail: ((error: unknown) => void) | null = null;

  /** Sends 100 (Continue) to a client that waits for it before it sends the body (RFC 9110 §10.1.1). */
  abstract continue(): void;

  /** Ends the stream; the client may repeat the request (RFC 9113 §8.7, RFC 9114 §4.1.1). */
  protected abstract closeRefused(): void;

  refuse(): void {
    this.isRefused = true;
    this.closeRefused();
  }

  endAfterUnreadBody(): void {}

  protected override dropHeaders(): void {
    super.dropHeaders();
    this.connection.shared.heldHeaders.delete(this);
  }
}
