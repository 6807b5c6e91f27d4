/** Which addresses and host names belong to the public internet: all others are never asked. */
import { type Address, contains, type Prefix, parseAddress, prefixOf } from '../core/address.ts';

/**
 * IANA IPv4 Special-Purpose Address Registry, multicast and class E; 192.88.99.0/24 is the deprecated 6to4 relay.
 * The few globally reachable services inside 192.0.0.0/24 host no sites and are refused with it.
 * https://www.iana.org/assignments/iana-ipv4-special-registry Last updated: 2026-11-21
 */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(prefixOf);

/** The one block from which IANA assigns global unicast addresses (RFC 4291 §2.4); all outside it is refused. */
const globalIpv6 = prefixOf('2000::/3');

/**
 * IANA IPv6 Special-Purpose Address Registry inside that block, and 3ffe::/16, the returned 6bone (RFC 3701).
 * https://www.iana.org/assignments/iana-ipv6-special-registry Last updated: 2026-11-21
 */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '3ffe::/16'].map(prefixOf);

export function isPublicAddress(address: Address): boolean {
  const within = (prefix: Prefix): boolean => contains(prefix, address);
  return address.version === 4 ? !specialIpv4.some(within) : within(globalIpv6) && !specialIpv6.some(within);
}

/** Names that mean something only inside one network or machine (RFC 6761, RFC 6762, RFC 8375, ICANN's .internal). */
const localName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** False for an address that is not public and for a local name; true for every other name, whatever it resolves to. */
export function mayBePublic(host: string): boolean {
  const address = literalOf(host);
  return address === null ? !localName.test(host.toLowerCase().replace(/\.$/, '')) : isPublicAddress(address);
}

/** The address that a URL's `hostname` is, brackets taken off; null for a name. */
export function literalOf(hostname: string): Address | null {
  return parseAddress(hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''));
}
