/** DNS messages (RFC 1035 §4): encodes the query of a lookup, decodes the response and its records. */
import { formatAddress } from '../../core/address.ts';
import { extendedErrorOption, internetClass, opt, typeNumbers } from './data/dns-parameters.ts';
import type { DnsRecord, QueryType, RecordOf } from './schema.ts';

export type Message = NonNullable<ReturnType<typeof decodeResponse>>;

/** RFC 8914: the reason for a response. */
export interface ExtendedError {
  readonly code: number;
  readonly text: string;
}

const udpPayloadBytes = 4096;
const flags = {
  response: 0x8000,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  authenticData: 0x0020,
  checkingDisabled: 0x0010,
};
const opcodeMask = 0x7800;

const octets = (...numbers: number[]): number[] => numbers.flatMap((number) => [number >> 8, number & 0xff]);

/** `name` as returned by `parseDnsName`. The id is 0, so that equal queries are equal requests (RFC 8484 §4.1). */
export function encodeQuery(name: string, type: QueryType, checking: 'checked' | 'unchecked'): Uint8Array {
  // RFC 6840 §5.7: AD in a query requests AD in the response, without the signatures that DO adds.
  const queryFlags =
    flags.recursionDesired | flags.authenticData | (checking === 'checked' ? 0 : flags.checkingDisabled);
  const labels = name === '.' ? [] : name.split('.');
  return Uint8Array.from([
    ...octets(0, queryFlags, 1, 0, 0, 1),
    ...labels.flatMap((label) => [label.length, ...Array.from(label, (character) => character.charCodeAt(0))]),
    0,
    ...octets(typeNumbers[type], internetClass),
    0,
    ...octets(opt, udpPayloadBytes, 0, 0, 0),
  ]);
}

/** Null for a message that is malformed, truncated, or not a response to this query. */
export function decodeResponse(bytes: Uint8Array, name: string, type: QueryType) {
  try {
    return readResponse(cursorOf(bytes), name, type);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readResponse(cursor: Cursor, name: string, type: QueryType) {
  const [id, bits = 0, questions, ...counts] = Array.from({ length: 6 }, () => uint16(cursor));
  const { response, truncated } = flags;
  if (id !== 0 || (bits & (response | opcodeMask | truncated)) !== response || questions !== 1) return null;
  if (readName(cursor).toLowerCase() !== name) return null;
  if (uint16(cursor) !== typeNumbers[type] || uint16(cursor) !== internetClass) return null;
  // A count higher than the message holds ends with the RangeError of reading past its end.
  const readSection = <Read>(length = 0, read: (cursor: Cursor) => Read | null): Read[] =>
    Array.from({ length }, () => read(cursor)).filter((found) => found !== null);
  const answers = readSection(counts[0], readRecord);
  const authorities = readSection(counts[1], readRecord);
  const [edns] = readSection(counts[2], readOpt);
  return {
    /** Response code, with the upper bits that EDNS adds (RFC 6891 §6.1.3). */
    rcode: ((edns?.upperRcode ?? 0) << 4) | (bits & 0xf),
    /** The AD flag: DNSSEC validated the whole response (RFC 6840 §5.8). */
    authentic: (bits & flags.authenticData) !== 0,
    /** Records of the supported types in the answer section. */
    answers,
    authorities,
    extendedErrors: edns?.extendedErrors ?? [],
  };
}

/** RFC 6891 §6.1: a record whose class and TTL have other meanings; null for every other record. */
function readOpt(cursor: Cursor): { upperRcode: number; extendedErrors: ExtendedError[] } | null {
  readName(cursor);
  const type = uint16(cursor);
  take(cursor, 2);
  const upperRcode = uint32(cursor) >>> 24;
  const rdata = cursorOf(take(cursor, uint16(cursor)));
  if (type !== opt) return null;
  const extendedErrors: ExtendedError[] = [];
  while (rdata.at < rdata.bytes.length) {
    const option = uint16(rdata);
    const value = cursorOf(take(rdata, uint16(rdata)));
    if (option === extendedErrorOption)
      extendedErrors.push({ code: uint16(value), text: printable(take(value, value.bytes.length - value.at)) });
  }
  return { upperRcode, extendedErrors };
}

type Rdata = Pick<DnsRecord, 'data' | 'mx' | 'txt' | 'caa' | 'soa'>;

const plainData = (data: string): Rdata => ({ data, mx: null, txt: null, caa: null, soa: null });

/** Each reads to `end` or throws; the caller checks that exactly these octets were read. */
const readers: Record<QueryType, (cursor: Cursor, end: number) => Rdata> = {
  A: (cursor) => plainData(take(cursor, 4).join('.')),
  AAAA(cursor) {
    const bits = Array.from({ length: 4 }, () => BigInt(uint32(cursor))).reduce((high, low) => (high << 32n) | low);
    return plainData(formatAddress({ version: 6, bits }));
  },
  NS: (cursor) => plainData(readName(cursor)),
  PTR: (cursor) => plainData(readName(cursor)),
  CNAME: (cursor) => plainData(readName(cursor)),
  MX(cursor) {
    const mx = { preference: uint16(cursor), exchange: readName(cursor) };
    return { ...plainData(`${mx.preference} ${mx.exchange}`), mx };
  },
  TXT(cursor, end) {
    const chunks: Uint8Array[] = [];
    while (cursor.at < end) chunks.push(take(cursor, uint8(cursor)));
    // Joined before decoding: a character may span two strings.
    return {
      ...plainData(printable(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])))),
      txt: { chunks: chunks.map(printable) },
    };
  },
  // RFC 8659 §4.1
  CAA(cursor, end) {
    const flags = uint8(cursor);
    const tag = printable(take(cursor, uint8(cursor)));
    const value = printable(take(cursor, end - cursor.at));
    return { ...plainData(`${flags} ${tag} "${value.replaceAll('"', '\\"')}"`), caa: { flags, tag, value } };
  },
  SOA(cursor) {
    const soa = {
      mname: readName(cursor),
      rname: readName(cursor),
      serial: uint32(cursor),
      refresh: uint32(cursor),
      retry: uint32(cursor),
      expire: uint32(cursor),
      minimum: uint32(cursor),
    };
    return { ...plainData(Object.values(soa).join(' ')), soa };
  },
};

const typesByNumber: ReadonlyMap<number, QueryType> = new Map(
  Object.entries(typeNumbers).map(([type, number]) => [number, type as QueryType]),
);

/** Reads the next record of a section; skips one of another type or class and returns null. */
function readRecord(cursor: Cursor): RecordOf<QueryType> | null {
  const name = readName(cursor);
  const type = typesByNumber.get(uint16(cursor));
  const recordClass = uint16(cursor);
  const ttl = uint32(cursor);
  const end = uint16(cursor) + cursor.at;
  if (type === undefined || recordClass !== internetClass) {
    take(cursor, end - cursor.at);
    return null;
  }
  const rdata = readers[type](cursor, end);
  if (cursor.at !== end) throw new RangeError('wrong data length');
  // RFC 2181 §8: a TTL with the highest bit set counts as 0.
  return { name, type, ttl: ttl > 0x7fff_ffff ? 0 : ttl, ...rdata };
}

/** A position in a message. Functions that read from it throw a RangeError if the message is truncated or malformed. */
interface Cursor {
  readonly bytes: Uint8Array;
  /** Throws the RangeError itself if a number lies outside the message. */
  readonly view: DataView;
  at: number;
}

function cursorOf(bytes: Uint8Array): Cursor {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
}

const uint8 = (cursor: Cursor): number => cursor.view.getUint8(advance(cursor, 1));
const uint16 = (cursor: Cursor): number => cursor.view.getUint16(advance(cursor, 2));
const uint32 = (cursor: Cursor): number => cursor.view.getUint32(advance(cursor, 4));

/** Returns the position before these octets. */
function advance(cursor: Cursor, octets: number): number {
  const { at } = cursor;
  cursor.at += octets;
  return at;
}

function take(cursor: Cursor, length: number): Uint8Array {
  if (length < 0 || cursor.at + length > cursor.bytes.length) throw new RangeError('truncated');
  const start = advance(cursor, length);
  return cursor.bytes.subarray(start, start + length);
}

/** RFC 1035 §3.1, including the length octets and the root label. */
const maxNameBytes = 255;
const maxLabelBytes = 63;
const pointerMark = 0xc0;

/** Returns a name without the trailing dot, the root as `.`; in a label `.` and `\` as `\.` and `\\`, all except visible ASCII as `\DDD`. */
function readName(cursor: Cursor): string {
  const { view } = cursor;
  let { at } = cursor;
  let segmentStart = at;
  let end: number | null = null;
  let length = 1;
  const text: string[] = [];
  for (let size = view.getUint8(at); size > 0; size = view.getUint8(at)) {
    if (size >= pointerMark) {
      // RFC 1035 §4.1.4: pointers refer to a prior occurrence. If each points further back than the last, they cannot loop.
      const target = view.getUint16(at) & 0x3fff;
      if (target >= segmentStart) throw new RangeError('forward pointer');
      end ??= at + 2;
      segmentStart = at = target;
      continue;
    }
    length += size + 1;
    if (size > maxLabelBytes || length > maxNameBytes) throw new RangeError('label or name too long');
    at += 1;
    if (text.length > 0) text.push('.');
    for (const labelEnd = at + size; at < labelEnd; at += 1) text.push(labelOctets[view.getUint8(at)] ?? '');
  }
  cursor.at = end ?? at + 1;
  return text.join('') || '.';
}

const decimal = (octet: number): string => `\\${String(octet).padStart(3, '0')}`;

/** Text form of each octet of a label (RFC 1035 §5.1). */
const labelOctets: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if (character === '.' || character === '\\') return `\\${character}`;
  return octet > 0x20 && octet < 0x7f ? character : decimal(octet);
});

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf8 = new TextEncoder();

/**
 * Unambiguous free text: a backslash as `\\`; as `\DDD` the octets of every invisible or control character, or, if the
 * text is not UTF-8, all octets that are not ASCII.
 */
function printable(bytes: Uint8Array): string {
  try {
    return strictUtf8
      .decode(bytes)
      .replace(/[\p{C}\p{Zl}\p{Zp}\\]/gu, (found) =>
        found === '\\' ? '\\\\' : Array.from(utf8.encode(found), decimal).join(''),
      );
  } catch {
    return Array.from(bytes, (octet) =>
      octet === 0x20 || octet === 0x2e ? String.fromCharCode(octet) : labelOctets[octet],
    ).join('');
  }
}
