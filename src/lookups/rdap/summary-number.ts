/** Summarizes the RDAP object of a block of IP addresses (RFC 9083 §5.4) or of AS numbers (§5.5). */
import * as z from 'zod';
import { type Address, formatAddress, widthOf } from '../../core/address.ts';
import { Abuse, abuse, entitiesOf, organization } from './entities.ts';
import { boundList, integerOf, type JsonObject, textOf } from './json.ts';
import { eventOf, NullableText, NullableTime, Omitted, statusOf } from './members.ts';
import { addressOf, rangesOf } from './verification.ts';

/** Domains of the regional registries, and of a national registry that LACNIC redirects to. Last updated: 2026-11-21 */
const rirs = {
  AFRINIC: ['afrinic.net'],
  APNIC: ['apnic.net'],
  ARIN: ['arin.net'],
  LACNIC: ['lacnic.net', 'registro.br'],
  'RIPE NCC': ['ripe.net'],
} as const;
type Rir = keyof typeof rirs;

const identity = {
  handle: NullableText.describe('Identifier in the registry'),
  name: NullableText.describe('Name that the registrant or registry gave it'),
  type: NullableText.describe('Type of allocation, as the registry names it'),
};

const sharedFields = {
  country: NullableText.describe('Two-letter country code'),
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
    ...sharedFields,
  })
  .meta({ id: 'IpSummary', description: 'Registration of a block of IP addresses' });
export type IpSummary = z.infer<typeof IpSummary>;

export const AutnumSummary = z
  .strictObject({
    ...identity,
    startAutnum: z.int().nullable().describe('First AS number of the range'),
    endAutnum: z.int().nullable().describe('Last AS number of the range'),
    ...sharedFields,
  })
  .meta({ id: 'AutnumSummary', description: 'Registration of an AS number or a range of them' });
export type AutnumSummary = z.infer<typeof AutnumSummary>;

export function ipSummary(data: JsonObject, source: string): IpSummary {
  const start = addressOf(data.startAddress);
  const end = addressOf(data.endAddress);
  const version = start?.version ?? /^v([46])$/i.exec(textOf(data.ipVersion) ?? '')?.[1];
  return {
    ...identityOf(data),
    startAddress: start && formatAddress(start),
    endAddress: end && formatAddress(end),
    cidrs: rangesOf(data).flatMap((range) => cidrsOf(range.start, range.end)),
    ipVersion: version === undefined ? null : Number(version) === 4 ? 4 : 6,
    parentHandle: textOf(data.parentHandle),
    ...sharedFieldsOf(data, source),
  };
}

export function autnumSummary(data: JsonObject, source: string): AutnumSummary {
  return {
    ...identityOf(data),
    startAutnum: integerOf(data.startAutnum),
    endAutnum: integerOf(data.endAutnum),
    ...sharedFieldsOf(data, source),
  };
}

const identityOf = ({ handle, name, type }: JsonObject): z.infer<z.ZodObject<typeof identity>> => ({
  handle: textOf(handle),
  name: textOf(name),
  type: textOf(type),
});

function sharedFieldsOf(data: JsonObject, source: string): z.infer<z.ZodObject<typeof sharedFields>> {
  const entities = entitiesOf(data);
  const country = textOf(data.country);
  const { list: status, omitted } = boundList(statusOf(data), data.status);
  return {
    country: country !== null && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null,
    status,
    registered: eventOf(data, 'registration'),
    updated: eventOf(data, 'last changed'),
    organization: organization(entities),
    abuse: abuse(entities),
    whoisServer: textOf(data.port43),
    rir: rirOf(source),
    omitted,
  };
}

function rirOf(source: string): Rir | null {
  const host = URL.parse(source)?.hostname ?? '';
  const isOf = (domain: string) => host === domain || host.endsWith(`.${domain}`);
  return (Object.keys(rirs) as Rir[]).find((rir) => rirs[rir].some(isOf)) ?? null;
}

/** The fewest blocks that make up the range: at most 62 of IPv4, 254 of IPv6; none if `end` is before `start`. */
export function cidrsOf(start: Address, end: Address): string[] {
  if (start.version !== end.version) return [];
  const cidrs: string[] = [];
  for (let first = start.bits; first <= end.bits; ) {
    let hostBits = 0n;
    while (hostBits < widthOf(start) && isAligned(first, hostBits + 1n) && first + (2n << hostBits) - 1n <= end.bits)
      hostBits++;
    cidrs.push(`${formatAddress({ version: start.version, bits: first })}/${BigInt(widthOf(start)) - hostBits}`);
    first += 1n << hostBits;
  }
  return cidrs;
}

const isAligned = (bits: bigint, hostBits: bigint): boolean => (bits >> hostBits) << hostBits === bits;
