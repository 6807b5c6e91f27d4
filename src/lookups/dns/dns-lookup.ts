/** Looks up the DNS records of a name, the addresses of a host, and the host name of an address, by DNS over HTTPS (RFC 8484). */
import { type Address, isPublicAddress, octetsOf, parseAddress, unmapped } from '../../core/address.ts';
import { ServiceError } from '../../core/errors.ts';
import { textField } from '../../core/field.ts';
import type { OutboundFailure, Platform } from '../../core/platform.ts';
import { decodeResponse, encodeQuery, type Message } from '../../wire/dns/message.ts';
import { dnsNameOf, parseQueryName, reverseZoneName } from './name.ts';
import { formatRecord } from './record.ts';
import { followAliases, givesReason, isConclusiveResponse, responseOf, statusOf } from './response.ts';
import type { DnsAnswer, DnsType } from './schema.ts';
import { describeSpecialUse } from './special-names.ts';

const unresolved = { failure: 'unresolved' } as const;
const failedQuery = { failure: 'dns_failed' } as const;

/**
 * Throws `invalid_query`, and `upstream_error`, `upstream_timeout` or `overloaded` if no resolver responds; NXDOMAIN and SERVFAIL
 * are responses.
 */
export const dnsLookup = async (name: string, type: DnsType, client: DnsClient): Promise<DnsAnswer> =>
  (await countedDnsLookup(name, type, client)).answer;

/**
 * The same, with the number of records that do not fit into the answer, and whether the response is conclusive: only then, and without such
 * records, does it show what does not exist.
 */
export async function countedDnsLookup(name: string, type: DnsType, client: DnsClient) {
  const query: DnsQuery = { name: parseQueryName(name, type), type, checking: 'checked' };
  const response = await queryResolvers(query, client);
  if ('failure' in response) throw withSpecialUse(createDnsError(response.failure), query.name);
  const { message, url } = response;
  const isUnexplained = statusOf(message) === 'SERVFAIL' && !givesReason(message.extendedErrors);
  const isBogus = isUnexplained && (await failsOnlyValidated(query, { ...client, resolvers: [url] }));
  return responseOf({ name: query.name, type, resolver: new URL(url).hostname }, message, isBogus);
}

/**
 * Whether the failure of a query shows that DNSSEC is broken: the query succeeds without validation, and after that, the name still fails
 * with it. Otherwise the name server may only have missed a query. The last query has another type, because resolvers cache failures
 * (RFC 9520 §3.2).
 */
async function failsOnlyValidated(query: DnsQuery, client: DnsClient): Promise<boolean> {
  const statusWith = async (changed: Partial<DnsQuery>): Promise<string | null> => {
    const response = await queryResolvers({ ...query, ...changed }, client);
    return 'failure' in response ? null : statusOf(response.message);
  };
  const unvalidated = await statusWith({ checking: 'unchecked' });
  if (unvalidated !== 'NOERROR' && unvalidated !== 'NXDOMAIN') return false;
  return (await statusWith({ type: query.type === 'SOA' ? 'NS' : 'SOA' })) === 'SERVFAIL';
}

/** Time to wait for the second address family after the first has addresses: some name servers never respond to one (RFC 4074 §4). */
const secondFamilyMs = 1000;

/**
 * IPv4 first. One address family with addresses is enough: a query for the other that fails hides no site. Without any address,
 * `unresolved` only if both responses say so.
 */
export async function addressesOf(
  name: string,
  client: DnsClient,
): Promise<readonly string[] | { readonly failure: OutboundFailure }> {
  const host = dnsNameOf(name);
  if (host === null) return unresolved;
  const families = (['A', 'AAAA'] as const).map((type) => familyOf(host, type, client));
  const found: Awaited<ReturnType<typeof familyOf>>[] = [];
  const first = Promise.withResolvers<void>();
  const all = families.map(async (family, at) => {
    const result = await family;
    found[at] = result;
    if (!('failure' in result) && result.length > 0) first.resolve();
  });
  await Promise.race([Promise.all(all), first.promise.then(() => delay(secondFamilyMs))]);
  const addresses = found.flatMap((result) => ('failure' in result ? [] : result));
  if (addresses.length > 0) return addresses;
  const failed = found.flatMap((result) => ('failure' in result ? [result] : []));
  return failed.find(({ failure }) => failure === 'overloaded') ?? failed[0] ?? unresolved;
}

/** The addresses of one family; empty if the name has none. */
async function familyOf(
  host: string,
  type: 'A' | 'AAAA',
  client: DnsClient,
): Promise<readonly string[] | { readonly failure: OutboundFailure }> {
  const response = await queryResolvers({ name: host, type, checking: 'checked' }, client);
  if ('failure' in response) return response.failure === 'overloaded' ? response : failedQuery;
  if (!isConclusiveResponse(response.message)) return failedQuery;
  if (statusOf(response.message) === 'NXDOMAIN') return [];
  const records = followAliases(response.message, host, type).found.map(formatRecord);
  const isUsable = records.every(({ error }) => error === undefined);
  return isUsable ? records.map(({ data }) => data) : failedQuery;
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The part of the platform that a lookup needs, so that an edge can look up names before its platform is complete. */
export type DnsPlatform = Pick<Platform, 'fetch' | 'now' | 'resolvers'>;

const lookupTimeoutMs = 5000;
/** Maximum length of a DNS message. */
const maxBodyBytes = 65_535;
const mediaType = 'application/dns-message';

interface DnsQuery {
  /** As returned by `parseDnsName`. */
  readonly name: string;
  readonly type: DnsType;
  readonly checking: 'checked' | 'unchecked';
}

type DnsClient = ReturnType<typeof createDnsClient>;

type DnsFailure = 'timeout' | 'unresolved' | 'overloaded';

type DnsResponse = { readonly message: Message; readonly url: string };

/** A client for the queries of one lookup, which share its time. */
export function createDnsClient(platform: DnsPlatform, userAgent: string, timeoutMs = lookupTimeoutMs) {
  return { platform, userAgent, resolvers: platform.resolvers, deadlineMs: platform.now() + timeoutMs };
}

/** The error of a lookup without a response. */
function createDnsError(failure: DnsFailure): ServiceError {
  if (failure === 'timeout')
    return new ServiceError(
      'upstream_timeout',
      `No DNS resolver responded within ${lookupTimeoutMs / 1000} seconds; try again later.`,
    );
  if (failure === 'overloaded') return new ServiceError('overloaded');
  return new ServiceError('upstream_error', 'No DNS resolver sent a usable response; try again later.');
}

/** Adds why a name is not in the public DNS, which then is the reason why it cannot be found. */
function withSpecialUse(error: ServiceError, name: string): ServiceError {
  const specialUse = describeSpecialUse(name);
  return specialUse === null ? error : new ServiceError(error.code, `${error.message} ${specialUse}`);
}

/** Queries one resolver after the other until one responds; each gets an equal share of the remaining time. */
async function queryResolvers(
  { name, type, checking }: DnsQuery,
  { platform, userAgent, resolvers, deadlineMs }: DnsClient,
): Promise<DnsResponse | { readonly failure: DnsFailure }> {
  const body = encodeQuery(name, type, checking);
  const headers = { Accept: mediaType, 'Content-Type': mediaType, 'User-Agent': userAgent };
  let failure: 'timeout' | 'unresolved' = 'unresolved';
  let refusal: DnsResponse | null = null;
  for (const [at, url] of resolvers.entries()) {
    // The upper bound applies even if the clock is set back meanwhile.
    const leftMs = Math.min(deadlineMs - platform.now(), lookupTimeoutMs);
    const timeoutMs = Math.floor(leftMs / (resolvers.length - at));
    if (timeoutMs <= 0) return refusal ?? { failure: 'timeout' };
    const result = await platform.fetch({ method: 'POST', url, headers, body, timeoutMs, maxBodyBytes });
    if ('failure' in result) {
      if (result.failure === 'overloaded') return { failure: 'overloaded' };
      if (result.failure === 'timeout') failure = 'timeout';
      continue;
    }
    const isDnsMessage = result.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === mediaType;
    const message = result.status === 200 && isDnsMessage ? decodeResponse(result.body, name, type) : null;
    if (message === null) continue;
    if (statusOf(message) !== 'REFUSED') return { message, url };
    // This resolver may not serve us; the next one may.
    refusal ??= { message, url };
  }
  return refusal ?? { failure };
}

export const Host = textField(
  'Host name',
  'Host name of the client by reverse DNS; null if there is none or it does not resolve to the IP address',
);

/** An address can have any number of names; each costs a query. */
const maxNames = 3;
/** PTR records that are read: 64 KB can contain 5,000, and each name that cannot be a host name costs an error. */
const maxPointers = 20;

/**
 * Returns the host name of an address, only if that name resolves to the address (forward-confirmed reverse DNS). Null without such a name,
 * and without a query for an address that is not public. Throws `upstream_error`, `upstream_timeout` or `overloaded` if the resolvers fail.
 */
export async function confirmedHost(
  ip: string | null,
  platform: DnsPlatform,
  userAgent: string,
): Promise<string | null> {
  const parsed = parseAddress(ip ?? '');
  const address = parsed === null ? null : unmapped(parsed);
  if (address === null || !isPublicAddress(address)) return null;
  const client = createDnsClient(platform, userAgent);
  const names = await reverseNames(address, client);
  const confirmations = await Promise.all(names.map((name) => resolvesTo(name, address, client)));
  const confirmed = names.find((_, n) => confirmations[n] === true);
  if (confirmed !== undefined) return confirmed;
  const failure = confirmations.find((each) => typeof each === 'object');
  if (failure !== undefined) throw failure;
  return null;
}

/** The names of the first PTR records, at most `maxNames`; names that cannot be host names are omitted. */
async function reverseNames(address: Address, client: DnsClient): Promise<readonly string[]> {
  const name = reverseZoneName(address);
  const response = await queryResolvers({ name, type: 'PTR', checking: 'checked' }, client);
  if ('failure' in response) throw createDnsError(response.failure);
  if (!isConclusiveResponse(response.message))
    throw new ServiceError(
      'upstream_error',
      `The DNS resolver returned ${statusOf(response.message)} for the IP address; try again later.`,
    );
  const hosts = new Set<string>();
  for (const record of followAliases(response.message, name, 'PTR').found.slice(0, maxPointers)) {
    const host = dnsNameOf(formatRecord(record).data);
    if (host !== null) hosts.add(host);
    if (hosts.size === maxNames) break;
  }
  return [...hosts];
}

/** Whether the name has the address; an error if the resolvers fail. A name that they cannot resolve is not confirmed. */
async function resolvesTo(name: string, address: Address, client: DnsClient): Promise<boolean | ServiceError> {
  const type = address.version === 4 ? 'A' : 'AAAA';
  const response = await queryResolvers({ name, type, checking: 'checked' }, client);
  if ('failure' in response) return createDnsError(response.failure);
  // 64 KB can contain 2,000 addresses, whose texts take 20 ms.
  const wanted = octetsOf(address);
  return followAliases(response.message, name, type).found.some(
    ({ octets }) => octets.length === wanted.length && octets.every((octet, at) => octet === wanted[at]),
  );
}
