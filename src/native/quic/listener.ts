/** One of OpenSSL's QUIC listeners: takes datagrams, and serves the connections that they belong to. */
import type { RemoteInfo } from 'node:dgram';
import type { DatagramInput } from './datagram.ts';
import type { OpenSsl } from './openssl.ts';

/** OpenSSL handles no more per call. */
const maxInjected = 32;
/** For as many datagrams with their addresses. */
const receiveBytes = 65_536n;

/** Usually a response follows sooner, whose tick grants it. */
const creditDelayMs = 5;

const setLocalAddressEnabled = 84;
const setCapabilities = 87;
/** That both ends of the pair provide and handle the addresses of both sides. */
const allCapabilities = 15n;
const noBlock = 1n;

/** What all listeners of a server share. */
export interface ListenerParts {
  readonly openSsl: OpenSsl;
  /** OpenSSL's context, with the certificate. */
  readonly context: bigint;
  /** Where OpenSSL sends: the UDP socket. */
  readonly output: bigint;
  readonly input: DatagramInput;
}

export class Listener {
  /** Time of the next tick (`performance.now`) if nothing arrives before. */
  deadlineMs = Number.POSITIVE_INFINITY;
  readonly #openSsl: OpenSsl;
  readonly #input: DatagramInput;
  readonly #pointer: bigint;
  /** The end of a pair from whose other end OpenSSL reads. */
  readonly #pair: bigint;
  readonly #timeout = new BigInt64Array(2);
  readonly #isInfinite = new Int32Array(1);
  #injected = 0;

  constructor({ openSsl, context, output, input }: ListenerParts) {
    this.#openSsl = openSsl;
    this.#input = input;
    // Without flags, it validates addresses by Retry (RFC 9000 §8.1.2).
    this.#pointer = openSsl.SSL_new_listener(context, 0n);
    if (this.#pointer === 0n) throw new Error('OpenSSL cannot create a QUIC listener');
    const ends = new BigUint64Array(2);
    const at = openSsl.getRawPointer(ends);
    if (openSsl.BIO_new_bio_dgram_pair(at, receiveBytes, at + 8n, receiveBytes) !== 1)
      throw new Error('OpenSSL cannot create a pair of datagram ends');
    const [inner = 0n, outer = 0n] = ends;
    for (const end of ends) openSsl.BIO_ctrl(end, setCapabilities, allCapabilities, null);
    openSsl.BIO_ctrl(outer, setLocalAddressEnabled, 1n, null);
    this.#pair = outer;
    openSsl.SSL_set0_rbio(this.#pointer, inner);
    openSsl.BIO_up_ref(output);
    openSsl.SSL_set0_wbio(this.#pointer, output);
    openSsl.SSL_listen(this.#pointer);
  }

  /** Passes a datagram to OpenSSL, which handles it at the next tick; returns whether that must come before another one. */
  inject(bytes: Uint8Array, sender: RemoteInfo): boolean {
    this.#input.inject(this.#pair, bytes, sender);
    this.#injected += 1;
    return this.#injected >= maxInjected;
  }

  /** Handles what has arrived and what is due. */
  tick(): void {
    this.#injected = 0;
    this.#openSsl.SSL_handle_events(this.#pointer);
    // The next call of node:crypto would report an error, such as a full socket, as its own.
    this.#openSsl.ERR_clear_error();
    this.#openSsl.SSL_get_event_timeout(this.#pointer, this.#timeout, this.#isInfinite);
    const [seconds = 0n, microseconds = 0n] = this.#timeout;
    const timeoutMs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    this.deadlineMs = this.#isInfinite[0] === 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;
  }

  /** Ticks within some milliseconds, so that clients learn how much more they may send. */
  grantCredit(): void {
    this.deadlineMs = Math.min(this.deadlineMs, performance.now() + creditDelayMs);
  }

  /** Returns a new connection, whose first packet was valid; 0 if there is none. */
  accept(): bigint {
    const pointer = this.#openSsl.SSL_accept_connection(this.#pointer, noBlock);
    this.#openSsl.ERR_clear_error();
    return pointer;
  }

  /** Frees it, after its connections. */
  free(): void {
    this.#openSsl.SSL_free(this.#pointer);
    this.#openSsl.BIO_free(this.#pair);
  }
}
