/** Collects what a client reveals in its handshake: the ClientHello, as OpenSSL reports it, and the datagrams that carried it. */
import { cryptoFramesIn, deriveInitialKeys } from './initial-packet.ts';
import type { Packet } from './packet.ts';
import type { QuicHello } from './quic.ts';
import type { WireMessage } from './server-context.ts';

const handshakeRecord = 22;
const clientHelloMessage = 1;
const messageHeaderBytes = 4;
/** Clients need one or two, and send them again if they are lost. */
const maxDatagrams = 16;

export class HelloRecord {
  #clientHello: Uint8Array | null = null;
  #datagrams: Buffer[] = [];
  #ids: Pick<QuicHello, 'version' | 'destinationIdLength' | 'sourceIdLength'> | null = null;
  #initialId = '';

  /** Adds a datagram before OpenSSL gets it. */
  addDatagram(bytes: Buffer): void {
    if (this.#clientHello === null && this.#datagrams.length < maxDatagrams) this.#datagrams.push(bytes);
  }

  /**
   * Adds the datagram that OpenSSL got first, in which the ClientHello may already be complete; the keys derive from its connection id.
   * `destinationIdLength` is that of the client's very first packet.
   */
  begin(packet: Packet, bytes: Buffer, destinationIdLength: number | null): void {
    this.#datagrams.unshift(bytes);
    const { version, sourceIdLength, destinationId } = packet;
    this.#ids = { version, sourceIdLength, destinationIdLength };
    this.#initialId = destinationId;
  }

  addMessage({ contentType, bytes }: WireMessage): void {
    if (this.#clientHello !== null || contentType !== handshakeRecord || bytes()[0] !== clientHelloMessage) return;
    // A copy: OpenSSL reuses its buffer.
    this.#clientHello = bytes().slice(messageHeaderBytes);
  }

  /** Returns the record; null before the ClientHello. */
  complete(): QuicHello | null {
    const clientHello = this.#clientHello;
    if (clientHello === null || this.#ids === null) return null;
    const keys = deriveInitialKeys(Buffer.from(this.#initialId, 'latin1'));
    const counts = this.#datagrams.map((datagram) => cryptoFramesIn(datagram, keys).length);
    this.#datagrams = [];
    const carrying = counts.filter((count) => count > 0);
    const cryptoFrames = carrying.reduce((sum, count) => sum + count, 0);
    return { ...this.#ids, clientHello, cryptoFrames, datagrams: carrying.length };
  }
}
