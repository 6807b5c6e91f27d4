/** Finds the client address in a forwarding header, read from the right, because each proxy appends the address of its peer. */
import { type Address, formatAddress, isWithin, type Prefix, parseAddress, unmapped } from '../../core/address.ts';

/** The networks of the trusted proxies, and the header in which they report the client address (lower case). */
export interface TrustedHeader {
  readonly networks: readonly Prefix[];
  readonly header: string;
}

export function isTrusted(networks: readonly Prefix[], ip: string | null): boolean {
  if (networks.length === 0 || ip === null) return false;
  const address = parseAddress(ip);
  return address !== null && isWithin(networks, address);
}

/**
 * Returns the first address from the right that is not trusted, starting at the trusted `peer`. An entry without an address ends the
 * search at the hop that wrote it: entries left of it are unverified. `sent` is the part of the header that the client sent, null if it
 * sent none; `added` is that of the trusted proxies. `proto` and `host` are what the client requested, of `Forwarded` alone; null if unknown.
 */
export function clientOf(field: string, peer: string, { header, networks }: TrustedHeader) {
  // Only the entries of `Forwarded` are more than addresses (RFC 7239).
  const isStandard = header === 'forwarded';
  const entries = isStandard ? elementsOf(field) : field.split(',');
  let ip = peer;
  let at = entries.length;
  let hops = 0;
  let isTrusted = true;
  while (at > 0 && isTrusted) {
    at -= 1;
    const entry = (entries[at] ?? '').trim();
    const address = parseNode(isStandard ? parameterOf(entry, 'for') : entry);
    isTrusted = address !== null && isWithin(networks, address);
    if (address === null) break;
    ip = formatAddress(address);
    hops += 1;
  }
  const sent = entries.slice(0, at).join(',').trim();
  const ofClient = isStandard ? (entries[at] ?? '').trim() : '';
  return {
    ip,
    proto: parameterOf(ofClient, 'proto'),
    host: parameterOf(ofClient, 'host'),
    sent: sent === '' ? null : sent,
    added: entries.slice(at).join(',').trim(),
    path: {
      entries: entries.length,
      /** Entries of trusted hops right of the client's. */
      skipped: Math.max(0, hops - 1),
      /** Whether every entry is the address of a trusted hop, the client's included. */
      isTrusted,
    },
  };
}

/**
 * Returns the entry that the hop next to the client appended to a list without addresses, such as `X-Forwarded-Proto`. In a list of another
 * length the hops are not known, so that only the nearest one is certain; the leftmost may be the client's own. Null path: no hops are known.
 */
export function entryOfClient(field: string, path: ReturnType<typeof clientOf>['path'] | null): string {
  const entries = field.split(',').map((entry) => entry.trim());
  const last = entries.length - 1;
  const at = path?.entries === entries.length ? last - path.skipped : path?.isTrusted ? 0 : last;
  return entries[at] ?? '';
}

const nodeShape = /^(?:\[(?<bracketed>[^\]]+)\]|(?<dotted>[\d.]+))(?::(?:(?<port>\d{1,5})|_[\w.-]+))?$/;

/** Parses an address without port, brackets, zone and `::ffff:`; null for `unknown`, obfuscated names (RFC 7239 §6.3) and any other text. */
export function parseNode(node: string | null): Address | null {
  if (node === null) return null;
  const { bracketed, dotted, port } = nodeShape.exec(node)?.groups ?? {};
  if (Number(port ?? 0) > 65_535) return null;
  const address = parseAddress((bracketed ?? dotted ?? node).replace(/(?<=:[\da-f.:]*)%[\w.~-]+$/i, ''));
  if (address === null || (bracketed !== undefined && address.version === 4)) return null;
  return unmapped(address);
}

/** Splits a `Forwarded` field into its elements, from the right, so that a client's quote cannot affect a proxy's element. */
function elementsOf(field: string): string[] {
  const elements: string[] = [];
  let end = field.length;
  let isQuoted = false;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (field[at] === '"') isQuoted = !isQuoted;
    else if (field[at] === ',' && !isQuoted) {
      elements.push(field.slice(at + 1, end));
      end = at;
    }
  }
  elements.push(field.slice(0, end));
  return elements.reverse();
}

const pairs = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s",;]+))\s*(?:;|$)/gy;

/** Returns the value of a parameter (lower case) of a forwarded-element; null if it has none or several, or the element is malformed. */
function parameterOf(element: string, parameter: string): string | null {
  const found = [...element.matchAll(pairs)];
  if (found.map(([pair]) => pair).join('') !== element) return null;
  const values = found.filter(([, name]) => name?.toLowerCase() === parameter);
  return values.length === 1 ? (values[0]?.[2] ?? values[0]?.[3] ?? null) : null;
}
