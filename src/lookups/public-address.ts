/** Rejects host names and literal addresses outside the public internet: lookups never contact them. */
import {
  type Address,
  contains,
  isPublicAddress,
  type Prefix,
  parseAddress,
  prefixOf,
  untranslated,
} from '../core/address.ts';

/** Names with a meaning inside one network or machine only (RFC 6761, RFC 6762, RFC 8375, ICANN's .internal). */
const localName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Addresses in public blocks that reach a cloud's control services from inside its virtual machines only. The metadata
 * services of other clouds have link-local, shared, unique local or protocol assignment addresses, which are not public.
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 Last updated: 2026-11-21
 */
const cloudControl: readonly Prefix[] = ['168.63.129.16'].map(prefixOf);

/**
 * Whether lookups may connect to the address: it is public and no cloud's control service. An address behind a NAT64 gateway is judged by
 * the IPv4 address that it reaches, although it is not public itself: on a network with DNS64, most sites have no other.
 */
export function mayContact(address: Address): boolean {
  const reached = untranslated(address);
  return isPublicAddress(reached) && !cloudControl.some((prefix) => contains(prefix, reached));
}

/** False for a non-public address and for a local name; true for every other name, even if it resolves to such an address. */
export function mayBePublic(host: string): boolean {
  const address = literalOf(host);
  return address === null ? !localName.test(host.toLowerCase().replace(/\.$/, '')) : mayContact(address);
}

/** The literal address in a URL's `hostname`, with or without brackets; null for a name. */
export function literalOf(hostname: string): Address | null {
  return parseAddress(hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''));
}
