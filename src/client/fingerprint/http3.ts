/** The control stream of an HTTP/3 client (RFC 9114 §6.2.1) and the fingerprint that other services compute from it. */
import { type ByteReader, readBytes } from '../../wire/byte-reader.ts';
import { http3SettingNames } from './data/quic-names.ts';
import { hashed } from './digests.ts';
import { nameWide, safeNumber } from './names.ts';

export type Http3Opening = NonNullable<ReturnType<typeof parseHttp3Frames>>;

const settingsFrame = 4;
/** RFC 9114 §7.2.4.1 and §7.2.8. */
const greaseRemainder = 2n;

const readSettings = (reader: ByteReader) =>
  reader.all(() => ({
    ...nameWide(reader.wideVarint(), http3SettingNames, greaseRemainder),
    value: safeNumber(reader.wideVarint()),
  }));

const readFrame = (reader: ByteReader) => ({
  ...nameWide(reader.wideVarint(), new Map(), greaseRemainder),
  payload: reader.take(reader.varint()),
});

/**
 * Parses the bytes after the stream's type, of which the last frame may be cut; null if they do not begin with SETTINGS. Both lists are
 * in wire order; `frames` are those after SETTINGS.
 */
export function parseHttp3Frames(bytes: Uint8Array) {
  const frames: ReturnType<typeof readFrame>[] = [];
  // The bytes end within a frame; the frames before it count.
  readBytes(bytes, (reader) => reader.all(readFrame, frames));
  const [first, ...others] = frames;
  const settings = first?.id === settingsFrame ? readBytes(first.payload, readSettings) : null;
  return settings && { settings, frames: others };
}

/** `settings|frames|pseudoHeaders`; reserved ids are `GREASE`, and the names of pseudo-headers come with their colon. */
export function http3Fingerprint({ settings, frames }: Http3Opening, pseudoHeaders: readonly string[]) {
  return hashed(
    [
      settings.map(({ id, name, value }) => (name === 'GREASE' ? name : `${id}:${value}`)).join(';'),
      ...frames.map(({ id, name }) => name ?? `${id}`),
      pseudoHeaders.map((name) => name.charAt(1)).join(','),
    ].join('|'),
  );
}

/** The part of the text that does not depend on chance or time: without reserved ids and frames. */
export function stableHttp3Text({ settings }: Http3Opening, pseudoHeaders: readonly string[]): string {
  return http3Fingerprint({ settings: settings.filter(({ name }) => name !== 'GREASE'), frames: [] }, pseudoHeaders)
    .text;
}
