/**
 * The link between the process that ends QUIC and the service: a Unix socket that carries the streams of one connection. Both ends use
 * the same messages: type, stream, value and payload.
 */
import type { Socket } from 'node:net';
import type { QuicStream, QuicStreamHandler } from '../../native/quic/quic.ts';
import { errorCodes } from './data/registries.ts';

export const messageTypes = {
  /** The first message describes the connection. */
  open: 0,
  data: 1,
  /** Data, and the end of the stream. */
  end: 2,
  /** The sender aborts the stream in both directions; the value is the error code. */
  reset: 3,
  /** The sender wants no more data. */
  stop: 4,
  /** The sender has passed on this many further bytes of data (the value). */
  taken: 5,
  /** The connection ends; the value is the error code. */
  close: 6,
} as const;

/** Without a stream, value or payload, they are 0 and empty. */
interface Message {
  readonly type: keyof typeof messageTypes;
  readonly stream?: number;
  readonly value?: number;
  readonly payload?: Uint8Array;
}

const typeNames = Object.keys(messageTypes) as readonly Message['type'][];
const headerBytes = 15;
/** Whether a message carries data. The value of such a message is the round-trip time in microseconds, 0 if unknown. */
const isData = (type: Message['type']): boolean => type === 'data' || type === 'end';
/** More than any message has. */
const maxPayloadBytes = 1_048_576;
const noBytes = new Uint8Array();
/**
 * Bytes of a stream that the other end may have without passing them on: two pieces of a large body, so that also a slow client is seen
 * to make progress.
 */
const windowBytes = 8_192;
/**
 * Bytes that are reported as passed on together: a report takes a write, and wakes the other process. Most streams of a connection never
 * have as many.
 */
const leastTakenBytes = windowBytes / 4;

interface LinkOwner {
  /** The first message of the other end, if it sends one. */
  onOpening?(payload: Uint8Array): void;
  /** The other end opened a stream. */
  onStream(stream: LinkedStream): void;
  /** The other end ends the connection, or the socket has failed. */
  onClose(code: number): void;
  /** The round-trip time, which goes with data, if this end measures it; null if unknown. */
  rttMs?(): number | null;
  /** Calls `flush` as soon as the messages that are sent together are complete. */
  schedule(flush: () => void): void;
}

export class Link {
  /** The round-trip time that came with the latest data; null if unknown. */
  rttMs: number | null = null;
  readonly #socket: Socket;
  readonly #owner: LinkOwner;
  readonly #streams = new Map<number, LinkedStream>();
  #held: Buffer | null = null;
  /** Messages that go in one system call. */
  #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  /** Value of those of them that have data. */
  #rttMicroseconds = 0;

  constructor(socket: Socket, owner: LinkOwner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.on('data', this.#read).on('error', () => socket.destroy());
    socket.on('resume', () => this.#receiveHeld());
    socket.on('close', () => owner.onClose(errorCodes.noError));
  }

  open(id: number, isOpener = true): LinkedStream {
    const stream = new LinkedStream(this, id, isOpener);
    this.#streams.set(id, stream);
    return stream;
  }

  /** Bytes that have not left this process. */
  get waitingBytes(): number {
    return this.#unsentBytes + this.#socket.writableLength;
  }

  close(code: number): void {
    this.send({ type: 'close', value: code });
    this.#flush();
    this.#socket.end();
  }

  remove(stream: LinkedStream): void {
    this.#streams.delete(stream.id);
  }

  send({ type, stream = 0, value = 0, payload = noBytes }: Message): void {
    if (!this.#socket.writable) return;
    if (this.#unsentBytes === 0) {
      this.#rttMicroseconds = Math.min(Math.round((this.#owner.rttMs?.() ?? 0) * 1000), 2 ** 32 - 1);
      this.#owner.schedule(this.#flush);
    }
    const header = Buffer.allocUnsafe(headerBytes);
    header.writeUInt32BE(payload.length, 0);
    header.writeUInt8(messageTypes[type], 4);
    header.writeUIntBE(stream, 5, 6);
    header.writeUInt32BE(isData(type) ? this.#rttMicroseconds : value, 11);
    this.#unsent.push(header);
    if (payload.length > 0) this.#unsent.push(payload);
    this.#unsentBytes += headerBytes + payload.length;
  }

  readonly #flush = (): void => {
    if (this.#unsentBytes === 0) return;
    // One piece: the stream of the socket takes longer for each than copying it.
    if (this.#socket.writable) this.#socket.write(Buffer.concat(this.#unsent, this.#unsentBytes));
    this.#unsent = [];
    this.#unsentBytes = 0;
  };

  readonly #read = (chunk: Buffer): void => {
    this.#held = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#receiveHeld();
  };

  /** Handles the messages that have arrived, until the socket is paused. */
  #receiveHeld(): void {
    const bytes = this.#held;
    if (bytes === null) return;
    let at = 0;
    while (bytes.length - at >= headerBytes && !this.#socket.isPaused()) {
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
    this.#held = at < bytes.length ? bytes.subarray(at) : null;
  }

  #receive(message: Required<Message>): void {
    const { type, stream: id, value, payload } = message;
    if (type === 'open') this.#owner.onOpening?.(payload);
    if (type === 'close') this.#owner.onClose(value);
    if (isData(type) && value > 0) this.rttMs = value / 1000;
    let stream = this.#streams.get(id);
    if (stream === undefined && isData(type)) {
      stream = this.open(id, false);
      this.#owner.onStream(stream);
    }
    stream?.receive(message);
  }
}

class LinkedStream implements QuicStream {
  readonly id: number;
  readonly isBidirectional: boolean;
  handler: QuicStreamHandler | null = null;
  readonly #link: Link;
  /** Whether the other end has sent its last message with data, which is `end` or `reset`, and whether we have sent ours. */
  #isReceived: boolean;
  #isSent: boolean;
  /** Bytes that the other end has not passed on. */
  #sentBytes = 0;
  /** Bytes that we have not reported as passed on. */
  #receivedBytes = 0;
  #isPaused = false;
  /** Whether the other end knows the stream. */
  #isKnown: boolean;

  constructor(link: Link, id: number, isOpener: boolean) {
    this.#link = link;
    this.id = id;
    this.isBidirectional = (id & 2) === 0;
    this.#isKnown = !isOpener;
    this.#isReceived = !this.isBidirectional && isOpener;
    this.#isSent = !this.isBidirectional && !isOpener;
  }

  write(bytes: Uint8Array, isLast = false): boolean {
    if (this.#isSent) return true;
    this.#isKnown = true;
    this.#sentBytes += bytes.length;
    this.#link.send({ type: isLast ? 'end' : 'data', stream: this.id, payload: bytes });
    this.#settle(this.#isReceived, isLast);
    return this.#sentBytes < windowBytes;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#receivedBytes < leastTakenBytes) return;
    this.#link.send({ type: 'taken', stream: this.id, value: this.#receivedBytes });
    this.#receivedBytes = 0;
  }

  stopReading(): void {
    this.#link.send({ type: 'stop', stream: this.id });
  }

  abort(code: number): void {
    if (this.#isKnown) this.#link.send({ type: 'reset', stream: this.id, value: code });
    this.#settle(this.#isReceived || !this.#isKnown, true);
  }

  receive({ type, value, payload }: Required<Message>): void {
    this.#settle(this.#isReceived || type === 'end' || type === 'reset', this.#isSent);
    if (isData(type)) {
      this.handler?.onData(payload, type === 'end');
      this.#receivedBytes += payload.length;
      if (!this.#isPaused && !this.#isReceived) this.resume();
    } else if (type === 'taken') {
      const waits = this.#sentBytes >= windowBytes;
      this.#sentBytes -= value;
      if (waits && this.#sentBytes < windowBytes) this.handler?.onDrain();
    } else {
      if (type === 'reset') this.handler?.onReset(value);
      else this.handler?.onStopSending();
      // The other end forgets the stream only after our last message.
      if (!this.#isSent) this.abort(errorCodes.requestCancelled);
    }
  }

  /** Forgets the stream when both parts have ended. */
  #settle(isReceived: boolean, isSent: boolean): void {
    this.#isReceived = isReceived;
    this.#isSent = isSent;
    if (isReceived && isSent) this.#link.remove(this);
  }
}
