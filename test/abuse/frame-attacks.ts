/** Attacks by frames that make HTTP/2's own parser work; they run in the process of attacker.ts. */
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { addressOf, type Target } from './attacks.ts';
import { heldShapes } from './held-frames.ts';
import { integer } from './hpack.ts';
import { frame, frameTypes, openHttp2, requestFrame, resetFrame, settingsFrame } from './http2-attacker.ts';

export type FrameShape = keyof typeof shapes;

interface Frames extends Target {
  readonly shapes: readonly FrameShape[];
  /** Of each shape. */
  readonly connections: number;
  /** Requests, or for DATA frames, on each connection. */
  readonly frames: number;
  readonly holdMs: number;
  /** Whether a connection that the service has closed is opened again, until `holdMs` have passed. */
  readonly isReopened?: boolean;
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

const requestWith = (method: number, flags: number, stream: number, rest: Buffer): Buffer =>
  frame(frameTypes.headers, endHeaders | flags, stream, requestBlock(method, rest));
/** References to a header of one letter, which the first request of a connection enters into the table. */
const ofShortEntry = (stream: number, count: number): Buffer =>
  Buffer.concat([Buffer.from(stream === 1 ? '\x40\x01a\x01b' : '', 'latin1'), Buffer.alloc(count, 0xbe)]);
/** A header of 3.9 KB that enters the table, which it fills (RFC 7541 §6.2.1). */
const longEntry = Buffer.concat([Buffer.from('\x40\x01a', 'latin1'), integer(0, 7, 3_900), Buffer.alloc(3_900, 'a')]);

/** Bytes of one request each, by stream. */
const shapes = {
  ...heldShapes,
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
  /** 500 trailers, each a string of its own. */
  manyNewTrailers: (stream: number) =>
    Buffer.concat([
      frame(frameTypes.headers, endHeaders, stream, requestBlock(post, Buffer.alloc(0))),
      frame(
        frameTypes.headers,
        endHeaders | endStream,
        stream,
        Buffer.concat(Array.from({ length: 500 }, () => Buffer.from('\0\x03a-b\x04abcd', 'latin1'))),
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
      requestBlock(get, stream === 1 ? longEntry : Buffer.alloc(12_000, 0xbe)),
    ),
  /** As few headers as the parser rejects. */
  rejectedHeaders: (stream: number) =>
    requestWith(get, endStream, stream, ofShortEntry(stream, bounds.maxHeaderFields)),
  /** Nearly as many headers as it accepts. */
  manyHeaders: (stream: number) => requestWith(get, endStream, stream, ofShortEntry(stream, 500)),
  /** The same in trailers. */
  manyTrailers: (stream: number) =>
    Buffer.concat([
      requestWith(post, 0, stream, Buffer.alloc(0)),
      frame(frameTypes.headers, endHeaders | endStream, stream, ofShortEntry(stream, 500)),
    ]),
  /** 3,000 headers of one letter. */
  fields: (stream: number) =>
    frame(
      frameTypes.headers,
      endHeaders | endStream,
      stream,
      requestBlock(get, Buffer.concat(Array.from({ length: 3_000 }, () => Buffer.from('\0\x01a\x01b', 'latin1')))),
    ),
  /** Many headers, and a body that never comes. */
  heldHeaders: (stream: number) => requestWith(post, 0, stream, ofShortEntry(stream, 500)),
  /** The same with 2,600 headers, which the parser rejects. */
  rejectedHeldHeaders: (stream: number) => requestWith(post, 0, stream, ofShortEntry(stream, 2_600)),
  /** Each header is a new entry of the table, and evicts others. */
  newEntries: (stream: number) =>
    frame(
      frameTypes.headers,
      endHeaders | endStream,
      stream,
      requestBlock(
        get,
        Buffer.concat(
          Array.from({ length: 500 }, (_, at) =>
            Buffer.from(`\x40\x06a${10_000 + ((at + stream) % 90_000)}\x01b`, 'latin1'),
          ),
        ),
      ),
    ),
};

/** Frames that were sent, and connections that the service did not close. */
export interface Sent {
  readonly sent: number;
  readonly open: number;
}

/**
 * Sends the frames of each shape on many connections from ten addresses, each in a write of its own, while the service reads them. Returns
 * when the service has closed every connection, or after `holdMs`.
 */
export async function sendFrames({ shapes: names, connections, frames, holdMs, isReopened, httpsPort }: Frames) {
  const endMs = performance.now() + holdMs;
  const send = async (shape: (typeof shapes)[FrameShape], at: number): Promise<Sent> => {
    const first = await sendOnce(shape, at);
    let { sent, open } = first;
    while (isReopened && performance.now() < endMs) {
      const next = await sendOnce(shape, at);
      sent += next.sent;
      open = next.open;
      await delay(1);
    }
    return { sent, open };
  };
  const sendOnce = async (shape: (typeof shapes)[FrameShape], at: number): Promise<Sent> => {
    const socket = await openHttp2(httpsPort, addressOf(at % 10), settingsFrame());
    if (socket === null) return { sent: 0, open: 0 };
    if (shape !== shapes.unreadPing) socket.resume();
    let sent = 0;
    while (sent < frames && !socket.destroyed && performance.now() < endMs) {
      const isAccepted = socket.write(shape(2 * sent + 1, at));
      sent += 1;
      if (!isAccepted) await eventOf(socket, ['drain', 'close'], endMs);
      // So that the event loop sees what the service sends.
      else if (sent % 50 === 0) await new Promise(setImmediate);
    }
    await eventOf(socket.resume(), ['close'], endMs);
    const open = socket.closed ? 0 : 1;
    socket.destroy();
    return { sent, open };
  };
  const entries = names.map(async (name) => {
    const each = await Promise.all(Array.from({ length: connections }, (_, at) => send(shapes[name], at)));
    const sum = (key: keyof Sent): number => each.reduce((total, one) => total + one[key], 0);
    return [name, { sent: sum('sent'), open: sum('open') }] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Partial<Record<FrameShape, Sent>>;
}

/** Resolves with the first of these events, if the socket is not closed yet, or at the end. */
export function eventOf(socket: Socket, events: readonly string[], endMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const event of events) socket.off(event, end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, endMs - performance.now()));
    for (const event of events) socket.once(event, end);
    if (socket.closed) end();
  });
}
