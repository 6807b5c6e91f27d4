/** Memory for datagrams in the forms of OpenSSL (`BIO_MSG`) and of Linux (`struct mmsghdr` of sendmmsg(2)), which share their bytes. */
import type { OpenSsl } from './openssl.ts';

/** Larger than any that OpenSSL sends, and than any that a client may send: RFC 9000 §18.2, max_udp_payload_size. */
export const maxDatagramBytes = 1_536;

/** OpenSSL's `BIO_ADDR` is a `union` of the system's `struct sockaddr_*`. */
export const addressBytes = 112;
const ipv4 = 2;
const ipv6 = 10;
const ipv4Bytes = 16;
const ipv6Bytes = 28;

const openSslStride = 40;
const linuxStride = 64;
const vectorStride = 16;
const doNotWait = 0x40;

/** Bytes of `struct sockaddr_in` or `sockaddr_in6`, padded to a `BIO_ADDR`. Throws a TypeError if `ip` is not an address. */
export function addressOf(openSsl: OpenSsl, ip: string, port: number): Buffer {
  const [address = '', zone] = ip.split('%');
  const isIpv6 = address.includes(':');
  const bytes = Buffer.alloc(addressBytes);
  const family = isIpv6 ? ipv6 : ipv4;
  bytes.writeUInt16LE(family);
  bytes.writeUInt16BE(port, 2);
  const part = bytes.subarray(isIpv6 ? 8 : 4);
  if (openSsl.inet_pton(family, Buffer.from(`${address}\0`), part) !== 1) throw new TypeError('not an IP address');
  if (zone !== undefined) bytes.writeUInt32LE(openSsl.if_nametoindex(Buffer.from(`${zone}\0`)), 24);
  return bytes;
}

export class DatagramBatch {
  readonly size: number;
  readonly #openSsl: OpenSsl;
  /** Native code reads and writes these, so they live as long as the batch. */
  readonly #data: Buffer;
  readonly #addresses: Buffer;
  readonly #openSslMessages: Buffer;
  readonly #vectors: Buffer;
  readonly #linuxMessages: Buffer;
  readonly #processed = new BigUint64Array(1);

  constructor(openSsl: OpenSsl, size: number) {
    this.size = size;
    this.#openSsl = openSsl;
    this.#data = Buffer.alloc(size * maxDatagramBytes);
    this.#addresses = Buffer.alloc(size * addressBytes);
    this.#openSslMessages = Buffer.alloc(size * openSslStride);
    this.#vectors = Buffer.alloc(size * vectorStride);
    this.#linuxMessages = Buffer.alloc(size * linuxStride);
    const [data, addresses, vectors] = [this.#data, this.#addresses, this.#vectors].map(openSsl.getRawPointer) as [
      bigint,
      bigint,
      bigint,
    ];
    for (let at = 0; at < size; at += 1) {
      const dataAt = data + BigInt(at * maxDatagramBytes);
      const addressAt = addresses + BigInt(at * addressBytes);
      this.#openSslMessages.writeBigUInt64LE(dataAt, at * openSslStride);
      // The client's address is the local one of OpenSSL's messages, because they are at the far end of a pair.
      this.#openSslMessages.writeBigUInt64LE(addressAt, at * openSslStride + 24);
      this.#vectors.writeBigUInt64LE(dataAt, at * vectorStride);
      this.#linuxMessages.writeBigUInt64LE(addressAt, at * linuxStride);
      this.#linuxMessages.writeBigUInt64LE(vectors + BigInt(at * vectorStride), at * linuxStride + 16);
      this.#linuxMessages.writeBigUInt64LE(1n, at * linuxStride + 24);
    }
  }

  /** Passes one received datagram to OpenSSL; without effect if the pair is full, as if the network had lost it. */
  inject(pair: bigint, bytes: Uint8Array, address: Uint8Array): void {
    this.#data.set(bytes);
    this.#addresses.set(address);
    this.#openSslMessages.writeBigUInt64LE(BigInt(bytes.length), 8);
    this.#openSsl.BIO_sendmmsg(pair, this.#openSslMessages, BigInt(openSslStride), 1n, 0n, this.#processed);
  }

  /** Takes datagrams from OpenSSL and sends them; returns how many there were. Those that cannot be sent now are lost. */
  send(pair: bigint, fd: number): number {
    const { size } = this;
    for (let at = 0; at < size; at += 1)
      this.#openSslMessages.writeBigUInt64LE(BigInt(maxDatagramBytes), at * openSslStride + 8);
    const { BIO_recvmmsg: receive, sendmmsg } = this.#openSsl;
    if (receive(pair, this.#openSslMessages, BigInt(openSslStride), BigInt(size), 0n, this.#processed) !== 1) return 0;
    const count = Number(this.#processed[0]);
    for (let at = 0; at < count; at += 1) {
      const length = this.#openSslMessages.readBigUInt64LE(at * openSslStride + 8);
      this.#vectors.writeBigUInt64LE(length, at * vectorStride + 8);
      const isIpv6 = this.#addresses.readUInt16LE(at * addressBytes) === ipv6;
      this.#linuxMessages.writeUInt32LE(isIpv6 ? ipv6Bytes : ipv4Bytes, at * linuxStride + 8);
    }
    // A client that cannot be reached is skipped.
    for (let sent = 0; sent < count; ) {
      const messages = this.#linuxMessages.subarray(sent * linuxStride);
      sent += Math.max(1, sendmmsg(fd, messages, count - sent, doNotWait));
    }
    return count;
  }
}
