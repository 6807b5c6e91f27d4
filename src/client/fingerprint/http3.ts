/** The control stream of an HTTP/3 client (RFC 9114 §6.2.1) and the fingerprint that other services compute from it. */
import { type ByteReader, readBytes } from './byte-reader.ts';
import { md5 } from './digests.ts';
import type { HashedText } from './ja3.ts';

/** An id of up to 62 bits; those above 2^53 are rounded. */
export interface WideValue {
  readonly id: number;
  readonly value: number;
  /** Whether the id is reserved, so that servers learn to ignore unknown ones (RFC 9114 §7.2.4.1, RFC 9000 §18.1). */
  readonly isGrease: boolean;
}

export interface Http3Opening {
  /** In wire order. */
  readonly settings: readonly WideValue[];
  /** The frames after SETTINGS; the value is the length. */
  readonly frames: readonly WideValue[];
}

const settingsFrame = 4n;
const greaseRemainder = 0x21n % 31n;

/** Reads a reserved or other id of HTTP/3, and the number after it. */
const readWideValue = (reader: ByteReader): WideValue => {
  const id = reader.varint();
  return { id: Number(id), value: Number(reader.varint()), isGrease: id % 31n === greaseRemainder };
};

/** Parses the bytes after the stream's type, of which the last frame may be cut; null if they do not begin with SETTINGS. */
export function parseHttp3Frames(bytes: Uint8Array): Http3Opening | null {
  let settings: readonly WideValue[] | null = null;
  const frames: WideValue[] = [];
  readBytes(bytes, (reader) => {
    while (!reader.isAtEnd) {
      const frame = readWideValue(reader);
      const payload = reader.take(frame.value);
      if (settings !== null) frames.push(frame);
      else if (frame.id !== Number(settingsFrame)) return;
      else settings = readBytes(payload, (content) => content.all(readWideValue));
    }
  });
  return settings && { settings, frames };
}

/** `settings|frames|pseudoHeaders`; reserved ids are `GREASE`, and the names of pseudo-headers come with their colon. */
export function http3Fingerprint({ settings, frames }: Http3Opening, pseudoHeaders: readonly string[]): HashedText {
  const text = [
    settings.map(({ id, value, isGrease }) => (isGrease ? 'GREASE' : `${id}:${value}`)).join(';'),
    ...frames.map(({ id, isGrease }) => (isGrease ? 'GREASE' : `${id}`)),
    pseudoHeaders.map((name) => name.charAt(1)).join(','),
  ].join('|');
  return { hash: md5(text), text };
}

/** The part of the text that does not depend on chance or time: without reserved ids and frames. */
export function stableHttp3Text({ settings }: Http3Opening, pseudoHeaders: readonly string[]): string {
  return http3Fingerprint({ settings: settings.filter(({ isGrease }) => !isGrease), frames: [] }, pseudoHeaders).text;
}
