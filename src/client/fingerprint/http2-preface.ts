/** Parses the connection preface of an HTTP/2 client and its further frames up to the first HEADERS frame (RFC 9113 §3.4 and §6). */
import { type ByteReader, readBytes } from './byte-reader.ts';

export interface Http2Preface {
  /** Every frame in wire order. */
  readonly frames: readonly Frame[];
  /** The first SETTINGS frame, in wire order, ids without a meaning included. */
  readonly settings: readonly Setting[];
  /** Increment of the first WINDOW_UPDATE frame. */
  readonly windowUpdate: number | null;
  readonly priorityFrames: readonly PriorityFrame[];
  /** Priority within the first HEADERS frame; null if that has none or did not arrive in time. */
  readonly headersPriority: Priority | null;
}

/** A frame with its content, which is null in frames of other types. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  /** Bytes of its payload. */
  readonly length: number;
  readonly settings: readonly Setting[] | null;
  readonly increment: number | null;
  /** Of a PRIORITY frame, or within a HEADERS frame. */
  readonly priority: Priority | null;
}

export interface Setting {
  readonly id: number;
  readonly value: number;
}

export interface Priority {
  readonly exclusive: boolean;
  readonly dependsOn: number;
  /** 1 to 256: one more than the byte on the wire. */
  readonly weight: number;
}

export interface PriorityFrame extends Priority {
  readonly streamId: number;
}

export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export const frameHeaderBytes = 9;
export const frameTypes = { headers: 1, priority: 2, settings: 4, windowUpdate: 8 } as const;
const headersFlags = { padded: 0x08, priority: 0x20 } as const;

/** Bytes of a HEADERS frame's payload that may come before its header block: pad length and priority. */
export const headersPriorityBytes = 6;

/** Parses the bytes after the preface, of which the last frame may be cut; null if they do not begin with SETTINGS. */
export function parseHttp2Preface(bytes: Uint8Array): Http2Preface | null {
  const frames: Frame[] = [];
  // The bytes end within a frame; the frames before it count.
  readBytes(bytes, (reader) => {
    while (!reader.isAtEnd && frames.at(-1)?.type !== frameTypes.headers) frames.push(readFrame(reader));
  });
  const [first] = frames;
  if (first?.type !== frameTypes.settings || first.settings === null) return null;
  return {
    frames,
    settings: first.settings,
    windowUpdate: frames.find(({ increment }) => increment !== null)?.increment ?? null,
    priorityFrames: frames.flatMap(({ type, streamId, priority }) =>
      type === frameTypes.priority && priority !== null ? [{ streamId, ...priority }] : [],
    ),
    headersPriority: frames.find(({ type }) => type === frameTypes.headers)?.priority ?? null,
  };
}

/** Reads a frame; of HEADERS, only what comes before the header block. */
function readFrame(reader: ByteReader): Frame {
  const length = reader.number(3);
  const type = reader.number(1);
  const flags = reader.number(1);
  const streamId = streamIdOf(reader.number(4));
  const frame = { type, flags, streamId, length, settings: null, increment: null, priority: null };
  if (type === frameTypes.headers) {
    if (flags & headersFlags.padded) reader.take(1);
    return flags & headersFlags.priority ? { ...frame, priority: readPriority(reader) } : frame;
  }
  const payload = reader.take(length);
  if (type === frameTypes.settings) return { ...frame, settings: readBytes(payload, readSettings) };
  if (type === frameTypes.windowUpdate) return { ...frame, increment: readBytes(payload, readWindowUpdate) };
  if (type === frameTypes.priority) return { ...frame, priority: readBytes(payload, readPriority) };
  return frame;
}

/** The first bit is reserved. */
const streamIdOf = (value: number): number => value % 2 ** 31;

const readSettings = (reader: ByteReader): Setting[] =>
  reader.all(() => ({ id: reader.number(2), value: reader.number(4) }));

const readWindowUpdate = (reader: ByteReader): number => streamIdOf(reader.number(4));

function readPriority(reader: ByteReader): Priority {
  const dependency = reader.number(4);
  return {
    exclusive: dependency >= 2 ** 31,
    dependsOn: streamIdOf(dependency),
    weight: reader.number(1) + 1,
  };
}
