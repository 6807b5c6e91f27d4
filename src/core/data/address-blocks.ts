/** Blocks of IP addresses that are not public, and those of Cloudflare. */

export const loopback = ['127.0.0.0/8', '::1'];

/** RFC 1918 and RFC 4193. */
export const privateUse = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** Other blocks that are valid only inside one network or machine: RFC 1122, RFC 6598, RFC 3927 and RFC 4291. */
export const local = ['0.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '::', 'fe80::/10'];

/**
 * The rest of IANA's special-purpose registries, multicast and class E; 192.88.99.0/24 is the deprecated 6to4 relay, 3ffe::/16 the
 * returned 6bone (RFC 3701). The few globally reachable services inside 192.0.0.0/24 and 2001::/23 host no sites.
 * https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry Last updated: 2026-11-21
 */
export const reserved = [
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
];

/** https://www.cloudflare.com/ips/ Last updated: 2026-07-02 */
export const cloudflare = [
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
];
