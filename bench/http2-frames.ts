/** Frames of an HTTP/2 client (RFC 9113 §4.1), taken from Node's own client, so that header fields are compressed as usual. */
import { connect } from 'node:http2';
import { Duplex } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';

export const types = { data: 0, headers: 1, rstStream: 3, settings: 4, goaway: 7, windowUpdate: 8 } as const;

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const frameHeaderBytes = 9;

/** Calls `onFrame` for every complete frame; returns where the first incomplete one begins. */
export function readFrames(bytes: Buffer, onFrame: (type: number, flags: number, payload: Buffer) => void): number {
  let at = 0;
  while (at + frameHeaderBytes <= bytes.length) {
    const end = at + frameHeaderBytes + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    onFrame(bytes[at + 3] as number, bytes[at + 4] as number, bytes.subarray(at + frameHeaderBytes, end));
    at = end;
  }
  return at;
}

export interface Http2Frames {
  /** What a client sends before its first request: preface, SETTINGS, WINDOW_UPDATE. */
  readonly opening: Buffer;
  /** HEADERS of the first request of a connection, and of every later one, which refers to the fields of the first. */
  readonly first: Buffer;
  readonly repeated: Buffer;
  /** Size of the connection's window. */
  readonly windowBytes: number;
}

/** Chrome's. */
const settings = { enablePush: false, initialWindowSize: 6_291_456, maxHeaderListSize: 262_144 };
const windowBytes = 15_728_640;

/** Returns the frames of a GET with these headers. */
export async function framesOf(headers: Readonly<Record<string, string>>): Promise<Http2Frames> {
  let sent = Buffer.alloc(0);
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      sent = Buffer.concat([sent, chunk]);
      done();
    },
  });
  const session = connect('https://seenby.example', { createConnection: () => stream, settings });
  session.setLocalWindowSize(windowBytes);
  for (let each = 0; each < 2; each += 1) session.request(headers).on('error', () => {});
  const frames: { readonly type: number; readonly bytes: Buffer }[] = [];
  while (frames.filter(({ type }) => type === types.headers).length < 2) {
    await nextIteration();
    frames.length = 0;
    readFrames(sent.subarray(preface.length), (type, _flags, payload) => {
      const start = payload.byteOffset - frameHeaderBytes;
      frames.push({ type, bytes: Buffer.from(payload.buffer, start, frameHeaderBytes + payload.length) });
    });
  }
  session.destroy();
  const [first, repeated] = frames.filter(({ type }) => type === types.headers).map(({ bytes }) => Buffer.from(bytes));
  if (first === undefined || repeated === undefined) throw new Error('Node sent no HEADERS');
  const others = frames.filter(({ type }) => type !== types.headers).map(({ bytes }) => bytes);
  return { opening: Buffer.concat([Buffer.from(preface), ...others]), first, repeated, windowBytes };
}
