/** The result of a registration data lookup: its schema, and the summary of the RDAP object it contains. */
import * as z from 'zod';
import type { JsonObject } from './json.ts';
import type { RdapQuery } from './query.ts';
import { DomainSummary, domainSummary } from './summary-domain.ts';
import { AutnumSummary, autnumSummary, IpSummary, ipSummary } from './summary-number.ts';

export const RdapResult = z
  .object({
    query: z.string().describe('The query as sent, without surrounding spaces'),
    kind: z.enum(['domain', 'ip', 'autnum']).describe('Kind of the object, found from the query'),
    source: z.url().describe('URL of the response, after redirects'),
    bootstrapUpdated: z.iso
      .datetime()
      .nullable()
      .describe("Publication time of IANA's list of RDAP servers; null if not stated"),
    summary: z
      .union([DomainSummary, IpSummary, AutnumSummary])
      .describe('The most requested fields, in one schema for all registries; kind selects the schema'),
    data: z.record(z.string(), z.unknown()).describe("The registry's response, unchanged (RFC 9083)"),
  })
  .meta({
    id: 'RdapResult',
    description: 'Registration data of a domain name, a block of IP addresses or an AS number',
  });
export type RdapResult = z.infer<typeof RdapResult>;

/**
 * Reads the fields that are present: a missing or malformed member becomes null or an empty list. `source` is the URL
 * of the object.
 */
export function summarize(kind: RdapQuery['kind'], data: JsonObject, source: string): RdapResult['summary'] {
  if (kind === 'domain') return domainSummary(data);
  return kind === 'ip' ? ipSummary(data, source) : autnumSummary(data, source);
}
