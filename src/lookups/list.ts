/** The list of lookups: endpoints, pages, tools, commands and metrics use its rows. */
import { certificateCheck } from './certificate/check.ts';
import { CertificateCheck } from './certificate/schema.ts';
import { createDnsClient, dnsLookup } from './dns/dns-lookup.ts';
import { parseDnsType } from './dns/name.ts';
import { DnsAnswer, dnsTypes } from './dns/schema.ts';
import { DomainRecords, domainRecordsOf, firstAddressOf } from './domain/domain-records.ts';
import { headersCheck } from './headers-check/check.ts';
import { HeaderCheck } from './headers-check/schema.ts';
import { normalizeHost, withScheme } from './headers-check/target.ts';
import { IpLookup, ipLookup } from './ip/ip-lookup.ts';
import { defineLookup } from './lookup.ts';
import { checkPort, PortCheck } from './port/port-check.ts';
import { rdap } from './rdap/rdap.ts';
import { RdapResult } from './rdap/schema.ts';

export const registrationLookup = defineLookup({
  name: 'rdap',
  summary: 'Registration data (RDAP) of a domain, an IP address, a CIDR block or an AS number',
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
  parameter: {
    name: 'url',
    description: 'http or https URL on port 80 or 443',
    example: 'https://example.com/',
    error: 'invalid_url',
  },
  errors: ['blocked_address', 'target_unreachable', 'invalid_certificate', 'too_many_redirects', 'target_timeout'],
  schema: HeaderCheck,
  complete: withScheme,
  run: ({ value, platform, userAgent, ownOrigins }) =>
    headersCheck(value, platform, { userAgent, ownHosts: hostsOf(ownOrigins) }),
});

const hostsOf = (origins: readonly string[]): readonly string[] =>
  origins.map((origin) => normalizeHost(new URL(origin).hostname));

export const certificateLookup = defineLookup({
  name: 'certificate',
  summary: 'TLS certificates of a host on each of its addresses, with verdicts',
  parameter: {
    name: 'q',
    description: 'Host name or IP address, optionally with a port, or a URL',
    example: 'example.com',
    error: 'invalid_query',
  },
  errors: ['blocked_address', 'target_unreachable', 'target_timeout'],
  schema: CertificateCheck,
  readsCertificates: true,
  run: ({ value, platform, userAgent, ownOrigins }) =>
    certificateCheck(value, platform, { userAgent, ownHosts: hostsOf(ownOrigins) }),
});

export const domainParameter = {
  name: 'name',
  description: 'Domain name, such as example.com',
  example: 'example.com',
  error: 'invalid_query',
} as const;

export const recordLookup = defineLookup({
  name: 'dns',
  summary: 'DNS records of a name, as the MCP tool dns_lookup returns them',
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

export const lookups = [registrationLookup, headerLookup, certificateLookup, recordLookup, addressLookup] as const;

/** Not a row of the list: its rows select a subject and also run in a terminal, but this lookup is always about the client. */
export const portCheck = defineLookup({
  name: 'port',
  summary: 'Whether a TCP port of your own IP address is open from the internet; off by default',
  parameter: { name: 'port', description: 'TCP port from 1 to 65535', example: '443', error: 'invalid_query' },
  errors: ['blocked_address', 'target_unreachable', 'upstream_error'],
  schema: PortCheck,
  run: ({ value, observed, platform }) => checkPort(value, observed, platform),
});

export type LookupName = (typeof lookups)[number]['name'];

/** Its parts follow from its value: see `mailPolicy` and `caaOf`. */
export const domainRecords = defineLookup({
  name: 'domain-dns',
  summary: 'DNS records of a domain',
  parameter: domainParameter,
  errors: ['upstream_error', 'upstream_timeout'],
  schema: DomainRecords,
  run: ({ value, platform, userAgent }) => domainRecordsOf(value, createDnsClient(platform, userAgent)),
});

export const domainAddress = defineLookup({
  name: 'domain-address',
  summary: 'Location and ISP of the address of a domain',
  parameter: domainParameter,
  errors: ['blocked_address', 'no_database', 'target_unreachable', 'upstream_error', 'upstream_timeout'],
  schema: IpLookup,
  run: async ({ value, platform, userAgent }) => {
    const ip = await firstAddressOf(value, createDnsClient(platform, userAgent));
    return ipLookup(ip, platform, userAgent);
  },
});

/** Parts of a domain report that are not separate lookups: all its usual DNS records, and the location of its address. */
export const domainParts = [domainRecords, domainAddress] as const;
