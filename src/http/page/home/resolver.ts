/** Describes who answers a client's DNS queries, from what the service's own DNS server observed. Pure. */
import { maxWaitMs, noQueryMs } from '../../../core/name-server.ts';
import { joinKnown } from '../text.ts';
import type { Finding } from './finding.ts';

/** The members of a resolver in `/api/resolver` that are described. */
export interface ObservedResolver {
  readonly address: string;
  readonly ipVersion: 4 | 6;
  readonly asn: number | null;
  readonly asOrganization: string | null;
  readonly country: string | null;
  readonly city: string | null;
  readonly dnssecOk: boolean;
  /** Such as `192.0.2.0/24`. */
  readonly clientSubnets: readonly string[];
}

export interface ObservedResolvers {
  readonly resolvers: readonly ObservedResolver[];
  /** Whether more addresses or queries arrived than the service observes. */
  readonly truncated: boolean;
  /** Whether the service limited responses meanwhile, so that queries may be missing. */
  readonly limited: boolean;
}

/** The network of the client's own request; null members are not known. */
export interface OwnNetwork {
  readonly asn: number | null;
  readonly asOrganization: string | null;
}

/** The longest time of a request that does not wait for queries. */
const maxRequestMs = 550;

/**
 * The longest time of the test on the start page: a first run without a query, a second one whose request waits as long as it can, and two
 * requests of each.
 */
export const maxTestMs = noQueryMs + maxWaitMs + 4 * maxRequestMs;

/** Names that one test resolves. */
export const nameCount = 6;

/** The names of one test. The last has two more labels: only there, resolvers show that they minimize names (RFC 9156). */
export const namesOf = (id: string, zone: string): readonly string[] =>
  Array.from({ length: nameCount }, (_, n) => `${n + 1 === nameCount ? 'a.b.' : ''}${n + 1}-${id}.${zone}`);

const noQuery: Finding = {
  label: 'Resolver',
  text: 'No query reached this service',
  detail:
    'Usual reasons: an extension, a browser setting or the network prevents the queries, or the resolver does not reach the DNS server of this service.',
};

const limitedMeanwhile = 'The DNS server of this service limited its responses meanwhile, so queries may be missing.';

const noQueryWithinLimits: Finding = {
  label: 'Resolver',
  text: 'Not known: this service is limiting DNS queries',
  detail: `${limitedMeanwhile} Run the test again in a minute.`,
};

/** One finding for each organization, then what its queries disclose. */
export function describeResolvers(observed: ObservedResolvers, own: OwnNetwork): readonly Finding[] {
  const { resolvers, truncated, limited } = observed;
  if (resolvers.length === 0) return [limited ? noQueryWithinLimits : noQuery];
  const missing = truncated ? moreArrived : limited ? limitedMeanwhile : null;
  const byOrganization = Object.values(Object.groupBy(resolvers, organizationKeyOf));
  const answering = byOrganization.flatMap((each) =>
    each === undefined ? [] : [describeOrganization(each, { own, isPartial: missing !== null })],
  );
  return [...answering, describeClientSubnet(resolvers, missing), describeDnssec(resolvers, missing)];
}

const organizationKeyOf = ({ asn, asOrganization }: ObservedResolver): string =>
  asOrganization === null ? `AS${asn}` : normalizeOrganization(asOrganization);

function describeOrganization(
  resolvers: readonly ObservedResolver[],
  { own, isPartial }: { readonly own: OwnNetwork; readonly isPartial: boolean },
): Finding {
  const places = new Set(resolvers.map(({ city, country }) => joinKnown([city, country && nameCountry(country)])));
  const families = [4, 6].filter((version) => resolvers.some(({ ipVersion }) => ipVersion === version));
  const count = `${isPartial ? 'at least ' : ''}${resolvers.length} ${resolvers.length === 1 ? 'address' : 'addresses'}`;
  const ofFamilies = families.map((version) => `IPv${version}`).join(' and ');
  return {
    label: 'Resolver',
    text: describeOwner(resolvers, own),
    detail: joinKnown([`${count} over ${ofFamilies}`, joinKnown([...places].slice(0, 4), '; ')], ': ') ?? '',
    addresses: resolvers.map(({ address }) => address),
  };
}

/** The name of a country code (ISO 3166-1); the code itself if it has none. */
function nameCountry(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

function describeOwner(resolvers: readonly ObservedResolver[], own: OwnNetwork): string {
  const known = resolvers.find(({ asn, asOrganization }) => asn !== null || asOrganization !== null);
  if (known === undefined) return 'An unknown network';
  const name = nameNetwork(known);
  if (own.asn === null && own.asOrganization === null) return name;
  const isOwn = resolvers.some(
    ({ asn, asOrganization }) =>
      (asn !== null && asn === own.asn) || isSameOrganization(asOrganization, own.asOrganization),
  );
  return `${isOwn ? 'Your provider' : 'Another provider'}: ${name}`;
}

/** Such as `Cloudflare (AS13335)`. */
const nameNetwork = ({ asn, asOrganization }: OwnNetwork): string =>
  asOrganization === null || asn === null ? (asOrganization ?? `AS${asn}`) : `${asOrganization} (AS${asn})`;

const isSameOrganization = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && normalizeOrganization(one) === normalizeOrganization(other);

/** Legal forms, which registries write differently for the networks of one organization. */
const legalForms =
  /\b(?:ab|ag|as|asa|bv|co|corp|corporation|gmbh|inc|incorporated|limited|llc|ltd|nv|oy|plc|sa|sas|spa|srl)\b/g;

/** The words of a name without case, punctuation and legal form; the name itself if nothing else is left. */
function normalizeOrganization(name: string): string {
  const plain = name.toLowerCase().replace(/(?<=\b\p{L})\.(?=\p{L}\b)/gu, '');
  const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').replace(legalForms, ' ');
  return words.trim().replace(/ +/g, ' ') || plain;
}

/** What was not observed is then not known to be absent. */
const moreArrived = 'More queries arrived than were observed.';

/** `missing`: why queries may be missing; null if none are. RFC 7871 §7.1.2: a prefix of 0 bits asks others not to add the client's network. */
function describeClientSubnet(resolvers: readonly ObservedResolver[], missing: string | null): Finding {
  const label = 'Your network';
  const sent = new Set(resolvers.flatMap(({ clientSubnets }) => clientSubnets));
  const disclosed = [...sent].filter((subnet) => !subnet.endsWith('/0'));
  if (disclosed.length > 0)
    return {
      label,
      text: `Disclosed to sites: ${disclosed.slice(0, 4).join(', ')}`,
      detail: 'The resolver names this part of your IP address in its queries (EDNS Client Subnet).',
    };
  if (missing !== null) return { label, text: 'Not disclosed by the observed queries', detail: missing };
  return {
    label,
    text: 'Not disclosed to this site',
    detail:
      sent.size === 0
        ? 'The queries have no EDNS Client Subnet.'
        : 'The queries ask other resolvers not to add it (EDNS Client Subnet of 0 bits).',
  };
}

function describeDnssec(resolvers: readonly ObservedResolver[], missing: string | null): Finding {
  const label = 'DNSSEC';
  const asks = resolvers.some(({ dnssecOk }) => dnssecOk);
  if (!asks && missing !== null)
    return { label, text: 'None of the observed queries requests signatures', detail: missing };
  return {
    label,
    text: asks ? 'The resolver requests signatures' : 'The resolver does not request signatures',
    detail: asks ? 'This does not prove that it validates them.' : 'Without signatures, it cannot validate responses.',
  };
}
