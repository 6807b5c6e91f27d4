/** IP addresses in forwarding headers, without ports and brackets, in one notation so that they can be compared. */
import { formatAddress, parseAddress, unmapped } from '../core/address.ts';
import { isLocalAddress } from '../core/networks.ts';

export interface ForwardedAddress {
  header: string;
  /** As sent, without port, brackets and zone. */
  text: string;
  /** Equal for equal addresses; IPv4-mapped IPv6 is IPv4. */
  address: string;
}

const single = ['x-real-ip', 'true-client-ip', 'client-ip', 'x-client-ip'] as const;

const maxLength = 4096;
const maxEntries = 64;

/** Writes an address in the notation of `ForwardedAddress.address`; null if the text is not an address. */
export const normalizeAddress = (address: string): string | null => parseNode(address)?.address ?? null;

/** All addresses in forwarding headers, in a fixed order of headers, except `peer` and the entries right of it. */
export function forwardedAddresses(
  headers: Readonly<Record<string, string>>,
  peer: string | null,
): readonly ForwardedAddress[] {
  const chains = [
    readNodes('x-forwarded-for', splitList(headers['x-forwarded-for'])),
    // RFC 7239 §4: for=192.0.2.43, for="[2001:db8:cafe::17]:4711"
    readNodes(
      'forwarded',
      [...keepRight(headers.forwarded).matchAll(/(?:^|[;,\s])for="?([^";,]*)/gi)].map(([, node]) => node ?? ''),
    ),
    ...single.map((name) => readNodes(name, splitList(headers[name]))),
    // RFC 9110 §7.6.3: protocol, then the recipient, a host name or an address
    readNodes(
      'via',
      splitList(headers.via).map((hop) => hop.trim().split(/\s/)[1] ?? ''),
    ),
  ];
  return chains.flatMap((chain) => {
    // Each proxy appends the address that connected to it, so our own side wrote the peer and all entries right of it.
    const at = chain.findLastIndex(({ address }) => address === peer);
    return at < 0 ? chain : chain.slice(0, at);
  });
}

/** Whether the address is valid only inside one network or machine. */
export function isPrivate(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isLocalAddress(parsed);
}

function readNodes(header: string, nodes: readonly string[]): ForwardedAddress[] {
  return nodes.slice(-maxEntries).flatMap((node) => {
    const parsed = parseNode(node);
    return parsed === null ? [] : [{ header, ...parsed }];
  });
}

/** Keeps the right end, where the nearest hops are, without the entry that is cut. */
function keepRight(field = ''): string {
  return field.length > maxLength ? field.slice(-maxLength).replace(/^[^,]*/, '') : field;
}

const splitList = (field: string | undefined) => keepRight(field).split(',');

/** Null for host names, `unknown`, obfuscated identifiers and other text that is not an address. */
function parseNode(node: string): Omit<ForwardedAddress, 'header'> | null {
  const value = node.trim().replace(/^"|"$/g, '');
  if (value.length > 64) return null;
  const host = /^\[([^\]]*)\]/.exec(value)?.[1] ?? value.replace(/^([\d.]+):\d+$/, '$1');
  // A zone (RFC 4007 §11) is free text.
  const text = host.replace(/%.*$/s, '');
  const address = parseAddress(text);
  return address === null ? null : { text, address: formatAddress(unmapped(address)) };
}
