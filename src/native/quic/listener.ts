/** One of OpenSSL's QUIC listeners: passes datagrams to it, and lets it work. */
import type { RemoteInfo } from 'node:dgram';
import * as constants from './data/openssl-constants.ts';
import { openSsl } from './openssl.ts';

/** OpenSSL handles no more per call. */
const maxInjected = 32;
/** Room for `maxInjected` datagrams with their addresses, and the least that OpenSSL permits for the other direction, which is not used. */
const receiveBytes = 65_536n;
const leastBytes = 1_024n;
/** Usually a response follows sooner, whose tick grants it. */
const creditDelayMs = 5;
/** Larger than any that a client may send: RFC 9000 §18.2, max_udp_payload_size. */
export const maxDatagramBytes = 1_536;

/** OpenSSL's `BIO_ADDR` is a `union` of the system's `struct sockaddr_*`. */
const addressBytes = 112;
const ipv4 = 2;
const ipv6 = 10;
/** OpenSSL's `BIO_MSG`. */
const messageBytes = 40;
const lengthAt = 8;
const localAddressAt = 24;

/** Native code reads and writes these during a call. */
const data = Buffer.alloc(maxDatagramBytes);
const address = Buffer.alloc(addressBytes);
const message = Buffer.alloc(messageBytes);
const processed = new BigUint64Array(1);
const timeout = new BigInt64Array(2);
const isInfinite = new Int32Array(1);

/** Writes `struct sockaddr_in` or `sockaddr_in6`. */
function setAddress({ address: text, port, family }: RemoteInfo): void {
  const isIpv6 = family === 'IPv6';
  address.fill(0);
  address.writeUInt16LE(isIpv6 ? ipv6 : ipv4);
  address.writeUInt16BE(port, 2);
  const [ip = '', zone] = text.split('%');
  openSsl.inet_pton(isIpv6 ? ipv6 : ipv4, Buffer.from(`${ip}\0`), address.subarray(isIpv6 ? 8 : 4));
  if (zone !== undefined) address.writeUInt32LE(openSsl.if_nametoindex(Buffer.from(`${zone}\0`)), 24);
}

/** Called before the first listener is created; the buffers stay where they are. */
export function initializeMessage(): void {
  message.writeBigUInt64LE(openSsl.getRawPointer(data));
  // The client's address is the local one of OpenSSL's message, because it is at the far end of a pair.
  message.writeBigUInt64LE(openSsl.getRawPointer(address), localAddressAt);
}

export class Listener {
  /** Time of the next tick (`performance.now`) if nothing arrives before. */
  deadlineMs = Number.POSITIVE_INFINITY;
  /** Connections that are not freed. */
  connections = 0;
  /** Time of its latest datagram (`performance.now`). */
  usedMs = 0;
  /** 0 after it has been freed. */
  #pointer: bigint;
  /** The end of a pair from whose other end OpenSSL reads. */
  readonly #pair: bigint;
  #injected = 0;

  /** `context` is OpenSSL's, and `output` is where it sends. `validates`: whether addresses are validated by Retry (RFC 9000 §8.1.2). */
  constructor(context: bigint, output: bigint, validates: boolean) {
    this.#pointer = openSsl.SSL_new_listener(context, validates ? 0n : constants.noValidation);
    if (this.#pointer === 0n) throw new Error('OpenSSL cannot create a QUIC listener');
    const ends = new BigUint64Array(2);
    const at = openSsl.getRawPointer(ends);
    if (openSsl.BIO_new_bio_dgram_pair(at, leastBytes, at + 8n, receiveBytes) !== 1)
      throw new Error('OpenSSL cannot create a pair of datagram ends');
    const [inner = 0n, outer = 0n] = ends;
    for (const end of ends) openSsl.BIO_ctrl(end, constants.setCapabilities, constants.allCapabilities, null);
    openSsl.BIO_ctrl(outer, constants.setLocalAddressEnabled, 1n, null);
    this.#pair = outer;
    openSsl.SSL_set0_rbio(this.#pointer, inner);
    openSsl.BIO_up_ref(output);
    openSsl.SSL_set0_wbio(this.#pointer, output);
    openSsl.SSL_listen(this.#pointer);
  }

  /**
   * Passes a datagram to OpenSSL, which handles it at the next tick; without effect if the pair is full, as if the network had lost it.
   * Returns whether the tick must come before another datagram.
   */
  inject(bytes: Uint8Array, sender: RemoteInfo): boolean {
    data.set(bytes);
    setAddress(sender);
    message.writeBigUInt64LE(BigInt(bytes.length), lengthAt);
    openSsl.BIO_sendmmsg(this.#pair, message, BigInt(messageBytes), 1n, 0n, processed);
    this.#injected += 1;
    this.usedMs = performance.now();
    return this.#injected >= maxInjected;
  }

  /** Handles what has arrived and what is due. */
  tick(): void {
    // A connection may still ask for it after its own end.
    if (this.#pointer === 0n) return;
    this.#injected = 0;
    openSsl.SSL_handle_events(this.#pointer);
    // The next call of node:crypto would report an error, such as a full socket, as its own.
    openSsl.ERR_clear_error();
    openSsl.SSL_get_event_timeout(this.#pointer, timeout, isInfinite);
    const [seconds = 0n, microseconds = 0n] = timeout;
    const timeoutMs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    this.deadlineMs = isInfinite[0] === 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;
  }

  /** Ticks within some milliseconds, so that clients learn how much more they may send. */
  grantCredit(): void {
    this.deadlineMs = Math.min(this.deadlineMs, performance.now() + creditDelayMs);
  }

  /** Returns a new connection, whose first packet was valid; 0 if there is none. */
  accept(): bigint {
    const pointer = openSsl.SSL_accept_connection(this.#pointer, constants.noBlock);
    openSsl.ERR_clear_error();
    return pointer;
  }

  /** Frees it, after its connections. */
  free(): void {
    openSsl.SSL_free(this.#pointer);
    openSsl.BIO_free(this.#pair);
    this.#pointer = 0n;
    this.deadlineMs = Number.POSITIVE_INFINITY;
  }
}
