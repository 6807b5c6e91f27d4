/** The list of lookups: endpoints, pages, tools, commands and metrics use its rows. */
import { parseAddress, withoutBrackets } from '../core/address.ts';
import { createDnsClient, dnsLookup } from './dns/dns-lookup.ts';
import { parseDnsName, parseDnsType } from './dns/name.ts';
import { DnsAnswer, dnsTypes } from './dns/schema.ts';
import { DomainRecords, domainRecordsOf, firstAddressOf } from './domain/domain-records.ts';
import { headersCheck } from './headers-check/check.ts';
import { HeaderCheck } from './headers-check/schema.ts';
import { normalizeHost, targetOf } from './headers-check/target.ts';
import { IpLookup, ipLookup } from './ip/ip-lookup.ts';
import { defineLookup } from './lookup.ts';
import { describeQuery, parseQuery } from './rdap/query.ts';
import { rdap } from './rdap/rdap.ts';
import { RdapResult } from './rdap/schema.ts';

export const registrationLookup = defineLookup({
  name: 'rdap',
  summary: 'Registration data (RDAP) of a domain, an IP address, a CIDR block or an AS number',
  page: {
    path: '/lookup/rdap',
    title: 'Registration data',
    tab: 'Registration',
    subject: 'registration',
    nameOf: (typed) => describeQuery(parseQuery(typed)),
    pattern: String.raw`\s*([Aa][Ss][Nn]?\s*)?\S+\s*`,
    action: 'Look up registration',
    description: 'Who registered a domain, an IP address or an AS number, and since when',
  },
  parameter: {
    name: 'q',
    description: 'Domain name, IP address, CIDR block or AS number',
    example: 'example.com',
    error: 'invalid_query',
  },
  errors: ['not_found', 'no_rdap_service', 'upstream_error', 'upstream_rate_limited', 'upstream_timeout'],
  schema: RdapResult,
  run: ({ value, platform, userAgent }) => rdap(value, platform, userAgent),
});

export const headerLookup = defineLookup({
  name: 'headers-check',
  summary: "A public site's response headers and security grade",
  page: {
    path: '/lookup/headers',
    title: 'Security headers grade',
    tab: 'Grade',
    subject: 'security headers',
    nameOf: (typed) => targetOf(typed, { ownHosts: [] }).hostname,
    label: 'Website, such as example.com',
    pattern: '.*[.:].*',
    action: 'Grade headers',
    description: "How a site's response headers protect its visitors, with a grade and configuration to improve it",
    complete: (typed) => (typed === '' || typed.includes('://') ? typed : `https://${typed}`),
  },
  parameter: {
    name: 'url',
    description: 'http or https URL on port 80 or 443',
    example: 'https://example.com/',
    error: 'invalid_url',
  },
  errors: ['blocked_address', 'target_unreachable', 'invalid_certificate', 'too_many_redirects', 'target_timeout'],
  schema: HeaderCheck,
  run: ({ value, platform, userAgent, ownOrigins }) => {
    const ownHosts = ownOrigins.map((origin) => normalizeHost(new URL(origin).hostname));
    return headersCheck(value, platform, { userAgent, ownHosts });
  },
});

export const domainParameter = {
  name: 'name',
  description: 'Domain name, such as example.com',
  example: 'example.com',
  error: 'invalid_query',
} as const;

/** An address has records too, of type PTR. */
export const nameOfDomain = (typed: string): string =>
  parseAddress(withoutBrackets(typed.trim())) === null ? parseDnsName(typed) : describeQuery(parseQuery(typed));

const domainPattern = String.raw`\s*[^\s\/:]+\.[^\s\/:]+\s*`;

export const recordLookup = defineLookup({
  name: 'dns',
  summary: 'DNS records of a name, as the MCP tool dns_lookup returns them',
  page: {
    path: '/lookup/dns',
    title: 'DNS records',
    tab: 'DNS',
    subject: 'DNS records',
    nameOf: nameOfDomain,
    pattern: String.raw`\s*\S+\s*`,
    action: 'Look up DNS records',
    description: 'DNS records of a name, and whether DNSSEC protects them',
  },
  parameter: {
    ...domainParameter,
    description: 'Domain name, such as example.com or _dmarc.example.com; for PTR also an IP address',
  },
  options: [{ name: 'type', description: 'Record type', values: dnsTypes }],
  errors: ['upstream_error', 'upstream_timeout'],
  schema: DnsAnswer,
  run: async ({ value, options, platform, userAgent }) =>
    dnsLookup(value, parseDnsType(options.type ?? ''), createDnsClient(platform, userAgent)),
});

export const addressLookup = defineLookup({
  name: 'ip',
  summary: 'Location, ISP, ASN and host name of any public IP address',
  page: {
    path: '/lookup/ip',
    title: 'IP address',
    tab: 'IP',
    subject: 'location and network',
    nameOf: (typed) => describeQuery(parseQuery(typed)),
    pattern: String.raw`\s*\[?[\dA-Fa-f.:]+\]?\s*`,
    action: 'Look up IP address',
    description: 'Location, ISP and host name of any public IP address',
  },
  parameter: {
    name: 'q',
    description: 'Public IPv4 or IPv6 address',
    example: '8.8.8.8',
    error: 'invalid_query',
  },
  errors: ['blocked_address', 'no_database'],
  schema: IpLookup,
  run: ({ value, platform, userAgent }) => ipLookup(value, platform, userAgent),
});

export const lookups = [registrationLookup, headerLookup, recordLookup, addressLookup] as const;

export type LookupName = (typeof lookups)[number]['name'];

/** Its parts follow from its value: see `mailPolicy` and `caaOf`. */
export const domainRecords = defineLookup({
  name: 'domain-dns',
  summary: 'DNS records of a domain',
  page: {
    path: '/lookup/domain/dns',
    title: 'DNS of a domain',
    tab: 'DNS',
    subject: 'DNS of the domain',
    nameOf: nameOfDomain,
    pattern: domainPattern,
    action: 'Look up DNS',
    description: 'Addresses, mail servers, name servers, SPF, DMARC and CAA of a domain',
  },
  parameter: domainParameter,
  errors: ['upstream_error', 'upstream_timeout'],
  schema: DomainRecords,
  run: ({ value, platform, userAgent }) => domainRecordsOf(value, createDnsClient(platform, userAgent)),
});

export const domainAddress = defineLookup({
  name: 'domain-address',
  summary: 'Location and ISP of the address of a domain',
  page: {
    path: '/lookup/domain/address',
    title: 'Address of a domain',
    tab: 'Address',
    subject: 'address of the domain',
    nameOf: nameOfDomain,
    pattern: domainPattern,
    action: 'Look up address',
    description: 'Location, ISP and host name of the first IP address of a domain',
  },
  parameter: domainParameter,
  errors: ['blocked_address', 'no_database', 'target_unreachable', 'upstream_error', 'upstream_timeout'],
  schema: IpLookup,
  run: async ({ value, platform, userAgent }) => {
    const ip = await firstAddressOf(value, createDnsClient(platform, userAgent));
    return ipLookup(ip, platform, userAgent);
  },
});

/** Lookups of a report about a domain that are no lookups of their own: all its usual DNS records, and the location of its address. */
export const domainParts = [domainRecords, domainAddress] as const;
