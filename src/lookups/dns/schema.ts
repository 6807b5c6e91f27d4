/** The result of a DNS lookup: its schema. */
import * as z from 'zod';
import { formatBytes } from '../../core/limits.ts';
import { DnsRecord, dnsTypes } from './record.ts';

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
