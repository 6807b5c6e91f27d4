/** The result of a DNS lookup: its schema, and the supported record types. */
import * as z from 'zod';
import { formatBytes } from '../../core/limits.ts';
import { type RecordType, typeNumbers } from '../../wire/dns/data/dns-parameters.ts';

export type DnsType = RecordType;
export const dnsTypes = Object.keys(typeNumbers) as [DnsType, ...DnsType[]];

/** The parts of a record of one type. */
const partsOf = <Shape extends z.ZodRawShape>(type: string, shape: Shape) =>
  z.object(shape).nullable().describe(`Parts of ${type} record; null for other types`);

/** The parts of a record of one of the types that were added later, whose members records of other types lack. */
const laterPartsOf = <Shape extends z.ZodRawShape>(type: string, shape: Shape) =>
  z.object(shape).optional().describe(`Parts of ${type} record; absent for other types`);

const algorithm = z.int().describe('Number of the algorithm');
const algorithmName = z.string().nullable().describe('Name of the algorithm; null if it is not assigned');
const keyTag = z.int().describe('Number by which DS records and signatures refer to the key');
const hexadecimal = (what: string) => z.string().describe(`${what}, hexadecimal`);

/**
 * One plain object with a member for each type that has parts, not a union by type: clients that translate an output schema for a
 * model keep plain objects whole and often lose unions. Four members are null for other types, as first published; the later
 * ones are absent, so that records of the first types keep their form.
 */
export const DnsRecord = z
  .object({
    name: z.string().describe('Owner of the record: the queried name, or the last name in cnameChain'),
    type: z.enum(dnsTypes).describe('Type of the record'),
    ttl: z.int().describe('Seconds for which this resolver may still cache the record'),
    data: z
      .string()
      .describe(
        'The record as text, names without a trailing dot. TXT: the strings joined; a backslash as \\\\, non-UTF-8 or invisible octets as \\DDD. A malformed record: its octets (RFC 3597)',
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
    srv: laterPartsOf('an SRV', {
      priority: z.int().describe('Clients try the lowest first'),
      weight: z.int().describe('Share of clients among equal priorities'),
      port: z.int().describe('Port of the service'),
      target: z.string().describe('Host name of the server; . if the service is not available'),
    }),
    svcb: laterPartsOf('an HTTPS or SVCB', {
      svcPriority: z.int().describe('0: an alias. Otherwise clients try the lowest first'),
      targetName: z.string().describe('Host name of the service; . is the owner of the record'),
      svcParams: z
        .array(
          z.object({
            key: z.string().describe('Name such as alpn; key and its number if it has none'),
            values: z.array(z.string()).describe('Its values as text; empty if it has none'),
          }),
        )
        .describe('Parameters in order'),
    }),
    ds: laterPartsOf('a DS', {
      keyTag,
      algorithm,
      digestType: z.int().describe('Number of the hash function'),
      digest: hexadecimal('Hash of the key'),
      algorithmName,
      digestTypeName: z.string().nullable().describe('Name of the hash function; null if it is not assigned'),
    }),
    dnskey: laterPartsOf('a DNSKEY', {
      flags: z.int().describe('257: key-signing key, 256: zone-signing key'),
      protocol: z.int().describe('Always 3'),
      algorithm,
      publicKey: z.string().describe('Base64'),
      keyTag,
      algorithmName,
    }),
    tlsa: laterPartsOf('a TLSA', {
      certificateUsage: z.int().describe('3: this certificate or key, whoever issued it'),
      selector: z.int().describe('0: the certificate, 1: its public key'),
      matchingType: z.int().describe('0: whole, 1: SHA-256, 2: SHA-512'),
      certificateAssociationData: hexadecimal('Certificate, key or hash'),
    }),
    sshfp: laterPartsOf('an SSHFP', {
      algorithm,
      fpType: z.int().describe('Number of the hash function'),
      fingerprint: hexadecimal('Hash of the key'),
    }),
    naptr: laterPartsOf('a NAPTR', {
      order: z.int().describe('Clients process the lowest first'),
      preference: z.int().describe('Order among equal orders'),
      flags: z.string().describe('What follows, such as S: SRV records'),
      services: z.string().describe('Service and protocols'),
      regexp: z.string().describe('Substitution that yields the next name or URI'),
      replacement: z.string().describe('Next name; . if regexp applies'),
    }),
    error: z.string().optional().describe('Why the record is malformed; absent for others'),
  })
  .meta({ id: 'DnsRecord', description: 'One DNS record' });
export type DnsRecord = z.infer<typeof DnsRecord>;

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
        'Whether the name exists, with records of any type or names below it; null if the response does not show it, as when the resolver blocks the name',
      ),
    records: z
      .array(DnsRecord)
      .describe(
        `Records of the queried type, at most ${maxRecords} and ${formatBytes(maxDataBytes)} of text; sorted by preference or priority if they have one; empty if there are none`,
      ),
    cnameChain: z
      .array(z.string())
      .describe(
        'Names followed from alias (CNAME) to alias: first the target of the queried name; the last one owns the records',
      ),
    ttl: z
      .int()
      .nullable()
      .describe(
        'Seconds for which this resolver may still cache the response, aliases included, or the absence of records; null if not known',
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
