/** Responses of an authoritative DNS server (RFC 1035 §4, RFC 6891, RFC 7871). Pure. */
import { ByteWriter } from '../byte-writer.ts';
import {
  clientSubnetOption,
  dnssecOkBit,
  headerBits,
  hinfo,
  internetClass,
  opt,
  type ResponseCode,
  responseCodes,
  typeNumbers,
} from './data/dns-parameters.ts';
import { writeName, writeNameAfter } from './name.ts';
import { headerBytes, type ReceivedQuery } from './query.ts';
import type { Rdata } from './rdata.ts';

/** The data of a record that this file can write. */
export type ServedRdata =
  | Extract<Rdata, { readonly type: 'A' | 'AAAA' | 'NS' | 'SOA' | 'TXT' }>
  | { readonly type: 'HINFO'; readonly cpu: Uint8Array; readonly os: Uint8Array };

/** The number of a record's type. */
export const typeNumberOf = ({ type }: ServedRdata): number => (type === 'HINFO' ? hinfo : typeNumbers[type]);

export interface ServedRecord {
  /** In the form of `readName`. */
  readonly name: string;
  /** Seconds. */
  readonly ttl: number;
  readonly rdata: ServedRdata;
}

/** The answer to a query, without the parts that the response copies from the query. */
export interface Answer {
  readonly rcode: ResponseCode;
  /** The AA bit: the name is in a zone of this server. */
  readonly isAuthoritative: boolean;
  readonly answers: readonly ServedRecord[];
  readonly authorities: readonly ServedRecord[];
  /** Whether the answer is for the client subnet of the query only; otherwise for every client (RFC 7871 §7.2.1). */
  readonly isForSubnet: boolean;
}

/** An answer without records. */
export const emptyAnswer = (rcode: ResponseCode): Answer => ({
  rcode,
  isAuthoritative: false,
  answers: [],
  authorities: [],
  isForSubnet: false,
});

interface ResponseLimits {
  /** A longer response has TC instead of records. */
  readonly maxBytes: number;
  /** Bytes of a query over UDP that the server can receive, which it announces by EDNS. */
  readonly bufferBytes: number;
}

/** Encodes a response to a query. */
export function encodeResponse(query: ReceivedQuery, answer: Answer, limits: ResponseLimits): Uint8Array {
  const whole = encode(query, answer, { bits: 0, bufferBytes: limits.bufferBytes });
  return whole.length <= limits.maxBytes ? whole : encodeTruncated(query, answer, limits);
}

/** Encodes a response that has TC and no records, and is not larger than the query. */
export function encodeTruncated(
  query: ReceivedQuery,
  answer: Answer,
  { bufferBytes }: Pick<ResponseLimits, 'bufferBytes'>,
): Uint8Array {
  return encode(query, { ...answer, answers: [], authorities: [] }, { bits: headerBits.truncated, bufferBytes });
}

/** Whether an encoded response has TC. */
export const isTruncated = (response: Uint8Array): boolean => (((response[2] ?? 0) << 8) & headerBits.truncated) !== 0;

/** `bits` are added to the header. */
function encode(
  query: ReceivedQuery,
  answer: Answer,
  { bits, bufferBytes }: { readonly bits: number; readonly bufferBytes: number },
): Uint8Array {
  const { id, copiedBits, question, edns } = query;
  const rcode = responseCodes[answer.rcode];
  const authoritative = answer.isAuthoritative ? headerBits.authoritative : 0;
  const writer = new ByteWriter();
  writer.number(id, 2);
  writer.number(headerBits.response | copiedBits | authoritative | bits | (rcode & 0xf), 2);
  writer.number(question === null ? 0 : 1, 2);
  writer.number(answer.answers.length, 2);
  writer.number(answer.authorities.length, 2);
  writer.number(edns === null ? 0 : 1, 2);
  if (question !== null) {
    writer.octets(question.octets);
    const asked = { name: question.name, start: headerBytes };
    for (const record of answer.answers) writeRecord(writer, record, asked);
    for (const record of answer.authorities) writeRecord(writer, record, asked);
  }
  if (edns !== null) writeOpt(writer, edns, { rcode, bufferBytes, isForSubnet: answer.isForSubnet });
  return writer.written;
}

/** A name that the message already has. */
type Earlier = Parameters<typeof writeNameAfter>[2];

function writeRecord(writer: ByteWriter, { name, ttl, rdata }: ServedRecord, asked: Earlier): void {
  writeNameAfter(writer, name, asked);
  writer.number(typeNumberOf(rdata), 2);
  writer.number(internetClass, 2);
  writer.number(ttl, 4);
  writer.vector(2, () => writeRdata(writer, rdata, asked));
}

function writeRdata(writer: ByteWriter, rdata: ServedRdata, asked: Earlier): void {
  switch (rdata.type) {
    case 'A':
    case 'AAAA':
      writer.octets(rdata.address);
      return;
    case 'NS':
      writeNameAfter(writer, rdata.target, asked);
      return;
    case 'SOA':
      writeNameAfter(writer, rdata.mname, asked);
      writeNameAfter(writer, rdata.rname, asked);
      for (const field of ['serial', 'refresh', 'retry', 'expire', 'minimum'] as const) writer.number(rdata[field], 4);
      return;
    case 'TXT':
      for (const string of rdata.strings) writeString(writer, string);
      return;
    case 'HINFO':
      writeString(writer, rdata.cpu);
      writeString(writer, rdata.os);
  }
}

/** A character-string. */
function writeString(writer: ByteWriter, octets: Uint8Array): void {
  writer.vector(1, () => writer.octets(octets));
}

interface OptContent {
  readonly rcode: number;
  readonly bufferBytes: number;
  readonly isForSubnet: boolean;
}

/** Repeats DO (RFC 3225 §3) and the client subnet (RFC 7871 §7.2.1). The version is 0. */
function writeOpt(writer: ByteWriter, edns: NonNullable<ReceivedQuery['edns']>, content: OptContent): void {
  const { dnssecOk, clientSubnet } = edns;
  writeName(writer, '.');
  writer.number(opt, 2);
  writer.number(content.bufferBytes, 2);
  writer.number(content.rcode >> 4, 1);
  writer.number(0, 1);
  writer.number(dnssecOk ? dnssecOkBit : 0, 2);
  writer.vector(2, () => {
    if (clientSubnet === null) return;
    const { family, address, prefixLength } = clientSubnet;
    writer.number(clientSubnetOption, 2);
    writer.vector(2, () => {
      writer.number(family, 2);
      writer.number(prefixLength, 1);
      writer.number(content.isForSubnet ? prefixLength : 0, 1);
      writer.octets(address.subarray(0, Math.ceil(prefixLength / 8)));
    });
  });
}
