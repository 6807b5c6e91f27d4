/** The result of a registration data lookup: its schema, with a summary for each kind of RDAP object. */
import * as z from 'zod';
import { countryMeaning, maxListed } from './json.ts';

const NullableText = z.string().nullable();
const NullableTime = z.iso.datetime().nullable();

/** Entries that a registry sent and a summary leaves out. */
const Omitted = z
  .int()
  .describe(`Entries left out of the lists of this summary, which have at most ${maxListed} each; data has all`);

const Abuse = z
  .strictObject({
    name: z.string().nullable().describe('Name of the contact'),
    email: z.string().nullable().describe('Email address for abuse reports'),
    phone: z.string().nullable().describe('Phone number for abuse reports'),
  })
  .meta({ id: 'AbuseContact', description: 'Contact for abuse reports' });
export type Abuse = z.infer<typeof Abuse>;

export const DomainSummary = z
  .strictObject({
    name: NullableText.describe('A-label form, lower case'),
    unicodeName: NullableText.describe('The name with Unicode characters; null if the registry does not state it'),
    handle: NullableText.describe('Identifier in the registry'),
    status: z.array(z.string()).describe('RDAP status values (RFC 8056), such as "client transfer prohibited"'),
    registered: NullableTime.describe('First registration'),
    expires: NullableTime.describe('End of the registration unless it is renewed'),
    updated: NullableTime.describe('Last change of the registration'),
    transferred: NullableTime.describe('Last transfer to another registrar'),
    registrar: z
      .strictObject({
        name: NullableText.describe('Name, or the handle if the registry states no name'),
        ianaId: z.int().nullable().describe("Number in IANA's list of registrars"),
        url: NullableText.describe('Website of the registrar'),
        email: NullableText.describe('Email address of the registrar'),
        phone: NullableText.describe('Phone number of the registrar'),
      })
      .nullable()
      .describe('Company through which the name is registered; null if not stated'),
    abuse: Abuse.nullable().describe('Contact for abuse reports; null if not stated'),
    registrant: z
      .strictObject({
        name: NullableText.describe('Name of the person'),
        organization: NullableText.describe('Name of the organization'),
        country: NullableText.describe('Two-letter code, or the name if the code is unknown'),
        redacted: z.boolean().describe('Whether the registry withholds some of it'),
      })
      .nullable()
      .describe('Holder of the registration; null if not stated'),
    nameservers: z.array(z.string()).describe('Lower case, without the trailing dot'),
    dnssec: z.strictObject({
      signed: z.boolean().nullable().describe('Whether the parent zone has DS records for it; null if not stated'),
      ds: z.int().describe('Number of DS records'),
    }),
    registrarRdap: NullableText.describe(
      "URL of the registrar's own RDAP record, which may contain the registrant; this service does not query it, because IANA lists no registrars",
    ),
    registrantNote: NullableText.describe(
      'Where to find the registrant if the registry does not publish it; otherwise null',
    ),
    whoisServer: NullableText.describe('Host name of the WHOIS server with the same record'),
    redacted: z.array(z.string()).describe('Names of the fields that the registry withheld (RFC 9537)'),
    omitted: Omitted,
  })
  .meta({ id: 'DomainSummary', description: 'Registration of a domain name' });
export type DomainSummary = z.infer<typeof DomainSummary>;

/** Domains of the regional registries, and of a national registry that LACNIC redirects to. Last updated: 2026-11-21 */
export const rirs = {
  AFRINIC: ['afrinic.net'],
  APNIC: ['apnic.net'],
  ARIN: ['arin.net'],
  LACNIC: ['lacnic.net', 'registro.br'],
  'RIPE NCC': ['ripe.net'],
} as const;
export type Rir = keyof typeof rirs;

const identity = {
  handle: NullableText.describe('Identifier in the registry'),
  name: NullableText.describe('Name that the registrant or registry gave it'),
  type: NullableText.describe('Type of allocation, as the registry names it'),
};

const commonFields = {
  country: NullableText.describe(`Two-letter code ${countryMeaning}`),
  status: z.array(z.string()).describe('RDAP status values (RFC 8056), such as "active"'),
  registered: NullableTime.describe('First registration'),
  updated: NullableTime.describe('Last change of the registration'),
  organization: NullableText.describe('Organization that it is registered to'),
  abuse: Abuse.nullable().describe('Contact for abuse reports; null if not stated'),
  whoisServer: NullableText.describe('Host name of the WHOIS server with the same record'),
  rir: z
    .enum(Object.keys(rirs) as Rir[])
    .nullable()
    .describe('Regional internet registry'),
  omitted: Omitted,
};

export const IpSummary = z
  .strictObject({
    ...identity,
    startAddress: NullableText.describe('First address of the block'),
    endAddress: NullableText.describe('Last address of the block'),
    cidrs: z.array(z.string()).describe('The block as the fewest possible CIDR blocks'),
    ipVersion: z.literal([4, 6]).nullable().describe('IP version of the block: 4 or 6'),
    parentHandle: NullableText.describe('Identifier of the block that contains this one'),
    ...commonFields,
  })
  .meta({ id: 'IpSummary', description: 'Registration of a block of IP addresses' });
export type IpSummary = z.infer<typeof IpSummary>;

export const AutnumSummary = z
  .strictObject({
    ...identity,
    startAutnum: z.int().nullable().describe('First AS number of the range'),
    endAutnum: z.int().nullable().describe('Last AS number of the range'),
    ...commonFields,
  })
  .meta({ id: 'AutnumSummary', description: 'Registration of an AS number or a range of them' });
export type AutnumSummary = z.infer<typeof AutnumSummary>;

export const objectKinds = ['domain', 'ip', 'autnum'] as const;

export const RdapResult = z
  .object({
    query: z.string().describe('The query as sent, without surrounding spaces'),
    kind: z.enum(objectKinds).describe('Kind of the object, found from the query'),
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
