/** DNS messages (RFC 1035 §4) of a client: encodes the query of a lookup, decodes the response and its records. Pure. */
import { ByteReader, CutShort } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import {
  dname,
  dnssecOkBit,
  extendedErrorOption,
  headerBits,
  internetClass,
  opt,
  type RecordType,
  responseCodes,
  typeNumbers,
} from './data/dns-parameters.ts';
import { deniesName } from './denial.ts';
import { type KnownRests, Malformed, readName, writeName } from './name.ts';
import { type Rdata, readRdata } from './rdata.ts';

export type Message = NonNullable<ReturnType<typeof decodeResponse>>;

/** RFC 8914: the reason for a response. */
export interface ExtendedError {
  readonly code: number;
  readonly text: Uint8Array;
}

const udpPayloadBytes = 4096;
/** Records of the authority section that may deny the name. A compact denial has four; each malformed one costs an error. */
const maxProofs = 20;

/** `name` as returned by `parseDnsName`. The id is 0, so that equal queries are equal requests (RFC 8484 §4.1). */
export function encodeQuery(name: string, type: RecordType, checking: 'checked' | 'unchecked'): Uint8Array {
  const { recursionDesired, authenticData, checkingDisabled } = headerBits;
  const writer = new ByteWriter();
  writer.number(0, 2);
  // RFC 6840 §5.7: AD in a query requests AD in the response.
  writer.number(recursionDesired | authenticData | (checking === 'checked' ? 0 : checkingDisabled), 2);
  for (const count of [1, 0, 0, 1]) writer.number(count, 2);
  writeName(writer, name);
  writer.number(typeNumbers[type], 2);
  writer.number(internetClass, 2);
  writeName(writer, '.');
  writer.number(opt, 2);
  writer.number(udpPayloadBytes, 2);
  writer.number(0, 2);
  // DO requests proofs that a name does not exist: some zones have no other sign of it.
  writer.number(dnssecOkBit, 2);
  writer.number(0, 2);
  return writer.written;
}

/** Null for a message that is malformed, truncated, or not a response to this query. */
export function decodeResponse(bytes: Uint8Array, name: string, type: RecordType) {
  try {
    return readResponse(new ByteReader(bytes), name, type);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readResponse(reader: ByteReader, name: string, type: RecordType) {
  const [id, bits = 0, questions, ...counts] = Array.from({ length: 6 }, () => reader.number(2));
  const { response, opcode, truncated } = headerBits;
  if (id !== 0 || (bits & (response | opcode | truncated)) !== response || questions !== 1) return null;
  if (readName(reader).toLowerCase() !== name) return null;
  if (reader.number(2) !== typeNumbers[type] || reader.number(2) !== internetClass) return null;
  const known: KnownRests = new Map();
  // A count higher than that of the message's records ends with the RangeError of reading past its end.
  const readSection = <Read>(length = 0, read: (reader: ByteReader, known: KnownRests) => Read | null): Read[] =>
    Array.from({ length }, () => read(reader, known)).filter((found) => found !== null);
  const answer = readSection(counts[0], readRecord);
  const answers = answer.map(supportedRecord).filter((record) => record !== null);
  const redirections = answer.filter((record) => record.type === dname).map((record) => record.name);
  const authority = readSection(counts[1], readRecord);
  const [edns] = readSection(counts[2], readOpt);
  const rcode = ((edns?.upperRcode ?? 0) << 4) | (bits & 0xf);
  const isDenied = authority.slice(0, maxProofs).some(deniesName) && !answers.some((record) => record.type === type);
  return {
    /**
     * Response code, with the upper bits that EDNS adds (RFC 6891 §6.1.3); NXDOMAIN also if the name does not exist according to a compact
     * denial, whose response code is NOERROR (RFC 9824).
     */
    rcode: rcode === responseCodes.NOERROR && isDenied ? responseCodes.NXDOMAIN : rcode,
    /** The AD flag: DNSSEC validated the whole response (RFC 6840 §5.8). */
    authentic: (bits & headerBits.authenticData) !== 0,
    /** Records of the supported types in the answer section. */
    answers,
    /** Owners of DNAME records (RFC 6672), each of which makes all names below it aliases. */
    redirections,
    authorities: authority.map(supportedRecord).filter((record) => record !== null),
    extendedErrors: edns?.extendedErrors ?? [],
  };
}

/** RFC 6891 §6.1: a record whose class and TTL have other meanings; null for every other record. */
function readOpt(
  reader: ByteReader,
  known: KnownRests,
): { upperRcode: number; extendedErrors: ExtendedError[] } | null {
  readName(reader, known);
  const type = reader.number(2);
  reader.take(2);
  const upperRcode = reader.number(4) >>> 24;
  const rdata = new ByteReader(reader.vector(2));
  if (type !== opt) return null;
  const extendedErrors: ExtendedError[] = [];
  while (!rdata.isAtEnd) {
    const option = rdata.number(2);
    const value = new ByteReader(rdata.vector(2));
    if (option === extendedErrorOption) extendedErrors.push({ code: value.number(2), text: value.rest() });
  }
  return { upperRcode, extendedErrors };
}

const typesByNumber: ReadonlyMap<number, RecordType> = new Map(
  Object.entries(typeNumbers).map(([type, number]) => [number, type as RecordType]),
);

/** A record of a supported type. */
export interface WireRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly ttl: number;
  /** The data as sent. */
  readonly octets: Uint8Array;
  /**
   * Reads the members of the data; returns what is wrong with it if it is malformed, which concerns only this record. Not read before it is
   * needed: 64 KB can contain 5,000 records.
   */
  readonly readData: () => Rdata | Malformed;
}

/** A record of any type and class. */
interface AnyRecord {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly octets: Uint8Array;
  readonly message: Uint8Array;
  /** Position of the data in the message. */
  readonly start: number;
}

function readRecord(reader: ByteReader, known: KnownRests): AnyRecord {
  const name = readName(reader, known);
  const type = reader.number(2);
  const recordClass = reader.number(2);
  const ttl = reader.number(4);
  const length = reader.number(2);
  const start = reader.position;
  return { name, type, class: recordClass, ttl, octets: reader.take(length), message: reader.bytes, start };
}

/** Null for a record of another type or class. */
function supportedRecord({ message, start, ...record }: AnyRecord): WireRecord | null {
  const { name, ttl, octets } = record;
  const type = typesByNumber.get(record.type);
  if (type === undefined || record.class !== internetClass) return null;
  return {
    name,
    type,
    // RFC 2181 §8: a TTL with the highest bit set counts as 0.
    ttl: ttl > 0x7fff_ffff ? 0 : ttl,
    octets,
    readData: () => readDataAt(message, start, { type, length: octets.length }),
  };
}

/** Nothing beyond the record is read: names in it can only point back. */
function readDataAt(
  message: Uint8Array,
  start: number,
  { type, length }: { readonly type: RecordType; readonly length: number },
): Rdata | Malformed {
  const end = start + length;
  const reader = new ByteReader(message.subarray(0, end), start);
  try {
    return readRdata(type, reader);
  } catch (error) {
    if (error instanceof Malformed) return error;
    if (error instanceof CutShort) return new Malformed('it ends too early');
    throw error;
  }
}
