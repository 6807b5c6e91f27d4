/** Lookups of a report about a domain that are no lookups of their own: all its usual DNS records, and the location of its address. */
import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import { addressesOf, createDnsClient, dnsLookup } from './dns/dns-lookup.ts';
import { DnsAnswer } from './dns/schema.ts';
import { IpLookup, ipLookup } from './ip/ip-lookup.ts';
import { defineLookup } from './lookup.ts';

export const domainParameter = {
  name: 'name',
  description: 'Domain name, such as example.com',
  example: 'example.com',
  error: 'invalid_query',
} as const;

export const domainPattern = String.raw`\s*[^\s\/:]+\.[^\s\/:]+\s*`;

const recordTypes = ['A', 'AAAA', 'MX', 'NS', 'TXT', 'CAA'] as const;

export const DomainRecords = z.object({ name: z.string(), answers: z.array(DnsAnswer) });
export type DomainRecords = z.infer<typeof DomainRecords>;

/** Its answers are those of the record types in order, then the DMARC policy (RFC 7489 §6.1). */
export const domainRecords = defineLookup({
  name: 'domain-dns',
  summary: 'DNS records of a domain',
  page: {
    path: '/lookup/domain/dns',
    title: 'DNS of a domain',
    pattern: domainPattern,
    action: 'Look up DNS',
    description: 'Addresses, mail servers, name servers, SPF, DMARC and CAA of a domain',
  },
  parameter: domainParameter,
  errors: ['upstream_error', 'upstream_timeout'],
  schema: DomainRecords,
  run: async ({ value, platform, userAgent }) => {
    const client = createDnsClient(platform, userAgent);
    const answers = await Promise.all([
      ...recordTypes.map((type) => dnsLookup(value, type, client)),
      dnsLookup(`_dmarc.${value.trim()}`, 'TXT', client),
    ]);
    return { name: answers[0]?.name ?? value, answers };
  },
});

export const domainAddress = defineLookup({
  name: 'domain-address',
  summary: 'Location and ISP of the address of a domain',
  page: {
    path: '/lookup/domain/address',
    title: 'Address of a domain',
    pattern: domainPattern,
    action: 'Look up address',
    description: 'Location, ISP and host name of the first IP address of a domain',
  },
  parameter: domainParameter,
  errors: ['blocked_address', 'no_database', 'target_unreachable'],
  schema: IpLookup,
  run: async ({ value, platform, userAgent }) => {
    const found = await addressesOf(value.trim(), createDnsClient(platform, userAgent));
    const [ip] = 'failure' in found ? [] : found;
    if (ip === undefined) throw new ServiceError('target_unreachable', 'This domain has no IP address.');
    return ipLookup(ip, platform, userAgent);
  },
});

export const domainParts = [domainRecords, domainAddress] as const;
