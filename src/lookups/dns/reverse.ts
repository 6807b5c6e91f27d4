/** Forward-confirmed reverse DNS: the host name of an IP address, only if the name resolves to that address. */
import * as z from 'zod';
import { type Address, formatAddress, isPublicAddress, parseAddress, unmapped } from '../../core/address.ts';
import { ServiceError } from '../../core/errors.ts';
import { textField } from '../../core/field.ts';
import { createDnsClient, createDnsError, type DnsClient, type DnsPlatform, queryResolvers } from './dns-lookup.ts';
import { dnsNameOf } from './name.ts';
import { followAliases, statusOf } from './response.ts';

export const Host = z.object({
  host: textField(
    'Host name',
    'Host name of the client by reverse DNS; null if there is none or it does not resolve to the IP address',
  ),
});
export type Host = z.infer<typeof Host>;

/** An address can have any number of names; each costs a query. */
const maxNames = 3;

/**
 * Null without a confirmed name, and without a query for an address that is not public. Throws `upstream_error`,
 * `upstream_timeout` or `overloaded` if the resolvers fail.
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

/** The names of the PTR records, at most `maxNames`; names that cannot be host names are omitted. */
async function reverseNames(address: Address, client: DnsClient): Promise<readonly string[]> {
  const name = reverseZoneName(address);
  const response = await queryResolvers({ name, type: 'PTR', checking: 'checked' }, client);
  if ('failure' in response) throw createDnsError(response.failure);
  const status = statusOf(response.message);
  if (status !== 'NOERROR' && status !== 'NXDOMAIN')
    throw new ServiceError(
      'upstream_error',
      `The DNS resolver returned ${status} for the IP address; try again later.`,
    );
  const hosts = followAliases(response.message, name, 'PTR').records.map(({ data }) => dnsNameOf(data));
  return [...new Set(hosts.filter((host) => host !== null))].slice(0, maxNames);
}

/** Whether the name has the address; an error if the resolvers fail. A name that they cannot resolve is not confirmed. */
async function resolvesTo(name: string, address: Address, client: DnsClient): Promise<boolean | ServiceError> {
  const type = address.version === 4 ? 'A' : 'AAAA';
  const response = await queryResolvers({ name, type, checking: 'checked' }, client);
  if ('failure' in response) return createDnsError(response.failure);
  const ip = formatAddress(address);
  return followAliases(response.message, name, type).records.some(({ data }) => data === ip);
}

/** Returns the name of an address in its reverse zone: octets or nibbles in reverse order (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseZoneName(address: Address): string {
  if (address.version === 4) return `${formatAddress(address).split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = [...address.bits.toString(16).padStart(32, '0')];
  return `${nibbles.reverse().join('.')}.ip6.arpa`;
}
