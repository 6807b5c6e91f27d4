/** The DNS resolvers of a client: what each showed when it asked our name server for the client's names. */
import * as z from 'zod';
import type { IdQueries, IdQuery } from '../core/name-server.ts';
import { type AutonomousSystem, type ObservedLocation, unobserved } from '../core/observed.ts';
import type { AddressData } from '../core/platform.ts';
import { typeNumbers } from '../wire/dns/data/dns-parameters.ts';
import { Network } from './connection.ts';
import { IpLocation } from './geo.ts';

const Resolver = z
  .object({
    address: z
      .string()
      .describe(
        'IP address from which the resolver sent its queries; often not the one that the client has configured',
      ),
    ipVersion: z.literal([4, 6]).describe('Version of this address: 4 or 6'),
    asn: Network.shape.asn,
    asOrganization: Network.shape.asOrganization.describe('Organization that operates the autonomous system'),
    country: IpLocation.shape.country,
    city: IpLocation.shape.city,
    transports: z.array(z.enum(['udp', 'tcp'])).describe('Transports of its queries'),
    ednsBufferBytes: z
      .int()
      .nullable()
      .describe('Largest UDP response that it accepts, in bytes (RFC 6891); null without EDNS'),
    dnssecOk: z.boolean().describe('Whether it requests DNSSEC records (DO bit); not a proof that it validates them'),
    cookie: z.boolean().describe('Whether it sends DNS cookies (RFC 7873), against forged responses'),
    clientSubnets: z
      .array(z.string())
      .describe("Parts of the client's address that it passes on to name servers (EDNS Client Subnet, RFC 7871)"),
    mixedCase: z.boolean().describe('Whether it mixes upper and lower case in names (0x20), against forged responses'),
    minimizesNames: z
      .boolean()
      .nullable()
      .describe(
        'Whether it sends each name server only the needed part of a name (RFC 9156); null unless it resolved a name two labels below one with an id',
      ),
    queryTypes: z.array(z.string()).describe('Types of the records that it requested, such as A, AAAA, HTTPS'),
  })
  .meta({ id: 'Resolver', description: 'A DNS resolver, as its queries show it' });

export const Resolvers = z
  .object({
    zone: z.string().describe('DNS zone of this service, which contains the names'),
    resolvers: z.array(Resolver).describe('One for each IP address that sent queries; empty if there were none'),
    truncated: z.boolean().describe('Whether there were more addresses or queries than this response contains'),
    limited: z
      .boolean()
      .describe(
        'Whether the DNS server meanwhile limited its responses to any network, was too busy, or did not hear from other instances in time, so that queries may be missing',
      ),
  })
  .meta({ id: 'Resolvers', description: 'DNS resolvers that queried names with the id of the request' });
export type Resolvers = z.infer<typeof Resolvers>;

export function resolvers(
  zone: string,
  { queries, isTruncated, isLimited }: IdQueries,
  data: AddressData | null,
): Resolvers {
  const byAddress = Map.groupBy(queries, (query) => query.address);
  const isMinimizing = [...byAddress.values()].some(hasShortened);
  const isVisible = queries.some(isNested);
  return {
    zone,
    resolvers: [...byAddress].map(([each, asked]) => ({
      ...located(each, data),
      ...shown(asked),
      minimizesNames: isVisible ? minimizes(asked, isMinimizing) : null,
      queryTypes: unique(asked.map(({ type }) => typeNames.get(type) ?? `TYPE${type}`)),
    })),
    truncated: isTruncated,
    limited: isLimited,
  };
}

const nestedDepth = 2;
const isNested = ({ depth }: IdQuery): boolean => depth >= nestedDepth;

/**
 * Whether a resolver asked for a part of a nested name, as only one that minimizes does on the way to it. It may leave out the part between
 * the shortest and the whole one, as Knot Resolver does.
 */
function hasShortened(asked: readonly IdQuery[]): boolean {
  const nested = new Set(asked.filter(isNested).map(({ number }) => number));
  return asked.some((query) => !isNested(query) && (query.depth > 0 || nested.has(query.number)));
}

/** A resolver with several addresses may send the shortened name from one and the whole name from another. */
function minimizes(asked: readonly IdQuery[], isAnyMinimizing: boolean): boolean | null {
  if (hasShortened(asked)) return true;
  return !isAnyMinimizing && asked.some(isNested) ? false : null;
}

function located(resolver: string, data: AddressData | null) {
  const { asn, asOrganization }: AutonomousSystem = data?.autonomousSystem(resolver) ?? unobserved.autonomousSystem;
  const { country, city }: ObservedLocation = data?.locate(resolver) ?? unobserved.location;
  const ipVersion = resolver.includes(':') ? 6 : 4;
  return { address: resolver, ipVersion, asn, asOrganization, country, city } as const;
}

function shown(asked: readonly IdQuery[]) {
  const bufferBytes = asked.flatMap(({ ednsBufferBytes }) => ednsBufferBytes ?? []);
  return {
    transports: unique(asked.map(({ transport }) => transport)),
    ednsBufferBytes: bufferBytes.length === 0 ? null : Math.max(...bufferBytes),
    dnssecOk: asked.some(({ dnssecOk }) => dnssecOk),
    cookie: asked.some(({ hasCookie }) => hasCookie),
    clientSubnets: unique(asked.flatMap(({ clientSubnet }) => clientSubnet ?? [])),
    mixedCase: asked.some(({ hasMixedCase }) => hasMixedCase),
  };
}

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** Others have the form of RFC 3597 §5. */
const typeNames = new Map<number, string>(Object.entries(typeNumbers).map(([name, number]) => [number, name]));
