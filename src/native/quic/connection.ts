/** A connection in OpenSSL, from its first valid packet on. */
import { acceptStreams, configure, hasEnded, openStream, rttMsOf, shutDown, tlsOf } from './connection-calls.ts';
import type { Listener, Ticks } from './listeners.ts';
import type { OpenSsl } from './openssl.ts';
import type { HelloRecord } from './packets.ts';
import type {
  OnQuicConnection,
  QuicBounds,
  QuicConnection,
  QuicConnectionHandler,
  QuicHello,
  QuicStream,
  QuicStreamHandler,
  QuicTls,
} from './quic.ts';
import { OpenSslStream, type StreamOwner } from './stream.ts';

/** RFC 9114 §8.1. */
const internalError = 0x102;

/** What the connections of an endpoint share. */
export interface ConnectionServices {
  readonly openSsl: OpenSsl;
  /** Bytes of one connection that OpenSSL holds until they are acknowledged. */
  readonly maxBufferedBytes: number;
  readonly onConnection: OnQuicConnection;
  readonly ticks: Ticks;
}

/** What the endpoint knows of a new connection. */
interface AcceptedConnection {
  readonly pointer: bigint;
  readonly listener: Listener;
  readonly ip: string;
  readonly port: number;
}

export class OpenSslConnection implements QuicConnection, StreamOwner {
  readonly openSsl: OpenSsl;
  /** 0 after it has been freed. */
  pointer: bigint;
  readonly listener: Listener;
  readonly ip: string;
  readonly port: number;
  /** Null after the handshake. */
  record: HelloRecord | null;
  /** Connection ids by which the client's packets name it. */
  routes: readonly string[] = [];
  state: 'handshake' | 'open' | 'closing' | 'closed' = 'handshake';
  /** Bytes that OpenSSL holds until they are acknowledged. */
  bufferedBytes = 0;
  /** Time of the latest progress (`performance.now`): acknowledged bytes, or a new state. */
  progressedMs = performance.now();
  #acknowledgedBytes = 0;
  readonly #services: ConnectionServices;
  readonly #streams = new Set<OpenSslStream>();
  #handler: QuicConnectionHandler | null = null;
  #hello: QuicHello | null = null;
  #closeCode = 0;

  constructor(services: ConnectionServices, { pointer, listener, ip, port }: AcceptedConnection, record: HelloRecord) {
    const { openSsl } = services;
    this.openSsl = openSsl;
    this.#services = services;
    this.pointer = pointer;
    this.listener = listener;
    this.ip = ip;
    this.port = port;
    this.record = record;
    configure(openSsl, pointer);
  }

  get hello(): QuicHello {
    if (this.#hello === null) throw new Error('the handshake is not complete');
    return this.#hello;
  }

  get tls(): QuicTls {
    return tlsOf(this.openSsl, this.pointer);
  }

  rttMs(): number | null {
    return this.pointer === 0n ? null : rttMsOf(this.openSsl, this.pointer);
  }

  openStream(handler: QuicStreamHandler): QuicStream | null {
    if (this.state !== 'open') return null;
    const pointer = openStream(this.openSsl, this.pointer);
    if (pointer === 0n) return null;
    const stream = new OpenSslStream(this, pointer);
    stream.handler = handler;
    this.#streams.add(stream);
    return stream;
  }

  /** What was written before is sent first. */
  close(code: number): void {
    if (this.state === 'closing' || this.state === 'closed') return;
    this.state = 'closing';
    this.progressedMs = performance.now();
    this.#closeCode = code;
    for (const stream of this.#streams) stream.handler = null;
    this.wake();
  }

  get sendBudget(): number {
    return Math.max(0, this.#services.maxBufferedBytes - this.bufferedBytes);
  }

  countBuffered(bytes: number): void {
    this.bufferedBytes += bytes;
    if (bytes < 0) this.#acknowledgedBytes -= bytes;
  }

  tick(): void {
    this.#services.ticks.tick(this.listener);
  }

  wake(): void {
    this.#services.ticks.wake(this);
  }

  remove(stream: OpenSslStream): void {
    this.#streams.delete(stream);
  }

  /** Exchanges with OpenSSL what is possible now. An error of the handler ends this connection alone. */
  serve(): void {
    this.#detectEnd();
    if (this.state === 'closed') return;
    try {
      if (this.state === 'handshake') this.#completeHandshake();
      if (this.state === 'open') this.#acceptStreams();
      for (const stream of this.#streams) stream.receive();
      let waiting = 0;
      for (const stream of this.#streams) if (stream.waits) waiting += 1;
      // The same for each, or a large response would stop the others.
      const share = Math.ceil(this.sendBudget / waiting);
      for (const stream of this.#streams) stream.send(Math.min(share, this.sendBudget));
    } catch {
      this.close(internalError);
    }
    if (this.state === 'closing') this.#shutDown(true);
    this.openSsl.ERR_clear_error();
  }

  /** Ends what has exceeded a bound; called regularly. */
  check(nowMs: number, bounds: QuicBounds): void {
    const { handshakeTimeoutMs, stallBytes, stallTimeoutMs, connectionCheckMs } = bounds;
    this.#detectEnd();
    // While it closes, every byte counts: it is about what is left.
    const ofOpen = this.bufferedBytes === 0 ? 0 : stallBytes;
    const neededBytes = { handshake: Number.POSITIVE_INFINITY, open: ofOpen, closing: 1, closed: 0 };
    if (this.#acknowledgedBytes >= neededBytes[this.state]) {
      this.#acknowledgedBytes = 0;
      this.progressedMs = nowMs;
    }
    const timeouts = { handshake: handshakeTimeoutMs, open: stallTimeoutMs, closing: 2 * connectionCheckMs, closed: 0 };
    if (nowMs - this.progressedMs > timeouts[this.state]) this.abort();
  }

  /** Closes without waiting for what is unsent. */
  abort(code = this.#closeCode): void {
    if (this.state === 'closed') return;
    this.#closeCode = code;
    this.#shutDown(false);
    this.end();
  }

  /** Frees the streams and tells the handler; the connection itself stays until `free`, so that OpenSSL can send its end. */
  end(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    for (const stream of this.#streams) stream.free();
    try {
      this.#handler?.onClosed();
    } catch {
      // It has ended anyway.
    }
  }

  free(): void {
    this.end();
    this.openSsl.SSL_free(this.pointer);
    this.pointer = 0n;
  }

  #detectEnd(): void {
    if (this.state !== 'closed' && this.state !== 'closing' && hasEnded(this.openSsl, this.pointer)) this.end();
  }

  #completeHandshake(): void {
    if (this.openSsl.SSL_is_init_finished(this.pointer) !== 1) return;
    this.openSsl.SSL_set_msg_callback(this.pointer, null);
    this.#hello = this.record?.complete() ?? null;
    this.record = null;
    this.state = 'open';
    this.progressedMs = performance.now();
    if (this.#hello === null) this.close(internalError);
    else this.#handler = this.#services.onConnection(this);
  }

  #acceptStreams(): void {
    const accepted = acceptStreams(this.openSsl, this.pointer);
    const streams = accepted.map((pointer) => new OpenSslStream(this, pointer));
    // The client's settings come before its requests.
    streams.sort((one, other) => Number(one.isBidirectional) - Number(other.isBidirectional));
    for (const stream of streams) {
      this.#streams.add(stream);
      stream.handler = this.#handler?.onStream(stream) ?? null;
    }
  }

  #shutDown(isFlushed: boolean): void {
    if (isFlushed && this.#streams.values().some((stream) => stream.hasUnsent)) return;
    if (shutDown(this.openSsl, this.pointer, { code: this.#closeCode, isFlushed })) this.end();
    this.tick();
  }
}
