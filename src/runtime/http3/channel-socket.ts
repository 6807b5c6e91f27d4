/**
 * The Unix sockets between the process that ends QUIC and the service. Each carries one connection at a time, so that what bounds a socket
 * bounds a connection. When that client has gone, it carries another one, because opening and closing a socket takes eight system calls in
 * one process and five in the other. Both ends use the same messages: type, stream, value and payload.
 */
import type { Socket } from 'node:net';

export const messageTypes = {
  /** The first message describes the connection. The service confirms it by one without a payload, which is its own first message. */
  open: 0,
  data: 1,
  /** Data, and the end of the stream. */
  end: 2,
  /** The sender aborts the stream in both directions; the value is the error code. */
  reset: 3,
  /** The sender wants no more data. */
  stop: 4,
  /** The sender has passed on this many further bytes of data (the value). */
  passed: 5,
  /** The connection ends; the value is the error code. That of the process for QUIC is the last message of the connection. */
  close: 6,
} as const;

/** Without a stream, value or payload, they are 0 and empty. */
export interface Message {
  readonly type: keyof typeof messageTypes;
  readonly stream?: number;
  readonly value?: number;
  readonly payload?: Uint8Array;
}

const typeNames = Object.keys(messageTypes) as readonly Message['type'][];
const headerBytes = 15;
/** More than any message has. */
const maxPayloadBytes = 1_048_576;
const noBytes = new Uint8Array();

/** The connection that a socket carries. */
interface Carried {
  /** Whether this end sends no more. */
  readonly isClosed: boolean;
  receive(message: Required<Message>): void;
  /** The socket has closed, and with it the connection. */
  onSocketClosed(): void;
}

interface ChannelSocketOptions {
  /** Calls `flush` as soon as the messages that are sent together are complete. */
  schedule(flush: () => void): void;
  /** The other end describes a connection, which `carry` makes the current one. Not in the process for QUIC, which describes them. */
  onOpening?(payload: Uint8Array): void;
}

export class ChannelSocket {
  /** Times at which it has sent messages. */
  flushes = 0;
  readonly #socket: Socket;
  readonly #options: ChannelSocketOptions;
  /** Null between two connections. */
  #carried: Carried | null = null;
  /** Connections that the other end has not confirmed yet: what it sends until then belongs to an earlier one. */
  #unconfirmed = 0;
  #unread: Buffer | null = null;
  /** Messages that go in one system call. */
  #unsent: Uint8Array[] = [];
  #unsentBytes = 0;

  constructor(socket: Socket, options: ChannelSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('data', this.#read).on('error', () => socket.destroy());
    socket.on('resume', () => this.#receiveUnread());
    socket.on('close', () => this.#carried?.onSocketClosed());
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Bytes that have not left this process. */
  get waitingBytes(): number {
    return this.#unsentBytes + this.#socket.writableLength;
  }

  /** Begins a connection with the first message about it. */
  carry(connection: Carried, payload: Uint8Array = noBytes): void {
    this.#carried = connection;
    if (this.#options.onOpening === undefined) this.#unconfirmed += 1;
    this.send({ type: 'open', payload });
  }

  /** Ends the connection, and permits another one. */
  release(): void {
    this.#carried = null;
  }

  /** Closes the socket if it carries no connection, or one that this end has closed, when what has been sent has left this process. */
  closeEnded(): void {
    if (this.#carried?.isClosed === false) return;
    if (this.#unsentBytes > 0) this.#flush();
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  send({ type, stream = 0, value = 0, payload = noBytes }: Message): void {
    if (!this.#socket.writable) return;
    if (this.#unsentBytes === 0) this.#options.schedule(this.#flush);
    const header = Buffer.allocUnsafe(headerBytes);
    header.writeUInt32BE(payload.length, 0);
    header.writeUInt8(messageTypes[type], 4);
    header.writeUIntBE(stream, 5, 6);
    header.writeUInt32BE(value, 11);
    this.#unsent.push(header);
    if (payload.length > 0) this.#unsent.push(payload);
    this.#unsentBytes += headerBytes + payload.length;
  }

  readonly #flush = (): void => {
    // One piece: the stream of the socket takes longer for each than copying it.
    if (this.#socket.writable) this.#socket.write(Buffer.concat(this.#unsent, this.#unsentBytes));
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.flushes += 1;
  };

  readonly #read = (chunk: Buffer): void => {
    this.#unread = this.#unread === null ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#receiveUnread();
  };

  /** Handles the messages that have arrived, until the socket is paused. */
  #receiveUnread(): void {
    const bytes = this.#unread;
    if (bytes === null) return;
    let at = 0;
    while (bytes.length - at >= headerBytes && !this.#socket.isPaused() && !this.#socket.destroyed) {
      const payloadAt = at + headerBytes;
      const end = payloadAt + bytes.readUInt32BE(at);
      const type = typeNames[bytes.readUInt8(at + 4)];
      if (type === undefined || end - payloadAt > maxPayloadBytes) {
        this.#socket.destroy();
        return;
      }
      if (end > bytes.length) break;
      const message = { type, stream: bytes.readUIntBE(at + 5, 6), value: bytes.readUInt32BE(at + 11) };
      this.#receive({ ...message, payload: bytes.subarray(payloadAt, end) });
      at = end;
    }
    this.#unread = at < bytes.length ? bytes.subarray(at) : null;
  }

  #receive(message: Required<Message>): void {
    const { onOpening } = this.#options;
    if (message.type !== 'open') {
      if (this.#unconfirmed === 0) this.#carried?.receive(message);
    } else if (onOpening === undefined) this.#unconfirmed -= 1;
    // A second opening can only be a fault.
    else if (this.#carried !== null) this.#socket.destroy();
    else onOpening(message.payload);
  }
}
