/** DNS messages (RFC 1035 §4): encodes the query of a lookup, decodes the response. */
import { internetClass, type QueryType, type RecordOf, readRecord, typeNumbers } from './record.ts';
import { type Cursor, cursorOf, printable, readName, take, uint16, uint32 } from './wire.ts';

export interface Message {
  /** Response code, with the upper bits that EDNS adds (RFC 6891 §6.1.3). */
  readonly rcode: number;
  /** The AD flag: DNSSEC validated the whole response (RFC 6840 §5.8). */
  readonly authentic: boolean;
  /** Records of the supported types in the answer section. */
  readonly answers: readonly RecordOf<QueryType>[];
  readonly authorities: readonly RecordOf<QueryType>[];
  readonly extendedErrors: readonly ExtendedError[];
}

/** RFC 8914: the reason for a response. */
export interface ExtendedError {
  readonly code: number;
  readonly text: string;
}

const opt = 41;
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
export function decodeResponse(bytes: Uint8Array, name: string, type: QueryType): Message | null {
  try {
    return readResponse(cursorOf(bytes), name, type);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readResponse(cursor: Cursor, name: string, type: QueryType): Message | null {
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
    rcode: ((edns?.upperRcode ?? 0) << 4) | (bits & 0xf),
    authentic: (bits & flags.authenticData) !== 0,
    answers,
    authorities,
    extendedErrors: edns?.extendedErrors ?? [],
  };
}

const extendedErrorOption = 15;

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
