/** Bytes of hostile HTTP/2 connections: frames and header blocks as small as they get. */
import { connect, type TLSSocket } from 'node:tls';
import { prefaceBytes } from '../ingress/raw-http2.ts';

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
} as const;

/** A frame of HTTP/2 (RFC 9113 §4.1). */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const endHeadersAndStream = 0x05;

/** A GET; the first one of a connection adds host, path and coding to the header table, later ones refer to it. */
export function requestFrame(stream: number, path: string, isFirst: boolean, coding = ''): Buffer {
  const literal = (index: number, value: string): Buffer =>
    Buffer.concat([Buffer.from([0x40 | index, value.length]), Buffer.from(value)]);
  // RFC 7541, Appendix A: 2 is :method GET, 7 is :scheme https, 1 :authority, 4 :path, 16 accept-encoding.
  const block = isFirst
    ? [Buffer.from([0x82, 0x87]), literal(1, 'localhost'), literal(4, path), literal(16, coding)]
    : [Buffer.from([0x82, 0x87, 0xc0, 0xbf, 0xbe])];
  return frame(frameTypes.headers, endHeadersAndStream, stream, Buffer.concat(block));
}

export function settingsFrame(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  for (const [at, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, 6 * at);
    payload.writeUInt32BE(value, 6 * at + 2);
  }
  return frame(frameTypes.settings, 0, 0, payload);
}

export const settingsAck = frame(frameTypes.settings, 1, 0);
export const initialWindowSize = 4;

export function resetFrame(stream: number): Buffer {
  return frame(frameTypes.reset, 0, stream, Buffer.from([0, 0, 0, 8]));
}

export function pingFrame(): Buffer {
  return frame(frameTypes.ping, 0, 0, Buffer.alloc(8));
}

export function windowUpdateFrame(stream: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frame(frameTypes.windowUpdate, 0, stream, payload);
}

/** Opens a connection and sends preface and SETTINGS; null if the handshake fails. */
export function openHttp2(port: number, from: string, settings: Buffer): Promise<TLSSocket | null> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      localAddress: from,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    };
    const socket = connect(options, () => {
      socket.write(Buffer.concat([prefaceBytes, settings, settingsAck]));
      resolve(socket);
    });
    socket.on('error', () => {}).on('close', () => resolve(null));
  });
}
