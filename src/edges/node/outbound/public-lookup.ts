/** Resolves a host and accepts only public addresses. */
import { BADNAME, CANCELLED, lookup, NODATA, NOTFOUND, Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Address,
  formatAddress,
  isWithin,
  networks,
  parseAddress,
  unmapped,
  untranslated,
} from '../../../core/address.ts';
import type { OutboundFailure } from '../../../core/platform.ts';
import { literalOf, mayBePublic, mayContact } from '../../../lookups/public-address.ts';
import { hasLocalRoute } from '../../../native/local-route.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** RFC 8305 §3: time to wait for the second address family after the first response. */
const resolutionDelayMs = 50;

/** Errors of Node's resolver that state that a name has no address: NXDOMAIN, no record, and a name that cannot exist. */
const noAddressCodes: readonly string[] = [NOTFOUND, NODATA, BADNAME];

/** A lost packet is repeated soon enough for a response within a lookup's time. */
const perServer = { timeout: 1000, tries: 3 };

/**
 * Addresses of each IP version that are used: a request connects only to these, so only these are checked. A host can have 6,000. Each check
 * is a request to the kernel, and connecting to one after the other would scan them.
 */
const maxAddresses = 16;

/** Returns the addresses of a URL's host, or the reason to block it: one address that is not public blocks the host. */
export async function publicAddresses(
  hostname: string,
  timeoutMs: number,
  resolver?: Resolver,
): Promise<readonly HostAddress[] | OutboundFailure> {
  const literal = literalOf(hostname);
  if (literal === null && !mayBePublic(hostname)) return 'blocked';
  const addresses = literal === null ? await resolve(hostname, timeoutMs, resolver) : [literal];
  return Array.isArray(addresses) ? validateAddresses(addresses) : addresses;
}

function validateAddresses(addresses: readonly Address[]): readonly HostAddress[] | 'own' | 'blocked' {
  const interfaces = interfaceAddresses();
  if (addresses.some((address) => isOwn(address, interfaces))) return 'own';
  if (!addresses.every(mayContact)) return 'blocked';
  return addresses.map((address) => ({ address: formatAddress(address), family: address.version }));
}

/** Addresses of a host, and the IP versions whose addresses are not known. */
export interface HostAddresses {
  readonly addresses: readonly HostAddress[];
  readonly unknownVersions: readonly HostAddress['family'][];
  /** Addresses that were neither checked nor returned. */
  readonly omitted: number;
}

/** Like `publicAddresses`, but waits for the addresses of both IP versions. */
export async function allPublicAddresses(
  hostname: string,
  timeoutMs: number,
  resolver?: Resolver,
): Promise<HostAddresses | OutboundFailure> {
  const literal = literalOf(hostname);
  if (literal === null && !mayBePublic(hostname)) return 'blocked';
  const families = literal === null ? await resolveFamilies(hostname, timeoutMs, resolver) : [[literal]];
  const found = families.flatMap((family) => family?.slice(0, maxAddresses) ?? []);
  const unknownVersions = ([6, 4] as const).filter((_, at) => families[at] === null);
  if (found.length === 0) return unknownVersions.length > 0 ? 'dns_failed' : 'unresolved';
  const addresses = validateAddresses(found);
  if (typeof addresses === 'string') return addresses;
  return { addresses, unknownVersions, omitted: families.flatMap((family) => family ?? []).length - found.length };
}

/** Any address of a URL's host, as the system resolves it: for a terminal, whose user chose the host. */
export async function anyAddresses(hostname: string): Promise<readonly HostAddress[] | OutboundFailure> {
  try {
    const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === NOTFOUND ? 'unresolved' : 'dns_failed';
  }
}

/**
 * Queries the system's name servers directly: getaddrinfo would occupy one of the process's four file threads while a server does
 * not respond, and would try the system's search domains, which contain internal hosts. At most `maxAddresses` of each IP version.
 */
async function resolve(
  hostname: string,
  timeoutMs: number,
  resolver = new Resolver(perServer),
): Promise<Address[] | OutboundFailure> {
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const families = [resolver.resolve6(hostname), resolver.resolve4(hostname)];
  try {
    await Promise.any(families).catch(() => {});
    const lookups = families.map((family) => Promise.race([family, delay(resolutionDelayMs, [])]));
    const settled = await Promise.allSettled(lookups);
    const found = settled.flatMap((lookup) =>
      lookup.status === 'fulfilled' ? lookup.value.slice(0, maxAddresses) : [],
    );
    if (found.length > 0) return found.map(parseAddress).filter((address) => address !== null);
    const codes = settled.map((lookup) => (lookup.status === 'rejected' ? lookup.reason.code : null));
    // In less time than a name server has for a query, its silence is not a failure.
    if (codes.includes(CANCELLED) && timeoutMs < perServer.timeout) return 'timeout';
    return codes.every((code) => code === null || noAddressCodes.includes(code)) ? 'unresolved' : 'dns_failed';
  } finally {
    clearTimeout(timer);
    resolver.cancel();
    for (const family of families) family.catch(() => {});
  }
}

/** Resolves all addresses of a host, none if it has none; null if those of one IP version are not known in time. */
export async function resolveAll(
  hostname: string,
  timeoutMs: number,
  resolver?: HostResolver,
): Promise<Address[] | null> {
  const [ipv6, ipv4] = await resolveFamilies(hostname, timeoutMs, resolver);
  return ipv6 && ipv4 && [...ipv6, ...ipv4];
}

type HostResolver = Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel'>;

/** The IPv6 and the IPv4 addresses of a host, none if it has none; null if they are not known in time. */
async function resolveFamilies(
  hostname: string,
  timeoutMs: number,
  resolver: HostResolver = new Resolver(perServer),
): Promise<readonly [ipv6: Address[] | null, ipv4: Address[] | null]> {
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const noneIfAbsent = ({ code = '' }: NodeJS.ErrnoException): string[] | null =>
    noAddressCodes.includes(code) ? [] : null;
  const families = [resolver.resolve6(hostname), resolver.resolve4(hostname)] as const;
  const [ipv6, ipv4] = await Promise.all(families.map((family) => family.catch(noneIfAbsent)));
  clearTimeout(timer);
  return [parseAll(ipv6), parseAll(ipv4)];
}

const parseAll = (addresses: readonly string[] | null | undefined): Address[] | null =>
  addresses?.map(parseAddress).filter((address) => address !== null) ?? null;

/**
 * Whether the address, or the IPv4 address that it stands for, reaches this machine: by an interface, or by a route. Loopback addresses of
 * every machine are blocked as not public instead.
 */
function isOwn(address: Address, interfaces: ReadonlySet<string>): boolean {
  const reached = untranslated(unmapped(address));
  if (isWithin(networks.loopback ?? [], reached)) return false;
  return interfaces.has(formatAddress(reached)) || hasLocalRoute(reached) === true;
}

/** Listing them takes longer than everything else about an address. */
const interfaceAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)));
