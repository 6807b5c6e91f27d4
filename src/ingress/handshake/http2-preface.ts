/** Stores the frames with which a client opens HTTP/2, before Node's own session reads them. */
import type { Http2SecureServer } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { frameHeaderBytes, frameTypes, headersPriorityBytes, preface } from '../../client/fingerprint/http2-opening.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { connectionOf } from '../connection.ts';
import { type Incomplete, readAhead } from './read-ahead.ts';

/** A longer opening is stored up to its last complete frame. */
export const maxOpeningBytes = 4096;

const prefaceBytes = Buffer.from(preface);

export type OpeningReading =
  | { readonly state: 'not-http2' }
  /** The bytes after the preface up to `end` are of use. */
  | { readonly state: 'complete'; readonly end: number };

/** Looks for the first HEADERS frame after the preface, SETTINGS and other frames. */
export function readHttp2Opening(bytes: Buffer, graceMs: number): OpeningReading | Incomplete<OpeningReading> {
  const known = Math.min(bytes.length, prefaceBytes.length);
  if (bytes.compare(prefaceBytes, 0, known, 0, known) !== 0) return { state: 'not-http2' };
  for (let at = prefaceBytes.length; ; ) {
    const isFirst = at === prefaceBytes.length;
    const soFar = { state: 'complete', end: at } as const;
    const incomplete = (needsBytes: number): Incomplete<OpeningReading> =>
      isFirst
        ? { state: 'incomplete', needsBytes }
        : { state: 'incomplete', needsBytes, settle: { afterMs: graceMs, reading: soFar } };
    const payloadAt = at + frameHeaderBytes;
    if (payloadAt > maxOpeningBytes) return soFar;
    if (payloadAt > bytes.length) return incomplete(payloadAt);
    const type = bytes[at + 3];
    if (isFirst && type !== frameTypes.settings) return { state: 'not-http2' };
    const isHeaders = type === frameTypes.headers;
    const payloadBytes = bytes.readUIntBE(at, 3);
    const end = payloadAt + (isHeaders ? Math.min(payloadBytes, headersPriorityBytes) : payloadBytes);
    if (end > maxOpeningBytes) return soFar;
    if (end > bytes.length) return incomplete(end);
    if (isHeaders) return { state: 'complete', end };
    at = end;
  }
}

/**
 * Puts the reader in front of the server's own listener for finished handshakes, which then gets every byte: Node's session takes what
 * is buffered on the socket. HTTP/1 connections continue immediately.
 */
export function keepHttp2Openings(server: Http2SecureServer, { helloTimeoutMs, openingGraceMs }: Bounds): void {
  const own = server.listeners('secureConnection').at(-1) as ((socket: TLSSocket) => void) | undefined;
  if (own === undefined) throw new Error('the server has no listener for finished handshakes');
  server.removeListener('secureConnection', own);
  server.on('secureConnection', (socket) => {
    const connection = connectionOf(socket);
    if (socket.alpnProtocol !== 'h2' || connection === null) {
      own.call(server, socket);
      return;
    }
    const look = (bytes: Buffer): OpeningReading | Incomplete<OpeningReading> =>
      readHttp2Opening(bytes, openingGraceMs);
    readAhead(socket, helloTimeoutMs, look, (reading, bytes) => {
      if (reading.state === 'complete') {
        // A copy: a part of the buffer would keep all of it in memory.
        connection.http2Frames = new Uint8Array(bytes.subarray(prefaceBytes.length, reading.end));
      }
      own.call(server, socket);
    });
  });
}
