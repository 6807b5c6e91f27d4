/**
 * The messages by which the process that ends QUIC passes the streams of one connection to the service, over a Unix socket. Both ends
 * use the same messages.
 */
import type { Socket } from 'node:net';

export const messageTypes = {
  /** The first message: a `LinkOpening` as JSON. */
  open: 0,
  data: 1,
  /** Data, and the end of the stream. */
  end: 2,
  /** The stream is aborted in both directions; the value is the error code. */
  reset: 3,
  /** The receiver of data wants no more of it. */
  stop: 4,
  /** The receiver of data wants it later. */
  pause: 5,
  resume: 6,
  /** The connection ends; the value is the error code. */
  close: 7,
} as const;

export interface Message {
  readonly type: number;
  readonly stream: number;
  /** Of bytes that the client sent, the round-trip time in microseconds, 0 if unknown; else an error code. */
  readonly value: number;
  readonly payload: Uint8Array;
}

/** Without a value, 0 is sent. */
export type SentMessage = Pick<Message, 'type'> & Partial<Message>;

const headerBytes = 15;
/** More than any message has. */
const maxPayloadBytes = 1_048_576;
const noBytes = new Uint8Array();

export class Link {
  readonly #socket: Socket;
  readonly #onMessage: (message: Message) => void;
  #held: Buffer | null = null;
  #isCorked = false;

  /** A peer that sends what is no message ends the socket. */
  constructor(socket: Socket, onMessage: (message: Message) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
    socket.on('data', this.#read);
  }

  /** Returns whether more may be sent now; if not, the socket emits `drain`. */
  send({ type, stream = 0, value = 0, payload = noBytes }: SentMessage): boolean {
    const socket = this.#socket;
    if (!socket.writable) return true;
    if (!this.#isCorked) {
      // All messages of an iteration in one system call.
      this.#isCorked = true;
      socket.cork();
      setImmediate(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    const header = Buffer.allocUnsafe(headerBytes);
    header.writeUInt32BE(payload.length, 0);
    header.writeUInt8(type, 4);
    header.writeUIntBE(stream, 5, 6);
    header.writeUInt32BE(value, 11);
    const isTaken = socket.write(header);
    return payload.length === 0 ? isTaken : socket.write(payload);
  }

  readonly #read = (chunk: Buffer): void => {
    const bytes = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    let at = 0;
    while (bytes.length - at >= headerBytes) {
      const length = bytes.readUInt32BE(at);
      if (length > maxPayloadBytes) {
        this.#socket.destroy();
        return;
      }
      const end = at + headerBytes + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(at + headerBytes, end);
      this.#onMessage({
        type: bytes.readUInt8(at + 4),
        stream: bytes.readUIntBE(at + 5, 6),
        value: bytes.readUInt32BE(at + 11),
        payload,
      });
      at = end;
    }
    if (at < bytes.length) this.#held = bytes.subarray(at);
  };
}
