/** The supported DNS record types: their fields in the response, and how each is decoded. */
import * as z from 'zod';
import { formatAddress } from '../../core/address.ts';
import { type Cursor, printable, readName, take, uint8, uint16, uint32 } from './wire.ts';

/** IANA's numbers. https://www.iana.org/assignments/dns-parameters Last updated: 2026-11-21 */
export const typeNumbers = { A: 1, AAAA: 28, MX: 15, TXT: 16, NS: 2, CNAME: 5, CAA: 257, SOA: 6, PTR: 12 } as const;
export const internetClass = 1;
/** PTR is only for the service's own reverse lookups. */
export type QueryType = keyof typeof typeNumbers;
export type DnsType = Exclude<QueryType, 'PTR'>;
export const dnsTypes = Object.keys(typeNumbers).filter((type) => type !== 'PTR') as [DnsType, ...DnsType[]];

/** The parts of a record of one type. */
const partsOf = <Shape extends z.ZodRawShape>(type: string, shape: Shape) =>
  z.object(shape).nullable().describe(`Parts of ${type} record; null for other types`);

/**
 * One plain object with a nullable member for each type that has parts, not a union by type: clients that translate an
 * output schema for a model keep plain objects whole and often lose unions, and four nulls are cheaper to read than fifteen.
 */
export const DnsRecord = z
  .object({
    name: z.string().describe('Owner of the record: the queried name, or the last name in cnameChain'),
    type: z.enum(dnsTypes).describe('Type of the record'),
    ttl: z.int().describe('Seconds for which resolvers may cache the record'),
    data: z
      .string()
      .describe(
        'The record as text, names without a trailing dot. TXT: the strings joined; a backslash as \\\\, non-UTF-8 or invisible octets as \\DDD',
      ),
    mx: partsOf('an MX', {
      preference: z.int().describe('Mail servers try the lowest first'),
      exchange: z.string().describe('Host name of the mail server'),
    }),
    txt: partsOf('a TXT', { chunks: z.array(z.string()).describe('The strings of up to 255 octets as published') }),
    caa: partsOf('a CAA', {
      flags: z.int().describe('128 marks a critical property'),
      tag: z.string().describe('Property, such as issue'),
      value: z.string().describe('Value of the property, such as the name of an authority'),
    }),
    soa: partsOf('an SOA', {
      mname: z.string().describe('Primary name server'),
      rname: z.string().describe('Mailbox of the administrator; its first unescaped dot stands for @'),
      serial: z.int().describe('Version of the zone'),
      refresh: z.int().describe('Seconds between checks of a secondary server for a new version'),
      retry: z.int().describe('Seconds before it repeats a failed check'),
      expire: z.int().describe('Seconds without a successful check after which it stops responding'),
      minimum: z.int().describe('Maximum seconds for caching the absence of a name or record'),
    }),
  })
  .meta({ id: 'DnsRecord', description: 'One DNS record' });
export type DnsRecord = z.infer<typeof DnsRecord>;

/** A record of a type that the service queries. */
export type RecordOf<Type extends QueryType> = Omit<DnsRecord, 'type'> & { readonly type: Type };

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
export function readRecord(cursor: Cursor): RecordOf<QueryType> | null {
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
