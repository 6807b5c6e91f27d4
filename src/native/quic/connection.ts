/** A connection in OpenSSL, from its first valid packet on. */
import { hasEnded, idOf, rttMsOf, tlsOf } from './connection-facts.ts';
import type { HelloRecord } from './hello-record.ts';
import type { Listener } from './listener.ts';
import type { OpenSsl } from './openssl.ts';
import type {
  OnQuicConnection,
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

const genericValue = 0;
const eventHandling = 6;
const explicitHandling = 2n;
const noStreamMode = 0;
const acceptStreams = 1;
const noBlock = 1n;
/** Unidirectional, without blocking, even if the client permits no more now. */
const newStreamFlags = 7n;
const shutdownRapidly = 1n;
const shutdownWithoutFlush = 2n;
const shutdownWithoutBlocking = 4n;

/** What the connections of an endpoint share. */
export interface ConnectionServices {
  readonly openSsl: OpenSsl;
  /** Bytes of one connection that OpenSSL holds until they are acknowledged. */
  readonly maxBufferedBytes: number;
  readonly onConnection: OnQuicConnection;
  /** Ticks the listener soon, which sends what was written. */
  tick(listener: Listener): void;
  /** Serves the connection soon, too. */
  wake(connection: OpenSslConnection): void;
  countBuffered(bytes: number): void;
}

/** What ends a connection, see `QuicBounds`. */
export interface ConnectionBounds {
  readonly handshakeTimeoutMs: number;
  readonly connectionCheckMs: number;
  readonly stallBytes: number;
  readonly stallTimeoutMs: number;
}

/** What the endpoint knows of a new connection. */
export interface AcceptedConnection {
  readonly pointer: bigint;
  readonly listener: Listener;
  readonly ip: string;
  readonly port: number;
  /** The destination id of its first packet with a token. */
  readonly initialId: string;
  readonly ids: Pick<QuicHello, 'version' | 'destinationIdLength' | 'sourceIdLength'>;
}

export class OpenSslConnection implements QuicConnection, StreamOwner {
  readonly openSsl: OpenSsl;
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
  readonly #accepted: AcceptedConnection;
  #pointer: bigint;
  readonly #streams = new Set<OpenSslStream>();
  #handler: QuicConnectionHandler | null = null;
  #hello: QuicHello | null = null;
  #closeCode = 0;

  constructor(services: ConnectionServices, accepted: AcceptedConnection, record: HelloRecord) {
    const { openSsl } = services;
    const { pointer, listener, ip, port } = accepted;
    this.openSsl = openSsl;
    this.#services = services;
    this.#pointer = pointer;
    this.listener = listener;
    this.ip = ip;
    this.port = port;
    this.#accepted = accepted;
    this.record = record;
    openSsl.SSL_set_value_uint(pointer, genericValue, eventHandling, explicitHandling);
    openSsl.SSL_set_blocking_mode(pointer, 0);
    openSsl.SSL_set_default_stream_mode(pointer, noStreamMode);
    openSsl.SSL_set_incoming_stream_policy(pointer, acceptStreams, 0n);
  }

  get pointer(): bigint {
    return this.#pointer;
  }

  /** The id that the client's packets name, as Latin-1 text. */
  get id(): string {
    return idOf(this.openSsl, this.#pointer);
  }

  get hello(): QuicHello {
    if (this.#hello === null) throw new Error('the handshake is not complete');
    return this.#hello;
  }

  get tls(): QuicTls {
    return tlsOf(this.openSsl, this.#pointer);
  }

  rttMs(): number | null {
    return this.#pointer === 0n ? null : rttMsOf(this.openSsl, this.#pointer);
  }

  openStream(handler: QuicStreamHandler): QuicStream | null {
    if (this.state !== 'open') return null;
    const pointer = this.openSsl.SSL_new_stream(this.#pointer, newStreamFlags);
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
    this.#services.countBuffered(bytes);
  }

  tick(): void {
    this.#services.tick(this.listener);
  }

  wake(): void {
    this.#services.wake(this);
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
    if (this.state === 'closing') this.#shutDown(shutdownRapidly | shutdownWithoutBlocking);
    this.openSsl.ERR_clear_error();
  }

  /** Ends what has exceeded a bound; called regularly. */
  check(nowMs: number, bounds: ConnectionBounds): void {
    const { handshakeTimeoutMs, stallBytes, stallTimeoutMs, connectionCheckMs } = bounds;
    this.#detectEnd();
    if (this.state === 'open' && (this.bufferedBytes === 0 || this.#acknowledgedBytes >= stallBytes)) {
      this.#acknowledgedBytes = 0;
      this.progressedMs = nowMs;
    }
    // While it closes, every byte counts: it is about what is left.
    if (this.state === 'closing' && this.#acknowledgedBytes > 0) {
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
    this.#shutDown(shutdownRapidly | shutdownWithoutBlocking | shutdownWithoutFlush);
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
    this.openSsl.SSL_free(this.#pointer);
    this.#pointer = 0n;
  }

  #detectEnd(): void {
    if (this.state !== 'closed' && this.state !== 'closing' && hasEnded(this.openSsl, this.#pointer)) this.end();
  }

  #completeHandshake(): void {
    if (this.openSsl.SSL_is_init_finished(this.#pointer) !== 1) return;
    this.openSsl.SSL_set_msg_callback(this.#pointer, null);
    this.#hello = this.record?.complete(this.#accepted.initialId, this.#accepted.ids) ?? null;
    this.record = null;
    this.state = 'open';
    this.progressedMs = performance.now();
    if (this.#hello === null) this.close(internalError);
    else this.#handler = this.#services.onConnection(this);
  }

  #acceptStreams(): void {
    const accepted: bigint[] = [];
    for (;;) {
      const pointer = this.openSsl.SSL_accept_stream(this.#pointer, noBlock);
      if (pointer === 0n) break;
      accepted.push(pointer);
    }
    const streams = accepted.map((pointer) => new OpenSslStream(this, pointer));
    // The client's settings come before its requests.
    streams.sort((one, other) => Number(one.isBidirectional) - Number(other.isBidirectional));
    for (const stream of streams) {
      this.#streams.add(stream);
      stream.handler = this.#handler?.onStream(stream) ?? null;
    }
  }

  #shutDown(flags: bigint): void {
    const isWaiting = [...this.#streams].some((stream) => stream.hasUnsent);
    if (isWaiting && (flags & shutdownWithoutFlush) === 0n) return;
    const error = new BigUint64Array([BigInt(this.#closeCode), 0n]);
    if (this.openSsl.SSL_shutdown_ex(this.#pointer, flags, error, BigInt(error.byteLength)) === 1) this.end();
    this.tick();
  }
}
