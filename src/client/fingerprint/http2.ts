/** The connection preface of an HTTP/2 client and its further frames up to the first HEADERS frame (RFC 9113 §3.4 and §6). */
import type { HeaderField } from '../../core/observed.ts';
import { type ByteReader, readBytes } from '../../wire/byte-reader.ts';
import { frameNames, settingNames } from './data/connection-names.ts';
import { named } from './names.ts';

const frameTypes = { headers: 1, priority: 2, settings: 4, windowUpdate: 8 } as const;
const headersFlags = { padded: 0x08, priority: 0x20 } as const;

export type Http2Preface = NonNullable<ReturnType<typeof parseHttp2Preface>>;

/**
 * Parses the bytes after the preface, of which the last frame may be cut; null if they do not begin with SETTINGS. Everything is in wire
 * order. `settings` are those of the first SETTINGS frame, `windowUpdate` is the increment of the first WINDOW_UPDATE frame, and
 * `headersPriority` the priority within the first HEADERS frame; null if that has none or did not arrive in time.
 */
export function parseHttp2Preface(bytes: Uint8Array) {
  const frames: ReturnType<typeof readFrame>[] = [];
  // The bytes end within a frame; the frames before it count.
  readBytes(bytes, (reader) => {
    while (!reader.isAtEnd && frames.at(-1)?.id !== frameTypes.headers) frames.push(readFrame(reader));
  });
  const [first] = frames;
  if (first?.id !== frameTypes.settings || first.settings === null) return null;
  return {
    settings: first.settings,
    windowUpdate: frames.find(({ increment }) => increment !== null)?.increment ?? null,
    priorityFrames: frames.flatMap(({ id, streamId, priority }) =>
      id === frameTypes.priority && priority !== null ? [{ streamId, ...priority }] : [],
    ),
    headersPriority: frames.find(({ id }) => id === frameTypes.headers)?.priority ?? null,
    frames,
  };
}

/** Reads a frame with its content, which is null in frames of other types; of HEADERS, only what comes before the header block. */
function readFrame(reader: ByteReader) {
  const length = reader.number(3);
  const type = reader.number(1);
  const flags = reader.number(1);
  const frame = { ...named(type, frameNames), flags, streamId: streamIdOf(reader.number(4)), length };
  if (type === frameTypes.headers) {
    if (flags & headersFlags.padded) reader.take(1);
    const priority = flags & headersFlags.priority ? readPriority(reader) : null;
    return { ...frame, settings: null, increment: null, priority };
  }
  const payload = reader.take(length);
  const contentOf = <Value>(of: number, read: (content: ByteReader) => Value): Value | null =>
    type === of ? readBytes(payload, read) : null;
  return {
    ...frame,
    settings: contentOf(frameTypes.settings, readSettings),
    increment: contentOf(frameTypes.windowUpdate, (content) => streamIdOf(content.number(4))),
    priority: contentOf(frameTypes.priority, readPriority),
  };
}

/** The first bit is reserved. */
const streamIdOf = (value: number): number => value % 2 ** 31;

const readSettings = (reader: ByteReader) =>
  reader.all(() => ({ ...named(reader.number(2), settingNames), value: reader.number(4) }));

/** The weight is 1 to 256: one more than the byte on the wire. */
function readPriority(reader: ByteReader) {
  const dependency = reader.number(4);
  return { exclusive: dependency >= 2 ** 31, dependsOn: streamIdOf(dependency), weight: reader.number(1) + 1 };
}

/** Names of pseudo-headers, with their colon. */
export const pseudoHeadersOf = (fields: readonly HeaderField[]): string[] =>
  fields.map(([name]) => name).filter((name) => name.startsWith(':'));
