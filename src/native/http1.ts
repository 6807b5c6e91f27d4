/**
 * HTTP/1 as Node parses it: the input of its parser, and the requests that it creates.
 *
 * `ParserInput` stands between the socket of a connection and the parser, which would otherwise parse a whole read (64 KB, 2,000 requests).
 * It relies on the parser's listener for `data`; on Node calling `pause()` and `resume()` of the socket together with its parser; on
 * `onread` and `useUserBuffer` of the handle, and on `_consumed`, by which Node knows that a parser reads from it already; and on
 * `_unrefTimer`, which restarts the socket's timeout. Checked in Node 26.10. Without `onread`, `useUserBuffer` or `_unrefTimer`, the socket's
 * events deliver the bytes (1 µs more per read); without `_consumed`, Node's parser reads them itself, and no bound applies. Node's listeners
 * for `pause` and `resume` of the socket stay: if `stop()` follows `start()` in the same tick, its `onSocketResume` restarts the handle, which
 * costs one extra read of 16 KB.
 *
 * `Message` is a request for which Node builds no map of headers unless it reads one itself: the map costs a tenth of a small request. It
 * relies on Node reading only the headers `framingNames` of a request. Checked in Node 26.10. A version that reads another one would
 * not see it: add its name here (test/native/http1-message.test.ts has a request with each).
 */
import { Socket } from 'node:net';
import { IncomingMessage } from './http.ts';
import { handleOf, listenerOf, type SocketHandle, takeListener } from './socket.ts';

/** Buffer for the reads of all connections; bytes that are not parsed in the same call are copied. */
const readBuffer = Buffer.alloc(16_384);

export interface ParserInputEvents {
  /** Bytes have arrived. If `isReused`, the next read overwrites them. */
  receive(bytes: Buffer, isReused: boolean): void;
  /** Node permits to feed the parser again. */
  resume(): void;
  /** Nothing has arrived, perhaps because the connection has ended. Returns whether it is closed later; otherwise, Node does what is due. */
  endOfInput(): boolean;
}

export class ParserInput {
  /** Whether Node has paused the parser, which must not be fed then. */
  isPaused = false;
  readonly #parse: (bytes: Buffer) => void;
  readonly #socket: Socket & { _unrefTimer?(): void };

  /** `passToNode` makes an HTTP server listen to the socket. */
  constructor(socket: Socket, events: ParserInputEvents, passToNode: () => void) {
    this.#socket = socket;
    const handle = handleOf(socket);
    const readsHandle = handle?.useUserBuffer !== undefined && this.#socket._unrefTimer !== undefined;
    // Bytes that were read ahead come by an event.
    if (readsHandle && socket.readableLength === 0) {
      handle._consumed = true;
      passToNode();
      // It stays, because to remove it and to add another takes 15 µs of a visit.
      this.#parse = listenerOf(socket, 'data');
    } else {
      passToNode();
      this.#parse = takeListener(socket, 'data');
      // A listener for data makes the socket deliver it here and not to the parser.
      socket.on('data', (bytes: Buffer) => events.receive(bytes, false));
    }
    if (readsHandle) this.#readIntoBuffer(handle, events);
    socket.pause = () => {
      this.isPaused = true;
      this.stop();
      return socket;
    };
    socket.resume = () => {
      this.isPaused = false;
      events.resume();
      return socket;
    };
  }

  /**
   * Passes bytes to the parser, and discards those that have waited until after the end of the connection: its parser may serve another
   * one by then, whose client would get the response.
   */
  feed(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#parse(bytes);
  }

  #readIntoBuffer(handle: SocketHandle, events: ParserInputEvents): void {
    const socket = this.#socket;
    const { onread } = handle;
    let { bytesRead } = handle;
    handle.useUserBuffer?.(readBuffer);
    handle.onread = function (arrayBuffer) {
      const length = this.bytesRead - bytesRead;
      bytesRead += length;
      // The end of the stream, and errors.
      if (length === 0) return events.endOfInput() ? undefined : onread.call(this, arrayBuffer);
      socket._unrefTimer?.();
      events.receive(readBuffer.subarray(0, length), true);
    };
  }

  /** Stops reading: the bytes that follow wait in the kernel, which makes the client wait. */
  stop(): void {
    Socket.prototype.pause.call(this.#socket);
    const handle = handleOf(this.#socket);
    // A socket stops its handle only when its own buffer is full, and bytes that are read into ours never get there.
    if (!handle?.reading) return;
    handle.reading = false;
    handle.readStop();
  }

  /** Undoes `stop`. */
  start(): void {
    const handle = handleOf(this.#socket);
    // Node's parser resumes the socket after every request.
    if (handle?.reading && this.#socket.readableFlowing) return;
    Socket.prototype.resume.call(this.#socket);
    if (handle === null || handle.reading) return;
    handle.reading = true;
    handle.readStart();
  }
}

/** Headers that Node reads of every request if it requires no Host, by the length of their names. */
const framingNames: (string | undefined)[] = [];
for (const name of ['te', 'expect', 'upgrade', 'content-length', 'transfer-encoding']) framingNames[name.length] = name;

const noHeaders = Object.freeze({});
const ownHeaders = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers')?.get;

export class Message extends IncomingMessage {
  hasFramingHeaders: boolean | null = null;
}

// Not in the class body, where the compiler permits no accessor in place of a property.
Object.defineProperty(Message.prototype, 'headers', {
  get(this: Message) {
    this.hasFramingHeaders ??= hasFramingHeaders(this.rawHeaders);
    return this.hasFramingHeaders ? ownHeaders?.call(this) : noHeaders;
  },
});

function hasFramingHeaders(rawPairs: readonly string[]): boolean {
  for (let at = 0; at < rawPairs.length; at += 2) {
    const name = rawPairs[at] as string;
    const expected = framingNames[name.length];
    if (expected !== undefined && name.toLowerCase() === expected) return true;
  }
  return false;
}
