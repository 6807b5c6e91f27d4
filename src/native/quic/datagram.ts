/** Passes received datagrams to OpenSSL, with their senders. */
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
