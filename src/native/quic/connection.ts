/** A connection in OpenSSL, from its first valid packet on. */
import { clientNetworkOf } from '../../wire/client-network.ts';
import type { QuicConnection, QuicConnectionHandler, QuicHello, QuicStream } from '../quic.ts';
import * as constants from './data/openssl-constants.ts';
import { HeldDatagrams } from './held-datagrams.ts';
import type { Listener } from './listener.ts';
import type { Listeners } from './listeners.ts';
import { openSsl } from './openssl.ts';
import { encryptClose, type Handshake, helloOf } from './packets.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';
import type { HeldConnection, QuicOptions } from './server-interface.ts';
import { type StreamOwner, Streams } from './streams.ts';

/** H3_INTERNAL_ERROR and H3_EXCESSIVE_LOAD (RFC 9114 §8.1). */
const internalError = 0x102;
const excessiveLoad = 0x107;

const nanosecondsPerMs = 1e6;

/** Native code writes to these during a call. */
const connectionId = Buffer.alloc(21);
const closeInfo = Buffer.alloc(40);
/** Offset of the flags in OpenSSL's `SSL_CONN_CLOSE_INFO`. */
const closeFlagsAt = 32;
/** CRYPTO_ERROR (RFC 9000 §20.1): TLS alerts. */
const firstAlert = 0x100;
const lastAlert = 0x1ff;
const roundTripTimes = new BigUint64Array(4);

/** Values that the connections of an endpoint share. */
export interface ConnectionServices {
  readonly options: QuicOptions;
  /** Bodies of the ClientHellos, by OpenSSL's pointer to the connection. */
  readonly clientHellos: ReadonlyMap<bigint, Uint8Array>;
  readonly requestsInFlight: RequestsInFlight;
  /** Counts a connection whose address is validated now; false to reject it. */
  admit(connection: OpenSslConnection): boolean;
  /** Frees a connection on which nothing more is sent. */
  forget(connection: OpenSslConnection): void;
}

/** Values of a new connection that the endpoint knows. */
type Accepted = Pick<
  OpenSslConnection,
  'pointer' | 'listener' | 'listeners' | 'ip' | 'port' | 'handshake' | 'isValidated' | 'send'
>;

export class OpenSslConnection implements HeldConnection, StreamOwner {
  /** 0 after it has been freed. */
  pointer: bigint;
  readonly listener: Listener;
  /** The listeners of the address that the client has used. */
  readonly listeners: Listeners;
  readonly ip: string;
  readonly flow: string;
  readonly port: number;
  /** Connection ids by which the client's packets name it, as Latin-1 text. */
  readonly routes: readonly string[];
  readonly handshake: Handshake;
  /** Whether the client has shown that it receives at its address, and no limit of the address has rejected it. */
  isValidated: boolean;
  /** Whether it has used the connection id that this server has chosen. */
  #hasServerId = false;
  readonly heldDatagrams = new HeldDatagrams();
  /** Sends a datagram of our own to the client. */
  readonly send: (datagram: Uint8Array) => void;
  /** Set before the handler gets the connection. */
  hello!: QuicHello;
  tls!: QuicConnection['tls'];
  state: 'handshake' | 'open' | 'closing' | 'closed' = 'handshake';
  /** Bytes that OpenSSL holds until they are acknowledged. */
  bufferedBytes = 0;
  /** Time of the latest progress (`performance.now`): acknowledged bytes, or a new state. */
  progressedMs = performance.now();
  #acknowledgedBytes = 0;
  readonly #services: ConnectionServices;
  readonly #streams: Streams;
  /** OpenSSL's, of this connection. */
  readonly #statistics: bigint;
  #handler: QuicConnectionHandler | null = null;
  #isCharged = false;
  #closeCode = 0;

  constructor(services: ConnectionServices, accepted: Accepted) {
    this.#services = services;
    this.pointer = accepted.pointer;
    this.listener = accepted.listener;
    this.listeners = accepted.listeners;
    this.ip = accepted.ip;
    this.flow = clientNetworkOf(accepted.ip);
    this.port = accepted.port;
    this.handshake = accepted.handshake;
    this.isValidated = accepted.isValidated;
    this.send = accepted.send;
    this.#streams = new Streams(this, services);
    this.listener.connections += 1;
    const channel = openSsl.ossl_quic_conn_get_channel(this.pointer);
    this.#statistics = openSsl.ossl_quic_channel_get_statm(channel);
    openSsl.ossl_quic_channel_get_diag_local_cid(channel, connectionId);
    this.routes = [this.handshake.first.destinationId, connectionId.toString('latin1', 1, 1 + (connectionId[0] ?? 0))];
    // So that it does nothing by itself.
    const { genericValue, eventHandling, explicitHandling } = constants;
    openSsl.SSL_set_value_uint(this.pointer, genericValue, eventHandling, explicitHandling);
    openSsl.SSL_set_blocking_mode(this.pointer, 0);
    // Of its streams.
    openSsl.SSL_ctrl(this.pointer, constants.setMode, constants.partialWrites, null);
    openSsl.SSL_set_default_stream_mode(this.pointer, constants.noStreamMode);
    openSsl.SSL_set_incoming_stream_policy(this.pointer, constants.policyAccept, 0n);
  }

  rttMs(): number | null {
    if (this.pointer === 0n) return null;
    openSsl.ossl_statm_get_rtt_info(this.#statistics, roundTripTimes);
    const [smoothed, latest] = roundTripTimes;
    // Before the first measurement, the smoothed one is an assumption.
    return latest === 0n ? null : Number(smoothed) / nanosecondsPerMs || null;
  }

  openStream(): QuicStream | null {
    if (this.state !== 'open') return null;
    return this.#streams.open();
  }

  /** Data that was written before is sent first. */
  close(code: number): void {
    if (this.state === 'closing' || this.state === 'closed') return;
    this.state = 'closing';
    this.progressedMs = performance.now();
    this.#closeCode = code;
    this.#streams.ignore();
    this.wake();
  }

  get sendBudget(): number {
    return Math.max(0, this.#services.options.bounds.quicConnectionBufferBytes - this.bufferedBytes);
  }

  countBuffered(bytes: number): void {
    this.bufferedBytes += bytes;
    if (bytes >= 0) return;
    this.#acknowledgedBytes -= bytes;
    this.heldDatagrams.countProgress(-bytes);
  }

  get heldBytes(): number {
    return this.bufferedBytes + this.#streams.heldBytes + this.heldDatagrams.bytes;
  }

  get hasRequest(): boolean {
    return this.#streams.hasRequest;
  }

  /** A packet for this connection id has arrived. */
  noteId(id: string): void {
    if (id === this.routes[1]) this.#hasServerId = true;
  }

  tick(): void {
    this.listeners.tick(this.listener);
  }

  wake(): void {
    this.listeners.wake(this);
  }

  /** Exchanges with OpenSSL what is possible now. An error of the handler ends this connection alone. */
  serve(): void {
    this.#detectEnd();
    if (this.state === 'closed') return;
    try {
      if (this.state === 'handshake') {
        const isComplete = openSsl.SSL_is_init_finished(this.pointer) === 1;
        this.#chargeHandshake();
        const isAdmitted = (this.#hasServerId || isComplete) && this.#validate();
        if (isAdmitted && isComplete) this.#completeHandshake();
      }
      if (this.state === 'open') for (const stream of this.#streams.accept()) this.#handler?.onStream(stream);
      this.#streams.serve();
    } catch {
      this.close(internalError);
    }
    if (this.state === 'closing') this.#shutDown(true);
    openSsl.ERR_clear_error();
  }

  /** Ends what has exceeded a bound; called regularly. */
  sweep(nowMs: number): void {
    const { stallBytes, stallTimeoutMs, connectionCheckMs, ...bounds } = this.#services.options.bounds;
    this.#detectEnd();
    try {
      this.#streams.acknowledge();
    } catch {
      this.close(internalError);
    }
    // While it closes, every byte counts: it is about what is left.
    const ofOpen = this.bufferedBytes === 0 ? 0 : stallBytes;
    const neededBytes = { handshake: Number.POSITIVE_INFINITY, open: ofOpen, closing: 1, closed: 0 };
    if (this.#acknowledgedBytes >= neededBytes[this.state]) {
      this.#acknowledgedBytes = 0;
      this.progressedMs = nowMs;
    }
    this.#streams.sweep(nowMs);
    this.heldDatagrams.sweep(this.#streams.isIdle);
    const handshake = this.isValidated ? bounds.handshakeTimeoutMs : bounds.unvalidatedTimeoutMs;
    const timeouts = { handshake, open: stallTimeoutMs, closing: 2 * connectionCheckMs, closed: 0 };
    if (nowMs - this.progressedMs <= timeouts[this.state]) return;
    if (this.isValidated) this.abort();
    // Nothing more is sent to an address that may be forged.
    else this.#end();
  }

  /** Closes without waiting for what is unsent. */
  abort(): void {
    if (this.state === 'closed') return;
    this.#shutDown(false);
    this.#end();
  }

  free(): void {
    this.#end();
    openSsl.SSL_free(this.pointer);
    this.listener.connections -= 1;
    this.pointer = 0n;
  }

  /** Frees the streams and tells the handler; the connection itself stays until `free`, so that OpenSSL can send its end. */
  #end(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.#streams.free();
    try {
      this.#handler?.onClosed();
    } catch {
      // It has ended anyway.
    }
  }

  /** The client closed it, it was idle, or OpenSSL met an error. */
  #detectEnd(): void {
    if (this.state === 'closed' || this.state === 'closing') return;
    if (openSsl.SSL_get_conn_close_info(this.pointer, closeInfo, BigInt(closeInfo.length)) !== 1) return;
    if (this.state === 'handshake') this.#sendAlert();
    this.#end();
    const isByClient = (closeInfo.readUInt32LE(closeFlagsAt) & constants.closedLocally) === 0;
    // OpenSSL would keep it for some round trips, and then ask for a tick every millisecond if the client has not acknowledged everything; and
    // further connections would get listeners that are not in the caches. One that is not validated keeps its place until the next sweep,
    // because forged packets must not make room for others.
    if (isByClient && this.isValidated) this.#services.forget(this);
  }

  /**
   * Tells the client why the handshake failed (RFC 9001 §4.8): OpenSSL keeps silent if the client's first datagram is at fault, and the client
   * would wait for its own timeout.
   */
  #sendAlert(): void {
    const code = Number(closeInfo.readBigUInt64LE());
    const isLocal = (closeInfo.readUInt32LE(closeFlagsAt) & constants.closedLocally) !== 0;
    const { first } = this.handshake;
    if (!isLocal || code < firstAlert || code > lastAlert) return;
    this.send(encryptClose({ first, serverId: this.routes[1] ?? '', code }));
  }

  /** Leaves as many turns to other addresses as OpenSSL's response to the ClientHello has cost. */
  #chargeHandshake(): void {
    const { clientHellos, options } = this.#services;
    const hello = clientHellos.get(this.pointer);
    if (hello === undefined || this.#isCharged) return;
    this.#isCharged = true;
    this.listeners.chargeHandshake(this.flow, options.handshakeCost(hello));
  }

  /** Counts the connection against the limits of its address, once; returns false, and ends it, if one of them rejects it. */
  #validate(): boolean {
    if (this.isValidated) return true;
    this.isValidated = true;
    if (this.#services.admit(this)) return true;
    this.#closeCode = excessiveLoad;
    this.abort();
    return false;
  }

  #completeHandshake(): void {
    const clientHello = this.#services.clientHellos.get(this.pointer);
    if (clientHello === undefined) throw new Error('OpenSSL reported no ClientHello');
    this.hello = helloOf(this.handshake, clientHello);
    this.tls = tlsOf(this.pointer);
    this.state = 'open';
    this.progressedMs = performance.now();
    this.#handler = this.#services.options.onConnection(this);
  }

  /** Closes with the application error code, with or without sending first what was written. */
  #shutDown(isFlushed: boolean): void {
    if (isFlushed && this.#streams.hasUnsent) return;
    const flags = isFlushed ? constants.shutdown : constants.shutdownWithoutFlush;
    const error = new BigUint64Array([BigInt(this.#closeCode), 0n]);
    if (openSsl.SSL_shutdown_ex(this.pointer, flags, error, BigInt(error.byteLength)) === 1) this.#end();
    this.tick();
  }
}

/** What a complete handshake has agreed on. */
function tlsOf(pointer: bigint): QuicConnection['tls'] {
  const group = Number(openSsl.SSL_ctrl(pointer, constants.getNegotiatedGroup, 0n, null));
  return {
    cipher: openSsl.readText(openSsl.SSL_CIPHER_get_name(openSsl.SSL_get_current_cipher(pointer))) ?? '',
    group: openSsl.readText(openSsl.SSL_group_to_name(pointer, group)),
    isResumed: openSsl.SSL_session_reused(pointer) === 1,
  };
}
