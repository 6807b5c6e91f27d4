/** The addresses that forwarding headers name, freed of ports, brackets and notation so that they can be compared. */
import { contains, formatAddress, parseAddress, prefixOf, unmapped } from '../core/address.ts';

export interface NamedAddress {
  header: string;
  /** As the header wrote it, without port, brackets and zone. */
  text: string;
  /** Equal for equal addresses; IPv4-mapped IPv6 is IPv4. */
  address: string;
}

const single = ['x-real-ip', 'true-client-ip', 'client-ip', 'x-client-ip'] as const;

const maxLength = 4096;
const maxEntries = 64;

/** In the form in which `NamedAddress.address` is; null for what is no address. */
export const comparable = (address: string): string | null => parse(address)?.address ?? null;

/** Every address that forwarding headers name except `peer` and what its own chain appended right of it. Headers in a fixed order. */
export function namedAddresses(
  headers: Readonly<Record<string, string>>,
  peer: string | null,
): readonly NamedAddress[] {
  const chains = [
    named('x-forwarded-for', list(headers['x-forwarded-for'])),
    // RFC 7239 §4: for=192.0.2.43, for="[2001:db8:cafe::17]:4711"
    named(
      'forwarded',
      [...capped(headers.forwarded).matchAll(/(?:^|[;,\s])for="?([^";,]*)/gi)].map(([, node]) => node ?? ''),
    ),
    ...single.map((name) => named(name, list(headers[name]))),
    // RFC 9110 §7.6.3: protocol, then who received it, a host name or an address
    named(
      'via',
      list(headers.via).map((hop) => hop.trim().split(/\s/)[1] ?? ''),
    ),
  ];
  return chains.flatMap((chain) => {
    // Each proxy appends whom it saw, so the peer and all right of it is what our own side wrote.
    const seen = chain.findLastIndex(({ address }) => address === peer);
    return seen < 0 ? chain : chain.slice(0, seen);
  });
}

/** RFC 1918, 6598, 3927, 4193 and 4291: addresses that mean something only inside one network. */
const privatePrefixes = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
].map(prefixOf);

export function isPrivate(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && privatePrefixes.some((prefix) => contains(prefix, parsed));
}

function named(header: string, nodes: readonly string[]): NamedAddress[] {
  return nodes.slice(-maxEntries).flatMap((node) => {
    const parsed = parse(node);
    return parsed === null ? [] : [{ header, ...parsed }];
  });
}

/** From the right, where the nearest hops are, and without the entry that the cut goes through. */
function capped(field = ''): string {
  return field.length > maxLength ? field.slice(-maxLength).replace(/^[^,]*/, '') : field;
}

const list = (field: string | undefined) => capped(field).split(',');

/** Null for host names, `unknown`, obfuscated identifiers and whatever else is no address. */
function parse(node: string): Omit<NamedAddress, 'header'> | null {
  const bare = node.trim().replace(/^"|"$/g, '');
  if (bare.length > 64) return null;
  const host = /^\[([^\]]*)\]/.exec(bare)?.[1] ?? bare.replace(/^([\d.]+):\d+$/, '$1');
  // A zone (RFC 4007 §11) is free text.
  const text = host.replace(/%.*$/s, '');
  const address = parseAddress(text);
  return address === null ? null : { text, address: formatAddress(unmapped(address)) };
}
