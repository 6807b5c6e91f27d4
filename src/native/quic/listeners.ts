/** OpenSSL's QUIC listeners, which take datagrams and serve the connections that they belong to, and when they do so. */
import type { RemoteInfo } from 'node:dgram';
import type { OpenSsl } from './openssl.ts';

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

export class DatagramInput {
  readonly #openSsl: OpenSsl;
  /** Native code reads these, so they live as long as the server. */
  readonly #data = Buffer.alloc(maxDatagramBytes);
  readonly #address = Buffer.alloc(addressBytes);
  readonly #message = Buffer.alloc(messageBytes);
  readonly #processed = new BigUint64Array(1);

  constructor(openSsl: OpenSsl) {
    this.#openSsl = openSsl;
    this.#message.writeBigUInt64LE(openSsl.getRawPointer(this.#data));
    // The client's address is the local one of OpenSSL's message, because it is at the far end of a pair.
    this.#message.writeBigUInt64LE(openSsl.getRawPointer(this.#address), localAddressAt);
  }

  /** Passes one to OpenSSL; without effect if the pair is full, as if the network had lost it. */
  inject(pair: bigint, bytes: Uint8Array, sender: RemoteInfo): void {
    this.#data.set(bytes);
    this.#setAddress(sender);
    this.#message.writeBigUInt64LE(BigInt(bytes.length), lengthAt);
    this.#openSsl.BIO_sendmmsg(pair, this.#message, BigInt(messageBytes), 1n, 0n, this.#processed);
  }

  /** Writes `struct sockaddr_in` or `sockaddr_in6`. */
  #setAddress({ address, port, family }: RemoteInfo): void {
    const isIpv6 = family === 'IPv6';
    const bytes = this.#address;
    bytes.fill(0);
    bytes.writeUInt16LE(isIpv6 ? ipv6 : ipv4);
    bytes.writeUInt16BE(port, 2);
    const [ip = '', zone] = address.split('%');
    this.#openSsl.inet_pton(isIpv6 ? ipv6 : ipv4, Buffer.from(`${ip}\0`), bytes.subarray(isIpv6 ? 8 : 4));
    if (zone !== undefined) bytes.writeUInt32LE(this.#openSsl.if_nametoindex(Buffer.from(`${zone}\0`)), 24);
  }
}

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

/** A connection. */
interface Served {
  readonly listener: Listener;
  serve(): void;
}

export class Ticks {
  readonly #listeners: readonly Listener[];
  readonly #due = new Set<Listener>();
  readonly #awake = new Set<Served>();
  #isScheduled = false;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(listeners: readonly Listener[]) {
    this.#listeners = listeners;
  }

  /** Ticks a listener after the events of this iteration. */
  tick(listener: Listener): void {
    this.#due.add(listener);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#hasEnded) this.#run();
    });
  }

  tickNow(listener: Listener): void {
    listener.tick();
    // For its timer.
    this.tick(listener);
  }

  /** Serves a connection after its listener's tick, too. */
  wake(connection: Served): void {
    this.#awake.add(connection);
    this.tick(connection.listener);
  }

  forget(connection: Served): void {
    this.#awake.delete(connection);
  }

  /** Ticks for the last time. */
  end(): void {
    this.#tickDue();
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#tickDue();
    const awake = [...this.#awake];
    // One that wakes itself, or another, is served in the next iteration.
    this.#awake.clear();
    for (const connection of awake) connection.serve();
    this.#tickDue();
    this.#setTimer();
  }

  #tickDue(): void {
    for (const listener of this.#due) listener.tick();
    this.#due.clear();
  }

  #setTimer(): void {
    const nextMs = Math.min(...this.#listeners.map(({ deadlineMs }) => deadlineMs));
    if (nextMs === this.#timerMs) return;
    this.#timerMs = nextMs;
    clearTimeout(this.#timer);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const onTime = (): void => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      const nowMs = performance.now();
      for (const listener of this.#listeners) if (listener.deadlineMs <= nowMs) this.#due.add(listener);
      this.#run();
    };
    this.#timer = setTimeout(onTime, Math.ceil(Math.max(0, nextMs - performance.now())));
  }
}
