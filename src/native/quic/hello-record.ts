/** Collects what a client reveals in its handshake: the ClientHello, as OpenSSL reports it, and the datagrams that carried it. */
import { cryptoFramesIn, deriveInitialKeys } from './initial-packet.ts';
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

  /** Adds a datagram before OpenSSL gets it. */
  addDatagram(bytes: Buffer): void {
    if (this.#clientHello === null && this.#datagrams.length < maxDatagrams) this.#datagrams.push(bytes);
  }

  /** Adds the datagram that OpenSSL got first, in which the ClientHello may already be complete. */
  addFirst(bytes: Buffer): void {
    this.#datagrams.unshift(bytes);
  }

  addMessage({ contentType, bytes }: WireMessage): void {
    if (this.#clientHello !== null || contentType !== handshakeRecord || bytes()[0] !== clientHelloMessage) return;
    // A copy: OpenSSL reuses its buffer.
    this.#clientHello = bytes().slice(messageHeaderBytes);
  }

  /** Returns the record; null before the ClientHello. `initialId` is the connection id from which its keys are derived. */
  complete(
    initialId: string,
    ids: Pick<QuicHello, 'version' | 'destinationIdLength' | 'sourceIdLength'>,
  ): QuicHello | null {
    const clientHello = this.#clientHello;
    if (clientHello === null) return null;
    const keys = deriveInitialKeys(Buffer.from(initialId, 'latin1'));
    const counts = this.#datagrams.map((datagram) => cryptoFramesIn(datagram, keys).length);
    this.#datagrams = [];
    const carrying = counts.filter((count) => count > 0);
    const cryptoFrames = carrying.reduce((sum, count) => sum + count, 0);
    return { ...ids, clientHello, cryptoFrames, datagrams: carrying.length };
  }
}
