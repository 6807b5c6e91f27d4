/** Feeds an HTTP/1 connection to Node's parser request by request, and only while few of its requests are in flight. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import { handleOf, type SocketHandle } from '../native/socket-handle.ts';
import type { Connection } from './connection.ts';
import type { TurnQueue } from './scheduler.ts';

const blankLine = Buffer.from('\r\n\r\n');

/** Bytes fed together if they contain no end of a header section: a part of headers or of a body. */
const maxPortionBytes = 4_096;

/** Buffer for the reads of all connections; bytes that are not parsed in the same call are copied. */
const readBuffer = Buffer.alloc(16_384);

/** The part of the buffer that the latest read filled; reused, because requests of one client usually have the same length. */
let latestRead = readBuffer;

/** Bytes that the kernel has accepted; it accepts more as the client acknowledges them. */
function acceptedBytesOf(socket: Socket): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = handleOf(socket) ?? {};
  return bytesWritten - writeQueueSize;
}

/**
 * Node's parser takes a whole read: 64 KB are 2,000 requests, all handled in one turn of the event loop, before back-pressure
 * has an effect. The gate takes the bytes from the socket instead and passes on a part that completes at most one request; the rest
 * waits for its turn.
 */
export class Http1Gate {
  readonly #socket: Socket & { _unrefTimer?(): void };
  readonly #queue: TurnQueue;
  readonly #connection: Connection;
  readonly #bounds: Bounds;
  readonly #feed: (chunk: Buffer) => void;
  readonly #pauseSocket: () => Socket;
  readonly #resumeSocket: () => Socket;
  #held: Buffer | null = null;
  #acceptedBytes = 0;
  #progressedMs = 0;
  #isPaused = false;
  #isClosed = false;
  #inFlight = 0;
  /** Response whose end opens the gate again. */
  #awaited: ServerResponse | null = null;

  /** Expects a socket that an HTTP server listens to already. */
  constructor(connection: Connection, socket: Socket, queue: TurnQueue, bounds: Bounds) {
    const [feed] = socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (feed === undefined) throw new Error('the socket has no parser');
    this.#socket = socket;
    this.#queue = queue;
    this.#connection = connection;
    this.#bounds = bounds;
    this.#feed = feed;
    this.#pauseSocket = socket.pause;
    this.#resumeSocket = socket.resume;
    socket.removeListener('data', feed);
    // A listener for data makes the socket deliver it here and not to the parser.
    socket.on('data', (chunk: Buffer) => this.#receive(chunk, false));
    this.#readInto(handleOf(socket));
    // Node pauses the socket together with its parser, which must not be fed then.
    socket.pause = () => {
      this.#isPaused = true;
      this.#stopReading();
      return socket;
    };
    socket.resume = () => {
      this.#isPaused = false;
      if (this.#held === null) this.#startReading();
      else this.#queue.add(this.#step);
      return socket;
    };
  }

  /** Counts a request as in flight until its response, and all before it, are written; none follows a POST until then. */
  begin(response: ServerResponse): void {
    const { latest } = this.#connection;
    if (latest === null || latest.writableFinished) this.#inFlight = 0;
    // A body takes many times its bytes while it is handled, and clients do not pipeline such requests.
    this.#inFlight += response.req.method === 'POST' ? this.#bounds.maxRequestsInFlight : 1;
    this.#connection.latest = response;
    response.on('finish', this.#release);
  }

  /** An idle connection keeps nothing of its last request; without this, each one outlives two collections of the young generation. */
  readonly #release = (): void => {
    const { latest } = this.#connection;
    if (latest?.writableFinished && latest.req.complete) this.#connection.latest = null;
  };

  /** Discards all further bytes: the parser cannot continue. */
  close(): void {
    this.#isClosed = true;
    this.#held = null;
  }

  #readInto(handle: SocketHandle | null): void {
    if (!handle?.useUserBuffer || !this.#socket._unrefTimer) return;
    const onread = handle.onread;
    let bytesRead = handle.bytesRead;
    const receive = (length: number): void => {
      this.#socket._unrefTimer?.();
      if (latestRead.length !== length) latestRead = readBuffer.subarray(0, length);
      this.#receive(latestRead, true);
    };
    handle.useUserBuffer(readBuffer);
    handle.onread = function (arrayBuffer) {
      const length = this.bytesRead - bytesRead;
      bytesRead += length;
      // The end of the stream and errors.
      if (length === 0) return onread.call(this, arrayBuffer);
      receive(length);
    };
  }

  #receive(chunk: Buffer, isShared: boolean): void {
    if (this.#isClosed) return;
    if (this.#held === null && !this.#isPaused && !this.#isFull() && portionOf(chunk) === chunk.length) {
      this.#feed(chunk);
      return;
    }
    if (this.#held !== null) this.#held = Buffer.concat([this.#held, chunk]);
    else this.#held = isShared ? Buffer.from(chunk) : chunk;
    this.#stopReading();
    this.#queue.add(this.#step);
  }

  /** The bytes that follow wait in the kernel, which makes the client wait. */
  #stopReading(): void {
    this.#pauseSocket.call(this.#socket);
    const handle = handleOf(this.#socket);
    // A socket stops its handle only when its own buffer is full, and bytes that are read into ours never get there.
    if (!handle?.reading) return;
    handle.reading = false;
    handle.readStop();
  }

  #startReading(): void {
    const handle = handleOf(this.#socket);
    // Node's parser resumes the socket after every request.
    if (handle?.reading && this.#socket.readableFlowing) return;
    this.#resumeSocket.call(this.#socket);
    if (handle === null || handle.reading) return;
    handle.reading = true;
    handle.readStart();
  }

  readonly #step = (): boolean => {
    if (this.#held === null || this.#isPaused || this.#isFull()) return false;
    const portion = portionOf(this.#held);
    const chunk = this.#held.subarray(0, portion);
    this.#held = portion === this.#held.length ? null : this.#held.subarray(portion);
    this.#feed(chunk);
    if (this.#held !== null) return !this.#isPaused;
    if (!this.#isPaused) this.#startReading();
    return false;
  };

  /** Whether a response waits and the client has not accepted enough bytes in time; for calls in short intervals. */
  isStalled(nowMs: number): boolean {
    const { stallBytes, stallTimeoutMs } = this.#bounds;
    const { latest } = this.#connection;
    const acceptedBytes = acceptedBytesOf(this.#connection.socket);
    if (latest === null || !latest.writableEnded || latest.writableFinished) this.#progressedMs = nowMs;
    else if (acceptedBytes - this.#acceptedBytes < stallBytes) return nowMs - this.#progressedMs > stallTimeoutMs;
    this.#progressedMs = nowMs;
    this.#acceptedBytes = acceptedBytes;
    return false;
  }

  #isFull(): boolean {
    const { latest } = this.#connection;
    // The rest of a body belongs to a request that is in flight already.
    if (latest === null || latest.writableFinished || !latest.req.complete) return false;
    const { maxRequestsInFlight, maxUnsentBytesPerConnection } = this.#bounds;
    if (this.#inFlight < maxRequestsInFlight && this.#connection.unsentBytes < maxUnsentBytesPerConnection)
      return false;
    if (this.#awaited !== latest) latest.once('close', this.#open);
    this.#awaited = latest;
    return true;
  }

  readonly #open = (): void => {
    this.#awaited = null;
    this.#queue.add(this.#step);
  };
}

/** Length of the first part that completes at most one request; a blank line may also end with its first byte. */
function portionOf(bytes: Buffer): number {
  const end = bytes.indexOf(blankLine);
  return Math.min(bytes.length, maxPortionBytes, end === -1 ? maxPortionBytes : end + blankLine.length);
}
