/** Reads the frames that a client sends before its first HTTP/2 request (RFC 9113 §3.4 and §6). */
import type { Incomplete } from './read-ahead.ts';

/** More frames are kept up to the last complete one. */
export const maxPrefaceBytes = 4096;

const prefaceBytes = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameHeaderBytes = 9;
const frameTypes = { headers: 1, settings: 4 } as const;
/** Bytes of a HEADERS frame's payload that may come before its header block: pad length and priority. */
const headersPriorityBytes = 6;

export type PrefaceReading =
  | { readonly state: 'not-http2' }
  /** `frames` are the bytes after the preface up to the first request's priority, in memory of their own. */
  | { readonly state: 'complete'; readonly frames: Uint8Array };

/** Looks for the first HEADERS frame after the preface, SETTINGS and other frames. */
export function readHttp2Preface(bytes: Buffer, graceMs: number): PrefaceReading | Incomplete<PrefaceReading> {
  const known = Math.min(bytes.length, prefaceBytes.length);
  if (bytes.compare(prefaceBytes, 0, known, 0, known) !== 0) return { state: 'not-http2' };
  for (let at = prefaceBytes.length; ; ) {
    const isFirst = at === prefaceBytes.length;
    const frameAt = at;
    const soFar = (): PrefaceReading => complete(bytes, frameAt);
    // Without SETTINGS, the bytes are of no use.
    const fallback = isFirst ? null : { fallback: { afterMs: graceMs, reading: soFar } };
    const payloadAt = at + frameHeaderBytes;
    if (payloadAt > maxPrefaceBytes) return soFar();
    if (payloadAt > bytes.length) return { state: 'incomplete', needsBytes: payloadAt, ...fallback };
    const type = bytes[at + 3];
    if (isFirst && type !== frameTypes.settings) return { state: 'not-http2' };
    const isHeaders = type === frameTypes.headers;
    const payloadBytes = bytes.readUIntBE(at, 3);
    const end = payloadAt + (isHeaders ? Math.min(payloadBytes, headersPriorityBytes) : payloadBytes);
    if (end > maxPrefaceBytes) return soFar();
    if (end > bytes.length) return { state: 'incomplete', needsBytes: end, ...fallback };
    if (isHeaders) return complete(bytes, end);
    at = end;
  }
}

function complete(bytes: Buffer, end: number): PrefaceReading {
  return { state: 'complete', frames: new Uint8Array(bytes.subarray(prefaceBytes.length, end)) };
}
