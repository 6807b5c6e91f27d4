/** A stream of a connection, in OpenSSL. */

import type { QuicStream, QuicStreamHandler } from '../quic.ts';
import * as constants from './data/openssl-constants.ts';
import type { HeldDatagrams } from './held-datagrams.ts';
import type { Listener } from './listener.ts';
import { openSsl } from './openssl.ts';

/** Bit of a stream id: 1 for a unidirectional one (RFC 9000 §2.1). */
const unidirectionalBit = 2;
const serverBit = 1;

/** The members of its connection's streams that a stream uses. */
export interface StreamSet {
  readonly owner: StreamOwner;
  /** The sending part of a stream has ended. */
  onSent(stream: OpenSslStream): void;
  /** A stream was given up with what the client still sends. */
  onAborted(): void;
  remove(stream: OpenSslStream): void;
}

/** The members of their connection that streams use. */
export interface StreamOwner {
  readonly pointer: bigint;
  readonly listener: Listener;
  /** Its client's network. */
  readonly flow: string;
  /** Bytes that OpenSSL may still take for this connection. */
  readonly sendBudget: number;
  /** Counts bytes that OpenSSL holds for the client; negative when they are acknowledged. */
  countBuffered(bytes: number): void;
  readonly heldDatagrams: HeldDatagrams;
  /** Makes the connection send soon. */
  tick(): void;
  /** Makes it receive soon, too. */
  wake(): void;
}

/** At most so many bytes are passed on together, and wait if the user takes no more. */
const readBuffer = Buffer.alloc(16_384);
const size = new BigUint64Array(1);

export class OpenSslStream implements QuicStream {
  readonly id: number;
  readonly isBidirectional: boolean;
  handler: QuicStreamHandler | null = null;
  /** Whether the client opened it for a request. */
  readonly isRequest: boolean;
  /** Time at which it was accepted or opened (`performance.now`). */
  readonly openedMs = performance.now();
  /** Whether anything has arrived. */
  hasReceived = false;
  readonly #set: StreamSet;
  readonly #owner: StreamOwner;
  /** 0 after it has been freed. */
  #pointer: bigint;
  #isReceiving: boolean;
  #isSending: boolean;
  #isPaused = false;
  #isEnding = false;
  #pending: Uint8Array[] = [];
  #buffered = 0;

  constructor(set: StreamSet, pointer: bigint) {
    this.#set = set;
    this.#owner = set.owner;
    this.#pointer = pointer;
    this.id = Number(openSsl.SSL_get_stream_id(pointer));
    this.isBidirectional = (this.id & unidirectionalBit) === 0;
    const isOwn = (this.id & serverBit) !== 0;
    this.isRequest = this.isBidirectional && !isOwn;
    this.#isReceiving = this.isBidirectional || !isOwn;
    this.#isSending = this.isBidirectional || isOwn;
  }

  write(bytes: Uint8Array, isLast = false): boolean {
    if (!this.#isSending || this.#isEnding) return true;
    // Then `send` goes on, and calls `onDrain`.
    const { waits } = this;
    if (bytes.length > 0) this.#pending.push(bytes);
    this.#isEnding = isLast;
    if (waits) return false;
    this.#flush(this.#owner.sendBudget);
    // What has been acknowledged since the previous look may make room.
    if (this.waits) this.#owner.wake();
    return !this.waits;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#owner.wake();
  }

  /** OpenSSL sends STOP_SENDING when the stream is freed: after the response. */
  stopReading(): void {
    this.#isReceiving = false;
  }

  abort(code: number): void {
    if (this.#pointer === 0n) return;
    if (this.#isSending) openSsl.SSL_stream_reset(this.#pointer, new BigUint64Array([BigInt(code)]), 8n);
    this.#set.onAborted();
    // Other streams may send what this one no longer needs.
    this.#owner.wake();
    this.free();
  }

  /** Whether the client has ended it, and the response has not. */
  get isAnswering(): boolean {
    return this.isRequest && !this.#isReceiving && this.#isSending;
  }

  /** Whether bytes wait that OpenSSL has not taken. */
  get waits(): boolean {
    return this.#pending.length > 0;
  }

  /** Bytes that wait and OpenSSL has not taken. */
  get pendingBytes(): number {
    return this.#pending.reduce((sum, { length }) => sum + length, 0);
  }

  /** Whether bytes wait that the client has not acknowledged. */
  get hasUnsent(): boolean {
    return this.waits || this.#buffered > 0;
  }

  /** Takes from OpenSSL the bytes that have arrived. */
  read(): void {
    // A handler may pause or abort it.
    while (this.#isReceiving && !this.#isPaused) {
      const hasRead = openSsl.SSL_read_ex(this.#pointer, readBuffer, BigInt(readBuffer.length), size) === 1;
      // Only a read reveals the end: that of the last bytes, or one that failed.
      const state = openSsl.SSL_get_stream_read_state(this.#pointer);
      if (!hasRead && state === constants.stateOk) return;
      this.hasReceived = true;
      const isLast = state === constants.stateFinished;
      if (!hasRead || isLast) this.#isReceiving = false;
      if (hasRead) {
        this.#owner.heldDatagrams.countProgress(Number(size[0]));
        this.#owner.listener.grantCredit();
        this.handler?.onData(Uint8Array.prototype.slice.call(readBuffer, 0, Number(size[0])), isLast);
      } else if (isLast) this.handler?.onData(readBuffer.subarray(0, 0), true);
      else if (state === constants.stateResetByClient) {
        openSsl.SSL_get_stream_read_error_code(this.#pointer, size);
        this.handler?.onReset(Number(size[0]));
      }
    }
  }

  /** Takes from OpenSSL what the client has acknowledged, or that it refuses the rest. */
  acknowledge(): void {
    // The client may refuse the rest of a response that has ended; OpenSSL then holds nothing of it.
    if (this.#isSending && openSsl.SSL_get_stream_write_state(this.#pointer) === constants.stateReset) {
      this.#endSending();
      this.#pending = [];
      this.#setBuffered(0);
      this.handler?.onStopSending();
    } else if (this.#buffered > 0) {
      const isKnown =
        openSsl.SSL_get_value_uint(this.#pointer, constants.genericValue, constants.writeBufferUsed, size) === 1;
      this.#setBuffered(isKnown ? Number(size[0]) : 0);
    }
    this.#freeIfDone();
  }

  /** Passes at most this many waiting bytes to OpenSSL, after all streams of the connection have received. */
  send(maxBytes: number): void {
    if (this.waits) {
      this.#flush(maxBytes);
      if (!this.waits && this.#isSending) this.handler?.onDrain();
    }
    this.#freeIfDone();
  }

  /** OpenSSL tells the client to stop sending, if it has not ended the stream. */
  free(): void {
    if (this.#pointer === 0n) return;
    this.#owner.countBuffered(-this.#buffered);
    openSsl.SSL_free(this.#pointer);
    this.#pointer = 0n;
    this.#isReceiving = false;
    this.#endSending();
    this.#buffered = 0;
    this.#pending = [];
    this.#set.remove(this);
  }

  #freeIfDone(): void {
    if (this.#isReceiving || this.#isSending || this.hasUnsent) return;
    this.free();
    // Sends STOP_SENDING.
    this.#owner.tick();
  }

  /** Hands over what OpenSSL takes, and then the end. */
  #flush(maxBytes: number): void {
    let leftBytes = maxBytes;
    for (let [first] = this.#pending; first !== undefined; [first] = this.#pending) {
      const part = first.subarray(0, leftBytes);
      const isAccepted =
        part.length > 0 && openSsl.SSL_write_ex2(this.#pointer, part, BigInt(part.length), 0n, size) === 1;
      if (!isAccepted) return;
      const written = Number(size[0]);
      leftBytes -= written;
      this.#owner.tick();
      this.#setBuffered(this.#buffered + written);
      if (written < first.length) this.#pending[0] = first.subarray(written);
      else this.#pending.shift();
    }
    if (!this.#isEnding || !this.#isSending) return;
    openSsl.SSL_stream_conclude(this.#pointer, 0n);
    this.#owner.tick();
    this.#endSending();
  }

  #endSending(): void {
    if (!this.#isSending) return;
    this.#isSending = false;
    this.#set.onSent(this);
  }

  #setBuffered(bytes: number): void {
    this.#owner.countBuffered(bytes - this.#buffered);
    this.#buffered = bytes;
  }
}
