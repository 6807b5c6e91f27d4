/** An HTTP/2 client over TLS that sends the bytes it is given, in the pieces it is given, and reads frames. */
import { once } from 'node:events';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { frame, settingsFrame } from '../client/fingerprint/http2-frames.ts';
import { closed } from '../sockets.ts';

export const prefaceBytes = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** A HEADERS frame that ends the request: literal fields of less than 127 bytes, as Latin-1, without indexing (RFC 7541 §6.2.2). */
export function requestFrame(fields: readonly (readonly [name: string, value: string])[], priority = ''): Buffer {
  const literal = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
  const block = fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]);
  const payload = Buffer.concat([Buffer.from(priority, 'hex'), ...block]);
  return frame(1, priority === '' ? 0x05 : 0x25, 1, payload);
}

export const fingerprintRequest: readonly (readonly [name: string, value: string])[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'localhost'],
  [':path', '/fingerprint'],
  ['user-agent', 'raw'],
];

export interface RawHttp2 {
  readonly socket: TLSSocket;
  /** Resolves with the first frame of a type that is not an acknowledgement. */
  frameOf(type: number): Promise<Buffer>;
  /** Resolves with the body of the response to the first request. */
  body(): Promise<string>;
  /** Resolves with the error code with which the server resets the first request; null if it responds. */
  resetCode(): Promise<number | null>;
}

export async function connectRawHttp2(
  origin: string,
  options: ConnectionOptions & { readonly allowHalfOpen?: boolean } = {},
): Promise<RawHttp2> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'], ...options });
  let received = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  await once(socket, 'secureConnect');
  const find = async <Found>(search: (frames: readonly Frame[]) => Found | undefined): Promise<Found> => {
    for (;;) {
      const found = search(framesOf(received));
      if (found !== undefined) return found;
      if (socket.closed) throw new Error('the connection was closed');
      await Promise.race([once(socket, 'data'), closed(socket)]);
    }
  };
  const ofFirstRequest = (frames: readonly Frame[], wanted: number): Frame | undefined =>
    frames.find(({ type, streamId }) => type === wanted && streamId === 1);
  return {
    socket,
    resetCode: () =>
      find((frames) => ofFirstRequest(frames, 3)?.payload.readUInt32BE() ?? (ofFirstRequest(frames, 1) && null)),
    frameOf: (type) => find((frames) => frames.find((each) => each.type === type && (each.flags & 1) === 0)?.payload),
    body: () =>
      find((frames) => {
        const data = frames.filter(({ type, streamId }) => type === 0 && streamId === 1);
        const isWhole = data.some(({ flags }) => (flags & 1) === 1);
        return isWhole ? Buffer.concat(data.map(({ payload }) => payload)).toString() : undefined;
      }),
  };
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const [type = 0, flags = 0] = bytes.subarray(at + 3, at + 5);
    frames.push({ type, flags, streamId: bytes.readUInt32BE(at + 5), payload: bytes.subarray(at + 9, end) });
    at = end;
  }
  return frames;
}

/** Sends the pieces one after another, each in a TLS record of its own, and returns the fingerprint resource. */
export async function fingerprintOf(origin: string, pieces: readonly Buffer[], options?: ConnectionOptions) {
  const client = await connectRawHttp2(origin, options);
  for (const piece of pieces) {
    client.socket.write(piece);
    if (pieces.length > 1) await nextIteration();
  }
  const body = await client.body();
  client.socket.destroy();
  return JSON.parse(body);
}

/** Minimum that a client sends before its first request. */
export const plainOpening = Buffer.concat([prefaceBytes, settingsFrame()]);
