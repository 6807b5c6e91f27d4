/** The channel between the process that ends QUIC and the service: the streams of one connection, while a Unix socket carries it. */

import { errorCodes } from '../../ingress/http3/data/registries.ts';
import type { QuicStream, QuicStreamHandler } from '../../native/quic.ts';
import type { ChannelSocket, Message } from './channel-socket.ts';

/** Whether a message carries data. The value of such a message is the round-trip time in microseconds, 0 if unknown. */
const isData = (type: Message['type']): boolean => type === 'data' || type === 'end';
/**
 * Bytes of a stream that the other end may have without passing them on: two pieces of a large body, so that also a slow client is seen
 * to make progress.
 */
const windowBytes = 8_192;
/**
 * Bytes that are reported as passed on together: a report takes a write, and wakes the other process. Most streams of a connection never
 * have as many.
 */
const leastPassedBytes = windowBytes / 4;

interface ChannelOwner {
  /** The other end opened a stream. */
  onStream(stream: ChannelStream): void;
  /** The other end ends the connection, or the socket has failed. */
  onClose(code: number): void;
  /** The round-trip time, which goes with data, if this end measures it; null if unknown. */
  rttMs?(): number | null;
}

export class Channel {
  /** The round-trip time that came with the latest data; null if unknown. */
  rttMs: number | null = null;
  isClosed = false;
  readonly #socket: ChannelSocket;
  readonly #owner: ChannelOwner;
  readonly #streams = new Map<number, ChannelStream>();
  /** Value of the messages with data that go together, and the number of those that went before. */
  #rttMicroseconds = 0;
  #rttFlushes: number | null = null;

  /** `opening` describes the connection, if this end does. */
  constructor(socket: ChannelSocket, owner: ChannelOwner, opening?: Uint8Array) {
    this.#socket = socket;
    this.#owner = owner;
    socket.carry(this, opening);
  }

  open(id: number, isOpener = true): ChannelStream {
    const stream = new ChannelStream(this, id, isOpener);
    this.#streams.set(id, stream);
    return stream;
  }

  /** Closes this end; the other one may still send. */
  close(code: number): void {
    this.send({ type: 'close', value: code });
    this.isClosed = true;
  }

  /** Lets the socket carry another connection. */
  end(): void {
    this.isClosed = true;
    this.#socket.release();
  }

  remove(stream: ChannelStream): void {
    this.#streams.delete(stream.id);
  }

  send(message: Message): void {
    if (this.isClosed) return;
    if (!isData(message.type)) {
      this.#socket.send(message);
      return;
    }
    if (this.#rttFlushes !== this.#socket.flushes) {
      this.#rttFlushes = this.#socket.flushes;
      this.#rttMicroseconds = Math.min(Math.round((this.#owner.rttMs?.() ?? 0) * 1000), 2 ** 32 - 1);
    }
    this.#socket.send({ ...message, value: this.#rttMicroseconds });
  }

  onSocketClosed(): void {
    this.isClosed = true;
    this.#owner.onClose(errorCodes.noError);
  }

  receive(message: Required<Message>): void {
    const { type, stream: id, value } = message;
    if (type === 'close') {
      this.#owner.onClose(value);
      return;
    }
    if (isData(type) && value > 0) this.rttMs = value / 1000;
    let stream = this.#streams.get(id);
    if (stream === undefined && isData(type)) {
      stream = this.open(id, false);
      this.#owner.onStream(stream);
    }
    stream?.receive(message);
  }
}

class ChannelStream implements QuicStream {
  readonly id: number;
  readonly isBidirectional: boolean;
  handler: QuicStreamHandler | null = null;
  readonly #channel: Channel;
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

  constructor(channel: Channel, id: number, isOpener: boolean) {
    this.#channel = channel;
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
    this.#channel.send({ type: isLast ? 'end' : 'data', stream: this.id, payload: bytes });
    this.#settle(this.#isReceived, isLast);
    return this.#sentBytes < windowBytes;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#receivedBytes < leastPassedBytes) return;
    this.#channel.send({ type: 'passed', stream: this.id, value: this.#receivedBytes });
    this.#receivedBytes = 0;
  }

  stopReading(): void {
    this.#channel.send({ type: 'stop', stream: this.id });
  }

  abort(code: number): void {
    if (this.#isKnown) this.#channel.send({ type: 'reset', stream: this.id, value: code });
    this.#settle(this.#isReceived || !this.#isKnown, true);
  }

  receive({ type, value, payload }: Required<Message>): void {
    this.#settle(this.#isReceived || type === 'end' || type === 'reset', this.#isSent);
    if (isData(type)) {
      this.handler?.onData(payload, type === 'end');
      this.#receivedBytes += payload.length;
      if (!this.#isPaused && !this.#isReceived) this.resume();
    } else if (type === 'passed') {
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
    if (isReceived && isSent) this.#channel.remove(this);
  }
}
