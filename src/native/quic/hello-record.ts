/** Collects what a client reveals in its handshake, from the messages that OpenSSL reports. */
import type { QuicHello } from './quic.ts';
import type { WireMessage } from './server-context.ts';

const handshakeRecord = 22;
const datagram = 0x200;
const frame = 0x202;
const clientHelloMessage = 1;
const messageHeaderBytes = 4;
const cryptoFrame = 6;

export class HelloRecord {
  #clientHello: Uint8Array | null = null;
  #cryptoFrames = 0;
  #datagrams = 0;

  /** Counts until the ClientHello is complete. */
  add({ contentType, bytes }: WireMessage): void {
    if (this.#clientHello !== null) return;
    if (contentType === datagram) this.#datagrams += 1;
    else if (contentType === frame && bytes()[0] === cryptoFrame) this.#cryptoFrames += 1;
    else if (contentType === handshakeRecord && bytes()[0] === clientHelloMessage)
      // A copy: OpenSSL reuses its buffer.
      this.#clientHello = bytes().slice(messageHeaderBytes);
  }

  /** Returns the record; null before the ClientHello. */
  complete(ids: Pick<QuicHello, 'version' | 'destinationIdLength' | 'sourceIdLength'>): QuicHello | null {
    const clientHello = this.#clientHello;
    return clientHello && { ...ids, clientHello, cryptoFrames: this.#cryptoFrames, datagrams: this.#datagrams };
  }
}
