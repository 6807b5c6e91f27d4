/** The eight record types: what a caller gets of each, and how it is read from a message. */
import * as z from 'zod';
import { formatAddress } from '../../core/address.ts';
import { type Cursor, printable, readName, take, uint8, uint16, uint32 } from './wire.ts';

/** IANA's numbers. https://www.iana.org/assignments/dns-parameters Last updated: 2026-11-21 */
export const typeNumbers = { A: 1, AAAA: 28, MX: 15, TXT: 16, NS: 2, CNAME: 5, CAA: 257, SOA: 6 } as const;
export const internetClass = 1;
export type DnsType = keyof typeof typeNumbers;
export const dnsTypes = Object.keys(typeNumbers) as [DnsType, ...DnsType[]];

/**
 * One plain object with a nullable part for each type that has parts, not a union by type: clients that translate an output
 * schema for a model keep plain objects whole and often lose unions, and four nulls are cheaper to read than fifteen.
 */
export const DnsRecord = z
  .object({
    name: z.string().describe('Whose record it is: the name asked for, or the last of cnameChain'),
    type: z.enum(dnsTypes),
    ttl: z.int().describe('Seconds that it may still be cached'),
    data: z
      .string()
      .describe(
        'The record as text, names without a trailing dot. TXT: the strings joined; a backslash as \\\\, octets that are not UTF-8 or not visible as \\DDD',
      ),
    mx: z
      .object({ preference: z.int().describe('The lowest is tried first'), exchange: z.string() })
      .nullable()
      .describe('Parts of an MX record, otherwise null'),
    txt: z
      .object({ chunks: z.array(z.string()).describe('The strings of up to 255 octets as they are published') })
      .nullable()
      .describe('Parts of a TXT record, otherwise null'),
    caa: z
      .object({ flags: z.int().describe('128 is critical'), tag: z.string(), value: z.string() })
      .nullable()
      .describe('Parts of a CAA record, otherwise null'),
    soa: z
      .object({
        mname: z.string().describe('The primary name server'),
        rname: z.string().describe('The mailbox of the administrator; its first unescaped dot stands for @'),
        serial: z.int(),
        refresh: z.int(),
        retry: z.int(),
        expire: z.int(),
        minimum: z.int().describe('Upper bound, in seconds, for caching that something does not exist'),
      })
      .nullable()
      .describe('Parts of an SOA record, otherwise null'),
  })
  .meta({ id: 'DnsRecord', description: 'One DNS record' });
export type DnsRecord = z.infer<typeof DnsRecord>;

type Rdata = Pick<DnsRecord, 'data' | 'mx' | 'txt' | 'caa' | 'soa'>;

const whole = (data: string): Rdata => ({ data, mx: null, txt: null, caa: null, soa: null });

/** Each reads to `end` or throws; the caller sees to it that nothing is left or was taken from beyond. */
const readers: Record<DnsType, (cursor: Cursor, end: number) => Rdata> = {
  A: (cursor) => whole(take(cursor, 4).join('.')),
  AAAA(cursor) {
    const bits = Array.from({ length: 4 }, () => BigInt(uint32(cursor))).reduce((high, low) => (high << 32n) | low);
    return whole(formatAddress({ version: 6, bits }));
  },
  NS: (cursor) => whole(readName(cursor)),
  CNAME: (cursor) => whole(readName(cursor)),
  MX(cursor) {
    const mx = { preference: uint16(cursor), exchange: readName(cursor) };
    return { ...whole(`${mx.preference} ${mx.exchange}`), mx };
  },
  TXT(cursor, end) {
    const chunks: Uint8Array[] = [];
    while (cursor.at < end) chunks.push(take(cursor, uint8(cursor)));
    // Joined before they are read: a character may go over the border of two.
    return { ...whole(printable(joined(chunks))), txt: { chunks: chunks.map(printable) } };
  },
  // RFC 8659 §4.1
  CAA(cursor, end) {
    const flags = uint8(cursor);
    const tag = printable(take(cursor, uint8(cursor)));
    const value = printable(take(cursor, end - cursor.at));
    return { ...whole(`${flags} ${tag} "${value.replaceAll('"', '\\"')}"`), caa: { flags, tag, value } };
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
    return { ...whole(Object.values(soa).join(' ')), soa };
  },
};

const typesByNumber: ReadonlyMap<number, DnsType> = new Map(dnsTypes.map((type) => [typeNumbers[type], type]));

/** The next record of a section; null for one of another type or class, over which it steps. */
export function readRecord(cursor: Cursor): DnsRecord | null {
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
  if (cursor.at !== end) throw new RangeError('length of the data');
  // RFC 2181 §8: with the highest bit set it counts as 0.
  return { name, type, ttl: ttl > 0x7fff_ffff ? 0 : ttl, ...rdata };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
