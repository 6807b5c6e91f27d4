/** IP addresses in forwarding headers, without ports and brackets, in one notation so that they can be compared. */
import { type Address, formatAddress, parseAddress, unmapped } from '../core/address.ts';
import { isLocalAddress } from '../core/networks.ts';

export interface ForwardedAddress {
  header: string;
  /** As sent, without port, brackets and zone. */
  text: string;
  /** Whether it is valid only inside one network or machine. */
  isPrivate: boolean;
}

const maxLength = 4096;
const maxEntries = 64;

/** The headers in the order of their hints, and the entries of a value: addresses, or texts that are none. */
const entriesOf: Readonly<Record<string, (field: string) => string[]>> = {
  'x-forwarded-for': splitList,
  // RFC 7239 §4: for=192.0.2.43, for="[2001:db8:cafe::17]:4711"
  forwarded: (field) => [...field.matchAll(/(?:^|[;,\s])for="?([^";,]*)/gi)].map(([, node]) => node ?? ''),
  'x-real-ip': splitList,
  'true-client-ip': splitList,
  'client-ip': splitList,
  'x-client-ip': splitList,
  // RFC 9110 §7.6.3: protocol, then the recipient, a host name or an address
  via: (field) => splitList(field).map((hop) => hop.trim().split(/\s/)[1] ?? ''),
};

function splitList(field: string): string[] {
  return field.split(',');
}

/** All addresses in forwarding headers, in a fixed order of headers, except `peer` and the entries right of it. */
export function forwardedAddresses(
  headers: Readonly<Record<string, string>>,
  peer: string | null,
): readonly ForwardedAddress[] {
  const connected = peer === null ? null : parseNode(peer);
  return Object.entries(entriesOf).flatMap(([header, split]) => {
    const chain = split(keepRight(headers[header]))
      .slice(-maxEntries)
      .flatMap((node) => parseNode(node) ?? []);
    // Each proxy appends the address that connected to it, so our own side wrote the peer and all entries right of it.
    const at = chain.findLastIndex(({ notation }) => notation === connected?.notation);
    return chain
      .slice(0, at < 0 ? chain.length : at)
      .map(({ text, address }) => ({ header, text, isPrivate: isLocalAddress(address) }));
  });
}

/** Keeps the right end, where the nearest hops are, without the entry that is cut. */
function keepRight(field = ''): string {
  return field.length > maxLength ? field.slice(-maxLength).replace(/^[^,]*/, '') : field;
}

/** An address with its one notation; null for host names, `unknown`, obfuscated identifiers and other texts. */
function parseNode(node: string): { text: string; address: Address; notation: string } | null {
  const value = node.trim().replace(/^"|"$/g, '');
  if (value.length > 64) return null;
  const host = /^\[([^\]]*)\]/.exec(value)?.[1] ?? value.replace(/^([\d.]+):\d+$/, '$1');
  // A zone (RFC 4007 §11) is free text.
  const text = host.replace(/%.*$/s, '');
  const parsed = parseAddress(text);
  const address = parsed && unmapped(parsed);
  return address && { text, address, notation: formatAddress(address) };
}
