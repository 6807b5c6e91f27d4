/** Queries that a DNS server receives (RFC 1035 §4, RFC 6891, RFC 7871). Pure. */
import { ByteReader } from '../byte-reader.ts';
import {
  clientSubnetOption,
  cookieOption,
  dnssecOkBit,
  headerBits,
  opt,
  type ResponseCode,
} from './data/dns-parameters.ts';
import { Malformed, readName } from './name.ts';

/** Part of a client's address that its resolver sends (RFC 7871 §6). */
interface ClientSubnet {
  /** 1: IPv4, 2: IPv6, 0: none, with a prefix length of 0. */
  readonly family: number;
  /** 4 or 16 octets, which are zero beyond the prefix. */
  readonly address: Uint8Array;
  readonly prefixLength: number;
}

/** The values of the pseudo-record of EDNS. */
interface Edns {
  readonly version: number;
  /** Bytes of a UDP response that the sender can receive. */
  readonly bufferBytes: number;
  /** The DO bit. */
  readonly dnssecOk: boolean;
  readonly hasCookie: boolean;
  readonly clientSubnet: ClientSubnet | null;
}

export interface Query {
  /** In the form of `readName`, with its case. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly edns: Edns | null;
}

/** A query with its sender. */
export interface ObservedQuery extends Query {
  /** IP address of the resolver, as the system writes it. */
  readonly address: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp';
}

/** A query as far as it could be read, with the parts that a response repeats. */
export interface ReceivedQuery {
  readonly id: number;
  /** Opcode and RD, at their places in the second word of the header. */
  readonly copiedBits: number;
  /** The question as sent, byte by byte; null if it could not be read. */
  readonly question: {
    readonly octets: Uint8Array;
    readonly name: string;
    readonly type: number;
    readonly class: number;
  } | null;
  readonly edns: Edns | null;
  /** The response code of a query that is malformed or not supported, whatever it asks for; null for every other. */
  readonly problem: ResponseCode | null;
}

/** RFC 1035 §4.1.1 */
export const headerBytes = 12;

/** Null if the message has no whole header or is a response: then nothing may be sent. */
export function decodeQuery(message: Uint8Array): ReceivedQuery | null {
  if (message.length < headerBytes) return null;
  const reader = new ByteReader(message);
  const id = reader.number(2);
  const bits = reader.number(2);
  if ((bits & headerBits.response) !== 0) return null;
  const opcode = bits & headerBits.opcode;
  const head = { id, copiedBits: opcode | (bits & headerBits.recursionDesired) };
  // What follows the header has another meaning for each opcode.
  if (opcode !== 0) return { ...head, question: null, edns: null, problem: 'NOTIMP' };
  const questions = reader.number(2);
  const others = reader.number(2) + reader.number(2);
  const additionals = reader.number(2);
  let question: ReceivedQuery['question'] = null;
  let edns: Edns | null = null;
  try {
    // RFC 9619: a query has exactly one.
    if (questions !== 1) throw new Malformed('it has no question, or several');
    question = readQuestion(message);
    const rest = new ByteReader(message, headerBytes + question.octets.length);
    // IXFR has a record there (RFC 1995 §3).
    for (let at = 0; at < others; at += 1) readRecord(rest);
    for (let at = 0; at < additionals; at += 1) {
      const record = readRecord(rest);
      if (record.type !== opt) continue;
      // RFC 6891 §6.1.1 and §6.1.2: one, whose name is the root.
      if (edns !== null || record.name !== '.') throw new Malformed('it has two OPT records, or one with a name');
      edns = { ...record.edns, hasCookie: false, clientSubnet: null };
      // Options of another version may have another form.
      if (edns.version === 0) edns = { ...edns, ...readOptions(record.data) };
    }
    if (!rest.isAtEnd) throw new Malformed('something follows its records');
  } catch (error) {
    if (error instanceof RangeError) return { ...head, question, edns, problem: 'FORMERR' };
    throw error;
  }
  return { ...head, question, edns, problem: edns === null || edns.version === 0 ? null : 'BADVERS' };
}

/** The first name cannot be compressed: nothing precedes it but the header, which is left out here. */
function readQuestion(message: Uint8Array): NonNullable<ReceivedQuery['question']> {
  const reader = new ByteReader(message.subarray(headerBytes));
  const name = readName(reader);
  const type = reader.number(2);
  const questionClass = reader.number(2);
  return { octets: reader.bytes.subarray(0, reader.position), name, type, class: questionClass };
}

/** A record, with the meaning that its class and TTL have if it is that of EDNS (RFC 6891 §6.1.3). */
function readRecord(reader: ByteReader) {
  const name = readName(reader);
  const type = reader.number(2);
  const bufferBytes = reader.number(2);
  reader.byte();
  const version = reader.byte();
  const dnssecOk = (reader.number(2) & dnssecOkBit) !== 0;
  return { name, type, edns: { version, bufferBytes, dnssecOk }, data: reader.vector(2) };
}

function readOptions(data: Uint8Array): Pick<Edns, 'hasCookie' | 'clientSubnet'> {
  const reader = new ByteReader(data);
  let hasCookie = false;
  let clientSubnet: ClientSubnet | null = null;
  while (!reader.isAtEnd) {
    const option = reader.number(2);
    const value = reader.vector(2);
    if (option === cookieOption) hasCookie = true;
    if (option === clientSubnetOption) clientSubnet = readClientSubnet(new ByteReader(value));
  }
  return { hasCookie, clientSubnet };
}

/** Octets of an address by its family. dig sends family 0 for `+subnet=0`, which conceals the client. */
const familyBytes: readonly number[] = [0, 4, 16];

/** RFC 7871 §6 */
function readClientSubnet(reader: ByteReader): ClientSubnet {
  const family = reader.number(2);
  const prefixLength = reader.byte();
  const scope = reader.byte();
  const octets = reader.rest();
  const width = familyBytes[family];
  if (width === undefined || prefixLength > 8 * width)
    throw new Malformed('a client subnet has an unknown family or length');
  if (scope !== 0 || octets.length !== Math.ceil(prefixLength / 8))
    throw new Malformed('a client subnet has a scope, or another length');
  if (((octets.at(-1) ?? 0) << (prefixLength % 8 || 8)) & 0xff)
    throw new Malformed('a client subnet has bits beyond its prefix');
  const address = new Uint8Array(width || 4);
  address.set(octets);
  return { family, address, prefixLength };
}
