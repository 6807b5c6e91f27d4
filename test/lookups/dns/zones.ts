/** A resolver for tests: responds to queries from a table of records. */
import { decode } from 'dns-packet';
import type { OutboundResult, Platform } from '../../../src/core/platform.ts';
import { type DnsType, dnsTypes } from '../../../src/lookups/dns/schema.ts';
import { platformOf } from '../../platform.ts';
import { encodeResponse, packetTypeOf, type ResponseInput } from './messages.ts';

/** Data by type and name, such as `A one.example`; a failure or status instead of data. A missing name is NXDOMAIN. */
export type Zones = Readonly<
  Record<string, readonly string[] | NonNullable<ResponseInput['status']> | 'timeout' | 'unreachable'>
>;

/** The type that dns-packet names by its number, if it does not know it. */
const typeOf = (packetType: string): DnsType => dnsTypes.find((type) => packetTypeOf(type) === packetType) ?? 'A';

/** `queried` records the queries in order. */
export function resolverOf(zones: Zones, changed: Partial<Platform> = {}) {
  const queried: string[] = [];
  const platform = platformOf({
    resolvers: ['https://resolver.example/dns-query'],
    async fetch({ body }): Promise<OutboundResult> {
      const [{ name = '', type: queriedType = 'A' } = {}] = decode(Buffer.from(body ?? [])).questions ?? [];
      const type = typeOf(queriedType);
      queried.push(`${type} ${name}`);
      const found = zones[`${type} ${name}`] ?? 'NXDOMAIN';
      if (found === 'timeout' || found === 'unreachable') return { failure: found };
      const response: ResponseInput =
        typeof found === 'string'
          ? { name, type, status: found }
          : { name, type, answers: found.map((data) => ({ name, type, ttl: 60, data }) as never) };
      const headers = { 'content-type': 'application/dns-message' };
      return { status: 200, headers, setCookies: [], body: encodeResponse(response) };
    },
    ...changed,
  });
  return { platform, queried };
}
