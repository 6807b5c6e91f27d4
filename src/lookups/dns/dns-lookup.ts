/** Looks up the DNS records of a name, and the addresses of a host. */
import type { OutboundFailure } from '../../core/platform.ts';
import { dnsNameOf, parseDnsName } from './name.ts';
import { givesReason } from './note.ts';
import type { DnsType } from './record.ts';
import { createDnsError, type DnsClient, type DnsQuery, queryResolvers } from './resolvers.ts';
import { followAliases, responseOf, statusOf } from './response.ts';
import type { DnsAnswer } from './schema.ts';

const unresolved = { failure: 'unresolved' } as const;

/**
 * Throws `invalid_query`, and `upstream_error`, `upstream_timeout` or `overloaded` if no resolver responds; NXDOMAIN and SERVFAIL
 * are responses.
 */
export async function dnsLookup(name: string, type: DnsType, client: DnsClient): Promise<DnsAnswer> {
  const query: DnsQuery = { name: parseDnsName(name), type, checking: 'checked' };
  const response = await queryResolvers(query, client);
  if ('failure' in response) throw createDnsError(response.failure);
  const { message, url } = response;
  let succeedsUnvalidated = false;
  if (statusOf(message) === 'SERVFAIL' && !givesReason(message.extendedErrors)) {
    const again = await queryResolvers({ ...query, checking: 'unchecked' }, { ...client, resolvers: [url] });
    succeedsUnvalidated = !('failure' in again) && ['NOERROR', 'NXDOMAIN'].includes(statusOf(again.message));
  }
  return responseOf({ name: query.name, type, message, resolver: new URL(url).hostname, succeedsUnvalidated });
}

/** IPv4 first. Returns `unresolved` also if one of the two queries fails, so that no address is overlooked. */
export async function addressesOf(
  name: string,
  client: DnsClient,
): Promise<readonly string[] | { readonly failure: OutboundFailure }> {
  const host = dnsNameOf(name);
  if (host === null) return unresolved;
  const found = await Promise.all(
    (['A', 'AAAA'] as const).map(async (type) => {
      const response = await queryResolvers({ name: host, type, checking: 'checked' }, client);
      if ('failure' in response) return response;
      if (statusOf(response.message) !== 'NOERROR') return unresolved;
      return followAliases(response.message, host, type).records.map(({ data }) => data);
    }),
  );
  const addresses = found.flatMap((result) => ('failure' in result ? [] : result));
  const failed = found.find((result) => 'failure' in result);
  return failed ?? (addresses.length === 0 ? unresolved : addresses);
}
