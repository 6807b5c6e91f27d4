/** Address blocks: private, reserved, and Cloudflare's. */
import { type Address, contains, type Prefix, prefixOf } from './address.ts';

const loopback = ['127.0.0.0/8', '::1'].map(prefixOf);

/** RFC 1918 and RFC 4193. */
const privateUse = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'].map(prefixOf);

/** Blocks that are valid only inside one network or machine: RFC 1122, RFC 6598, RFC 3927 and RFC 4291. */
const local = [
  ...loopback,
  ...privateUse,
  ...['0.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '::', 'fe80::/10'].map(prefixOf),
];

/**
 * The rest of IANA's special-purpose registries, multicast and class E; 192.88.99.0/24 is the deprecated 6to4 relay, 3ffe::/16 the
 * returned 6bone (RFC 3701). The few globally reachable services inside 192.0.0.0/24 and 2001::/23 host no sites.
 * https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry Last updated: 2026-11-21
 */
const reserved = [
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '3ffe::/16',
].map(prefixOf);

/** The block from which IANA assigns global unicast addresses (RFC 4291 §2.4); IPv6 addresses outside it are not public. */
const globalIpv6 = prefixOf('2000::/3');

export const isWithin = (prefixes: readonly Prefix[], address: Address): boolean =>
  prefixes.some((prefix) => contains(prefix, address));

/** Whether the address is valid only inside one network or machine. */
export const isLocalAddress = (address: Address): boolean => isWithin(local, address);

/** Whether the address is globally reachable on the public internet. */
export function isPublicAddress(address: Address): boolean {
  if (address.version === 6 && !contains(globalIpv6, address)) return false;
  return !isLocalAddress(address) && !isWithin(reserved, address);
}

/** Whether no address of the block belongs to the public internet: it lies within one private or reserved block. */
export function isReservedBlock({ first, length }: Prefix): boolean {
  if (first.version === 6 && length >= globalIpv6.length && !contains(globalIpv6, first)) return true;
  return [...local, ...reserved].some((prefix) => prefix.length <= length && contains(prefix, first));
}

/** Networks that settings can name. */
export const networks: Readonly<Record<string, readonly Prefix[]>> = {
  loopback,
  private: privateUse,
  // https://www.cloudflare.com/ips/ Last updated: 2026-07-02
  cloudflare: [
    '173.245.48.0/20',
    '103.21.244.0/22',
    '103.22.200.0/22',
    '103.31.4.0/22',
    '141.101.64.0/18',
    '108.162.192.0/18',
    '190.93.240.0/20',
    '188.114.96.0/20',
    '197.234.240.0/22',
    '198.41.128.0/17',
    '162.158.0.0/15',
    '104.16.0.0/13',
    '104.24.0.0/14',
    '172.64.0.0/13',
    '131.0.72.0/22',
    '2400:cb00::/32',
    '2606:4700::/32',
    '2803:f800::/32',
    '2405:b500::/32',
    '2405:8100::/32',
    '2a06:98c0::/29',
    '2c0f:f248::/32',
  ].map(prefixOf),
};
