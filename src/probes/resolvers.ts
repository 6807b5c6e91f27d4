/** Describes who answers a client's DNS queries, from what the service's own DNS server observed. Pure. */
import { contains, isLocalAddress, parseAddress, parsePrefix } from '../core/address.ts';
import { maxWaitMs, noQueryMs } from '../core/name-server.ts';
import { formatCount, joinKnown } from '../core/text.ts';
import type { Finding } from './finding.ts';
import { isKnown, isOfOneOrganization, type Network, nameNetwork, normalizeOrganization } from './organization.ts';

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
  /** Whether the service limited responses meanwhile, was too busy, or did not hear from other instances in time: queries may be missing. */
  readonly limited: boolean;
}

/** The client's own request; null members are not known. */
export interface OwnNetwork extends Network {
  readonly ip: string | null;
}

/** Resolvers of one organization. */
interface Organization {
  readonly resolvers: readonly ObservedResolver[];
  /** Such as `Cloudflare (AS13335)`. */
  readonly name: string;
  /** Whether it is the client's provider; null if that is not known. */
  readonly isOwn: boolean | null;
  /** Whether it has only private addresses that no database knows. */
  readonly isPrivate: boolean;
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
    'Usual reasons: an extension, a browser setting or the network prevents the queries, or the resolver does not respond in time, or does not reach the DNS server of this service, as when several instances share its zone without a store.',
};

/** What was not observed is then not known to be absent. */
const moreArrived = 'More queries arrived than were observed.';
const limitedMeanwhile =
  'The DNS server of this service meanwhile limited its responses, was too busy, or did not hear from other instances in time, so queries may be missing.';

const noQueryWithinLimits: Finding = {
  label: 'Resolver',
  text: 'Not known: this service may have missed queries',
  detail: `${limitedMeanwhile} Run the test again in a minute.`,
};

const describeSilence = ({ limited }: ObservedResolvers): Finding => (limited ? noQueryWithinLimits : noQuery);

/** One finding for each organization, that of the client's provider first; then what their queries disclose. */
export function describeResolvers(observed: ObservedResolvers, own: OwnNetwork): readonly Finding[] {
  const organizations = organizationsOf(observed.resolvers, own);
  if (organizations.length === 0) return [describeSilence(observed)];
  const missing = observed.truncated ? moreArrived : observed.limited ? limitedMeanwhile : null;
  return [
    ...organizations.map((each) => describeOrganization(each, own, missing)),
    describeClientSubnet(organizations, own, missing),
    describeDnssec(organizations, missing),
  ];
}

/** All organizations in one line, for the first screen. */
export function summarizeResolvers(observed: ObservedResolvers, own: OwnNetwork): string {
  const organizations = organizationsOf(observed.resolvers, own);
  const [first] = organizations;
  if (first === undefined) return describeSilence(observed).text;
  if (organizations.length === 1) return describeOwner(first, own);
  const names = organizations.map(({ name, isOwn }) => (isOwn ? `your provider, ${name}` : name));
  const isForeign = organizations.every(({ isOwn, isPrivate }) => isOwn === false && !isPrivate);
  const isPartial = observed.truncated || observed.limited;
  const count = `${isPartial ? 'at least ' : ''}${organizations.length} networks`;
  return `${count}${isForeign ? ", not your provider's" : ''}: ${names.join('; ')}`;
}

function organizationsOf(resolvers: readonly ObservedResolver[], own: OwnNetwork): readonly Organization[] {
  const groups = [...Map.groupBy(resolvers, organizationKeyOf).values()];
  const organizations = groups.map((each): Organization => {
    const known = each.find(isKnown);
    const isPrivate = known === undefined && each.every(({ address }) => isLocal(address));
    const name = (known && nameNetwork(known)) ?? (isPrivate ? 'a private address' : 'an unknown network');
    const canCompare = known !== undefined && isKnown(own);
    return {
      resolvers: each,
      name,
      isOwn: canCompare ? each.some((one) => isOfOneOrganization(one, own)) : null,
      isPrivate,
    };
  });
  return organizations.toSorted((one, other) => Number(other.isOwn === true) - Number(one.isOwn === true));
}

function organizationKeyOf({ address, asn, asOrganization }: ObservedResolver): string {
  if (asOrganization !== null) return normalizeOrganization(asOrganization);
  return asn === null && isLocal(address) ? 'private' : `AS${asn}`;
}

function isLocal(ip: string): boolean {
  const address = parseAddress(ip);
  return address !== null && isLocalAddress(address);
}

/** `missing`: why queries may be missing; null if none are. */
function describeOrganization(organization: Organization, own: OwnNetwork, missing: string | null): Finding {
  const { resolvers } = organization;
  const places = new Set(resolvers.map(({ city, country }) => joinKnown([city, country && nameCountry(country)])));
  const families = [4, 6].filter((version) => resolvers.some(({ ipVersion }) => ipVersion === version));
  const count = `${missing === null ? '' : 'at least '}${formatCount(resolvers.length, 'address', 'addresses')}`;
  const ofFamilies = families.map((version) => `IPv${version}`).join(' and ');
  const counted = joinKnown([`${count} over ${ofFamilies}`, joinKnown([...places].slice(0, 4), '; ')], ': ') ?? '';
  return {
    label: 'Resolver',
    text: describeOwner(organization, own),
    detail: organization.isPrivate ? describePrivate(own) : counted,
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

function describeOwner({ name, isOwn, isPrivate }: Organization, own: OwnNetwork): string {
  if (isPrivate) return isFromInternet(own) ? 'Hidden by a gateway of this service' : 'A private address';
  if (isOwn === null) return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return `${isOwn ? 'Your provider' : 'Another provider'}: ${name}`;
}

/** No resolver on the internet has a private address. */
const describePrivate = (own: OwnNetwork): string =>
  isFromInternet(own)
    ? 'It replaces the addresses of all resolvers with this private one.'
    : 'A resolver in the network of this service, or a gateway of this service that hides the resolvers.';

const isFromInternet = ({ ip }: OwnNetwork): boolean => ip !== null && !isLocal(ip);

/** RFC 7871 §7.1.2: a prefix of 0 bits asks others not to add the client's network. */
function describeClientSubnet(
  organizations: readonly Organization[],
  own: OwnNetwork,
  missing: string | null,
): Finding {
  const label = 'Your network';
  const disclosing = organizations.filter((each) => subnetsOf(each).some(isDisclosing));
  const disclosed = [...new Set(disclosing.flatMap(subnetsOf))].filter(isDisclosing);
  if (disclosed.length > 0) {
    const subject = organizations.length === 1 ? 'The resolver' : joinNames(disclosing);
    const verb = organizations.length > 1 && disclosing.length > 1 ? 'name' : 'names';
    const isForeign = disclosed.every((subnet) => isOutside(subnet, own.ip));
    const what = isForeign ? 'this network, which does not contain your IP address,' : 'this part of your IP address';
    return {
      label,
      text: `Disclosed to sites: ${disclosed.slice(0, 4).join(', ')}`,
      detail: `${subject} ${verb} ${what} in ${verb === 'name' ? 'their' : 'its'} queries (EDNS Client Subnet).`,
    };
  }
  if (missing !== null) return { label, text: 'Not disclosed by the observed queries', detail: missing };
  return {
    label,
    text: 'Not disclosed to this site',
    detail:
      organizations.flatMap(subnetsOf).length === 0
        ? 'The queries have no EDNS Client Subnet.'
        : 'The queries ask other resolvers not to add it (EDNS Client Subnet of 0 bits).',
  };
}

const subnetsOf = ({ resolvers }: Organization): readonly string[] =>
  resolvers.flatMap(({ clientSubnets }) => clientSubnets);

const isDisclosing = (subnet: string): boolean => !subnet.endsWith('/0');

/** Whether an address of the same version is known, and not in the network. */
function isOutside(subnet: string, ip: string | null): boolean {
  const prefix = parsePrefix(subnet);
  const address = ip === null ? null : parseAddress(ip);
  return (
    prefix?.first.version === address?.version && prefix !== null && address !== null && !contains(prefix, address)
  );
}

const joinNames = (organizations: readonly Organization[]): string => organizations.map(({ name }) => name).join('; ');

function describeDnssec(organizations: readonly Organization[], missing: string | null): Finding {
  const finding = (text: string, detail: string): Finding => ({ label: 'DNSSEC', text, detail });
  const addresses = organizations.flatMap(({ resolvers }) => resolvers);
  const asking = addresses.filter(({ dnssecOk }) => dnssecOk);
  const isSingle = organizations.length === 1;
  if (asking.length === 0)
    return missing !== null
      ? finding('None of the observed queries requests signatures', missing)
      : finding(
          isSingle ? 'The resolver does not request signatures' : 'No resolver requests signatures',
          `Without signatures, ${isSingle ? 'it' : 'they'} cannot validate responses.`,
        );
  if (asking.length === addresses.length)
    return finding(
      isSingle ? 'The resolver requests signatures' : 'All resolvers request signatures',
      `This does not prove that ${isSingle ? 'it validates' : 'they validate'} them.`,
    );
  const without = 'Resolvers that request none cannot validate responses.';
  const some = organizations.filter(({ resolvers }) => resolvers.some(({ dnssecOk }) => dnssecOk));
  const none = organizations.filter((each) => !some.includes(each));
  const isClear = some.every(({ resolvers }) => resolvers.every(({ dnssecOk }) => dnssecOk));
  return isClear
    ? finding(`Signatures are requested by ${joinNames(some)}, not by ${joinNames(none)}`, without)
    : finding(`Signatures are requested from ${asking.length} of ${addresses.length} addresses`, without);
}
