/** Parses the connection preface of an HTTP/2 client and its further frames up to the first HEADERS frame (RFC 9113 §3.4 and §6). */
import { type ByteReader, readBytes } from './byte-reader.ts';

export interface Http2Preface {
  /** The first SETTINGS frame, in wire order, ids without a meaning included. */
  readonly settings: readonly Setting[];
  /** Increment of the first WINDOW_UPDATE frame. */
  readonly windowUpdate: number | null;
  readonly priorityFrames: readonly PriorityFrame[];
  /** Priority within the first HEADERS frame; null if that has none or did not arrive in time. */
  readonly headersPriority: Priority | null;
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
const flags = { padded: 0x08, priority: 0x20 } as const;

/** Bytes of a HEADERS frame's payload that may come before its header block: pad length and priority. */
export const headersPriorityBytes = 6;

/** Parses the bytes after the preface, of which the last frame may be cut; null if they do not begin with SETTINGS. */
export function parseHttp2Preface(bytes: Uint8Array): Http2Preface | null {
  let settings: readonly Setting[] | null = null;
  let windowUpdate: number | null = null;
  let headersPriority: Priority | null = null;
  const priorityFrames: PriorityFrame[] = [];
  // The bytes end within a frame; the frames before it count.
  readBytes(bytes, (reader) => {
    while (!reader.isAtEnd) {
      const length = reader.number(3);
      const type = reader.number(1);
      const frameFlags = reader.number(1);
      const streamId = streamIdOf(reader.number(4));
      if (settings === null && type !== frameTypes.settings) return;
      if (type === frameTypes.headers) {
        if (frameFlags & flags.padded) reader.take(1);
        if (frameFlags & flags.priority) headersPriority = readPriority(reader);
        return;
      }
      const payload = reader.take(length);
      if (type === frameTypes.settings) settings ??= readBytes(payload, readSettings);
      else if (type === frameTypes.windowUpdate) windowUpdate ??= readBytes(payload, readWindowUpdate);
      else if (type === frameTypes.priority) {
        const priority = readBytes(payload, readPriority);
        if (priority !== null) priorityFrames.push({ streamId, ...priority });
      }
    }
  });
  return settings && { settings, windowUpdate, priorityFrames, headersPriority };
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
