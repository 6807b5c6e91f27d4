/** The shape of a registration data lookup. */
import * as z from 'zod';
import { summaries } from './summary.ts';

export const RdapResult = z
  .object({
    query: z.string().describe('The question as it was asked, without space around it'),
    kind: z.enum(['domain', 'ip', 'autnum']),
    source: z.url().describe('Where the answer came from, after redirects'),
    bootstrapUpdated: z.iso
      .datetime()
      .nullable()
      .describe('When IANA published the list of servers that was used; null when it does not say'),
    summary: z
      .union([summaries.domain, summaries.ip, summaries.autnum])
      .describe('The most asked-for parts, in one shape for all registries; which shape, kind tells'),
    data: z.record(z.string(), z.unknown()).describe('The answer of the registry as it is (RFC 9083)'),
  })
  .meta({
    id: 'RdapResult',
    description: 'Registration data of a domain name, a block of IP addresses or an AS number',
  });
export type RdapResult = z.infer<typeof RdapResult>;
