/** The result of a DNS lookup: its schema, and the supported record types. */
import * as z from 'zod';
import { formatBytes } from '../../core/limits.ts';
import { typeNumbers } from './data/dns-parameters.ts';

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

/** More records than a reader can use; a zone can publish 64 KB of them. */
export const maxRecords = 100;
export const maxDataBytes = 32_768;

export const DnsAnswer = z
  .object({
    name: z.string().describe('Queried name: lower case, ASCII (xn--), without a trailing dot'),
    type: z.enum(dnsTypes).describe('Queried record type'),
    status: z.string().describe('Response code, such as NOERROR, NXDOMAIN, SERVFAIL or REFUSED'),
    exists: z
      .boolean()
      .nullable()
      .describe(
        'Whether the name exists, with records of any type or names below it; null if the response does not show it',
      ),
    records: z
      .array(DnsRecord)
      .describe(
        `Records of the queried type, at most ${maxRecords} and ${formatBytes(maxDataBytes)} of text; MX sorted by preference; empty if there are none`,
      ),
    cnameChain: z
      .array(z.string())
      .describe('Names followed from alias (CNAME) to alias, without the queried name; the last one owns the records'),
    ttl: z
      .int()
      .nullable()
      .describe(
        'Seconds for which resolvers may cache the response, aliases included; without records, for which they may cache their absence; null if not known',
      ),
    dnssec: z
      .boolean()
      .describe(
        'True if the resolver validated the whole response. False if a zone in the chain is not signed, which is common and not an error; failed validation is SERVFAIL',
      ),
    note: z.string().nullable().describe('Meaning of the response if the records alone do not show it'),
    resolver: z.string().describe('Host name of the resolver that responded'),
  })
  .meta({ id: 'DnsAnswer', description: 'DNS records of a name' });
export type DnsAnswer = z.infer<typeof DnsAnswer>;
