/** The caller's address after what proxies say, read from the right, where each appended whom it saw. */
import { type Address, contains, formatAddress, type Prefix, parseAddress, unmapped } from '../../core/address.ts';

/** Who called, and the header taken apart where the proxies' account begins. */
export interface Caller {
  readonly ip: string;
  /** The part of the header that was there before; null where there was none. */
  readonly sent: string | null;
  readonly added: string;
}

/** The one header whose entries are not addresses alone (RFC 7239). */
const forwarded = 'forwarded';

export function isTrusted(networks: readonly Prefix[], ip: string | null): boolean {
  if (networks.length === 0 || ip === null) return false;
  const address = parseAddress(ip);
  return address !== null && isWithin(networks, address);
}

function isWithin(networks: readonly Prefix[], address: Address): boolean {
  return networks.some((network) => contains(network, address));
}

/**
 * The first hop from the right that is not trusted, starting from `peer`, who is. An entry that names no address ends the
 * walk at the hop that wrote it: what stands left of it is nobody's word.
 */
export function callerOf(header: string, field: string, peer: string, networks: readonly Prefix[]): Caller {
  let ip = peer;
  let start = field.length + 1;
  while (start > 0) {
    const end = start - 1;
    start = header === forwarded ? elementStart(field, end) : field.lastIndexOf(',', end - 1) + 1;
    const entry = field.slice(start, end).trim();
    const address = parseNode(header === forwarded ? forOf(entry) : entry);
    if (address === null) break;
    ip = formatAddress(address);
    if (!isWithin(networks, address)) break;
  }
  const sent = field.slice(0, Math.max(0, start - 1)).trim();
  return { ip, sent: sent === '' ? null : sent, added: field.slice(start).trim() };
}

const nodeShape = /^(?:\[(?<bracketed>[^\]]+)\]|(?<dotted>[\d.]+))(?::(?:(?<port>\d{1,5})|_[\w.-]+))?$/;

/** An address freed of port, brackets, zone and `::ffff:`; null for `unknown`, obfuscated names (RFC 7239 §6.3) and all else. */
export function parseNode(node: string | null): Address | null {
  if (node === null) return null;
  const { bracketed, dotted, port } = nodeShape.exec(node)?.groups ?? {};
  if (Number(port ?? 0) > 65_535) return null;
  const address = parseAddress((bracketed ?? dotted ?? node).replace(/(?<=:[\da-f.:]*)%[\w.~-]+$/i, ''));
  if (address === null || (bracketed !== undefined && address.version === 4)) return null;
  return unmapped(address);
}

/** Where the last element before `end` begins; from the right too, so that no quote of the client's reaches a proxy's element. */
function elementStart(field: string, end: number): number {
  let quoted = false;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (field[at] === '"') quoted = !quoted;
    else if (field[at] === ',' && !quoted) return at + 1;
  }
  return 0;
}

const pairs = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s",;]+))\s*(?:;|$)/gy;

/** The `for` of a forwarded-element; null where it has none, several, or is malformed. */
function forOf(element: string): string | null {
  const found = [...element.matchAll(pairs)];
  if (found.map(([pair]) => pair).join('') !== element) return null;
  const nodes = found.filter(([, name]) => name?.toLowerCase() === 'for');
  return nodes.length === 1 ? (nodes[0]?.[2] ?? nodes[0]?.[3] ?? null) : null;
}
