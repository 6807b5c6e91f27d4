/** The addresses of clients and proxies that forwarding headers name. */
import { formatAddress, isLocalAddress } from '../core/address.ts';
import { readNode } from './forwarded-node.ts';

const maxLength = 4096;
const maxEntries = 64;

/** In the order of their hints. */
const forwardingHeaders = 'x-forwarded-for forwarded x-real-ip true-client-ip client-ip x-client-ip via'.split(' ');

/** The entries of a header: addresses, or texts that are none. */
function entriesOf(header: string, field: string): string[] {
  // RFC 7239 §4: for=192.0.2.43, for="[2001:db8:cafe::17]:4711"
  if (header === 'forwarded') return [...field.matchAll(/(?:^|[;,\s])for="?([^";,]*)/gi)].map(([, node]) => node ?? '');
  const entries = field.split(',');
  // RFC 9110 §7.6.3: protocol, then the recipient, a host name or an address
  return header === 'via' ? entries.map((hop) => hop.trim().split(/\s/)[1] ?? '') : entries;
}

/**
 * All addresses in forwarding headers, in a fixed order of headers, except `peer` and the entries right of it. The text is as sent, without
 * port, brackets and zone; a private address is valid only inside one network or machine.
 */
export function forwardedAddresses(headers: Readonly<Record<string, string>>, peer: string | null) {
  const connected = peer === null ? null : parseNode(peer, '');
  return forwardingHeaders.flatMap((header) => {
    const chain = entriesOf(header, keepRight(headers[header]))
      .slice(-maxEntries)
      .flatMap((node) => parseNode(node, header) ?? []);
    // Each proxy appends the address that connected to it, so our own side wrote the peer and all entries right of it.
    const at = chain.findLastIndex(({ notation }) => notation === connected?.notation);
    return chain
      .slice(0, at < 0 ? chain.length : at)
      .map(({ text, address }) => ({ header, text, isPrivate: isLocalAddress(address) }));
  });
}

/** Keeps the right end, where the nearest hops are, without the entry that is cut. */
const keepRight = (field = ''): string =>
  field.length > maxLength ? field.slice(-maxLength).replace(/^[^,]*/, '') : field;

/** An address, and its one notation for comparisons; null for host names, `unknown`, obfuscated identifiers and other texts. */
function parseNode(entry: string, header: string) {
  const node = readNode(entry, header);
  return typeof node === 'string' ? null : { ...node, notation: formatAddress(node.address) };
}
