/** The summaries of a block of IP addresses (RFC 9083 §5.4) and of AS numbers (§5.5). */
import * as z from 'zod';
import { type Address, formatAddress, parseAddress, parsePrefix, widthOf } from '../../core/address.ts';
import { Abuse, abuse, entitiesOf, organization } from './entities.ts';
import { integerOf, type JsonObject, objectsOf, textOf } from './json.ts';
import { eventOf, statusOf } from './members.ts';

const text = z.string().nullable();
const time = z.iso.datetime().nullable();

/** Hosts of the regional registries, and of the national one that some of them send to. Last updated: 2026-11-21 */
const rirs = {
  AFRINIC: ['afrinic.net'],
  APNIC: ['apnic.net'],
  ARIN: ['arin.net'],
  LACNIC: ['lacnic.net', 'registro.br'],
  'RIPE NCC': ['ripe.net'],
} as const;
type Rir = keyof typeof rirs;

const held = {
  country: text.describe('Two-letter country code'),
  status: z.array(z.string()),
  registered: time,
  updated: time.describe('When the registration last changed'),
  organization: text.describe('Who holds it'),
  abuse: Abuse.nullable(),
  whoisServer: text,
  rir: z
    .enum(Object.keys(rirs) as Rir[])
    .nullable()
    .describe('The regional internet registry'),
};

export const IpSummary = z
  .strictObject({
    handle: text.describe('Identifier in the registry'),
    name: text,
    type: text.describe('Kind of allocation, in the words of the registry'),
    startAddress: text,
    endAddress: text,
    cidrs: z.array(z.string()).describe('The whole block in the fewest CIDR blocks'),
    ipVersion: z.literal([4, 6]).nullable(),
    parentHandle: text.describe('Identifier of the block that this one was cut from'),
    ...held,
  })
  .meta({ id: 'IpSummary', description: 'Registration of a block of IP addresses' });
export type IpSummary = z.infer<typeof IpSummary>;

export const AutnumSummary = z
  .strictObject({
    handle: text.describe('Identifier in the registry'),
    name: text,
    type: text.describe('Kind of allocation, in the words of the registry'),
    startAutnum: z.int().nullable(),
    endAutnum: z.int().nullable(),
    ...held,
  })
  .meta({ id: 'AutnumSummary', description: 'Registration of an AS number or a range of them' });
export type AutnumSummary = z.infer<typeof AutnumSummary>;

export function ipSummary(data: JsonObject, source: string): IpSummary {
  const start = addressOf(data.startAddress);
  const end = addressOf(data.endAddress);
  const version = start?.version ?? /^v([46])$/i.exec(textOf(data.ipVersion) ?? '')?.[1];
  return {
    handle: textOf(data.handle),
    name: textOf(data.name),
    type: textOf(data.type),
    startAddress: start && formatAddress(start),
    endAddress: end && formatAddress(end),
    cidrs: start !== null && end !== null ? cidrsOf(start, end) : statedCidrs(data),
    ipVersion: version === undefined ? null : Number(version) === 4 ? 4 : 6,
    parentHandle: textOf(data.parentHandle),
    ...heldOf(data, source),
  };
}

export function autnumSummary(data: JsonObject, source: string): AutnumSummary {
  return {
    handle: textOf(data.handle),
    name: textOf(data.name),
    type: textOf(data.type),
    startAutnum: integerOf(data.startAutnum),
    endAutnum: integerOf(data.endAutnum),
    ...heldOf(data, source),
  };
}

function heldOf(data: JsonObject, source: string): z.infer<z.ZodObject<typeof held>> {
  const entities = entitiesOf(data);
  const country = textOf(data.country);
  return {
    country: country !== null && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null,
    status: statusOf(data),
    registered: eventOf(data, 'registration'),
    updated: eventOf(data, 'last changed'),
    organization: organization(entities),
    abuse: abuse(entities),
    whoisServer: textOf(data.port43),
    rir: rirOf(source),
  };
}

function rirOf(source: string): Rir | null {
  const host = URL.parse(source)?.hostname ?? '';
  const isOf = (domain: string) => host === domain || host.endsWith(`.${domain}`);
  return (Object.keys(rirs) as Rir[]).find((rir) => rirs[rir].some(isOf)) ?? null;
}

const addressOf = (value: unknown): Address | null => parseAddress(textOf(value) ?? '');

/** The fewest blocks that make up the range: at most 62 of IPv4, 254 of IPv6; none for a range that is none. */
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

/** What the extension cidr0 says: https://bitbucket.org/nroecg/nro-rdap-cidr/ */
function statedCidrs(data: JsonObject): string[] {
  return objectsOf(data.cidr0_cidrs).flatMap(({ v4prefix, v6prefix, length }) => {
    const prefix = parsePrefix(`${textOf(v4prefix) ?? textOf(v6prefix)}/${integerOf(length)}`);
    return prefix === null ? [] : [`${formatAddress(prefix.first)}/${prefix.length}`];
  });
}
