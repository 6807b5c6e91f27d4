/** Finds the client address in a forwarding header, read from the right, because each proxy appends the address of its peer. */
import { formatAddress, isWithin, type Prefix, parseAddress } from '../../core/address.ts';
import { type NodeProblem, readNode, unquote } from '../../traits/forwarded-node.ts';

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
 * Returns the first address from the right that is not trusted, starting at the trusted `peer`; null if all entries are empty, which are none.
 * An entry without an address ends the search at the hop that wrote it, and `problem` states why: entries left of it are unverified. `sent` is
 * the part of the header that the client sent, null if it sent none; `added` is that of the trusted proxies. `proto` and `host` are what the
 * client requested, of `Forwarded` alone; null if unknown.
 */
export function clientOf(field: string, peer: string, { header, networks }: TrustedHeader) {
  // Only the entries of `Forwarded` are more than addresses (RFC 7239).
  const isStandard = header === 'forwarded';
  const entries = isStandard ? elementsOf(field) : field.split(',');
  const count = entries.filter((entry) => entry.trim() !== '').length;
  if (count === 0) return null;
  let ip = peer;
  let at = entries.length;
  let hops = 0;
  let isTrusted = true;
  let problem: NodeProblem | null = null;
  let element = '';
  while (at > 0 && isTrusted) {
    at -= 1;
    const entry = (entries[at] ?? '').trim();
    if (entry === '') continue;
    if (isStandard) element = entry;
    const node = readNode(isStandard ? (parameterOf(entry, 'for') ?? '') : entry, header);
    problem = typeof node === 'string' ? node : null;
    isTrusted = typeof node !== 'string' && isWithin(networks, node.address);
    if (typeof node === 'string') continue;
    ip = formatAddress(node.address);
    hops += 1;
  }
  const sent = entries.slice(0, at).join(',').trim();
  return {
    ip,
    problem,
    proto: parameterOf(element, 'proto'),
    host: parameterOf(element, 'host'),
    sent: sent === '' ? null : sent,
    added: entries.slice(at).join(',').trim(),
    path: {
      entries: count,
      /** Entries of trusted hops right of the client's. */
      skipped: Math.max(0, hops - 1),
      /** Whether every entry is the address of a trusted hop, the client's included. */
      isTrusted,
    },
  };
}

export type ForwardedClient = NonNullable<ReturnType<typeof clientOf>>;

/** The entries of a list that are not empty (RFC 9110 §5.6.1), without quotes. */
export const entriesOf = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => unquote(entry.trim()))
    .filter((entry) => entry !== '');

/**
 * Returns the entry that the hop next to the client appended to a list without addresses, such as `X-Forwarded-Proto`; null if it has none. In
 * a list of another length the hops are not known, so that only the nearest one is certain; the leftmost may be the client's own. Null path:
 * no hops are known.
 */
export function entryOfClient(field: string, path: ForwardedClient['path'] | null): string | null {
  const entries = entriesOf(field);
  const last = entries.length - 1;
  const at = path?.entries === entries.length ? last - path.skipped : path?.isTrusted ? 0 : last;
  return entries[at] ?? null;
}

/** Splits a `Forwarded` field into its elements, from the right, so that a client's quote cannot affect a proxy's element. */
function elementsOf(field: string): string[] {
  const elements: string[] = [];
  let end = field.length;
  let isQuoted = false;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (field[at] === '"') {
      // Behind an odd number of backslashes, it is part of a quoted-string (RFC 9110 §5.6.4).
      let first = at;
      while (field[first - 1] === '\\') first -= 1;
      if (!isQuoted || (at - first) % 2 === 0) isQuoted = !isQuoted;
      at = first;
    } else if (field[at] === ',' && !isQuoted) {
      elements.push(field.slice(at + 1, end));
      end = at;
    }
  }
  elements.push(field.slice(0, end));
  return elements.reverse();
}

/** A pair, or none: RFC 7239 §4 permits empty ones. */
const pairs = /\s*(?:([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]+))?\s*(?:;|$)/gy;

/**
 * Returns the value of a parameter (lower case) of a forwarded-element; null if it has none, an empty one or several, or the element is
 * malformed.
 */
function parameterOf(element: string, parameter: string): string | null {
  const found = [...element.matchAll(pairs)];
  if (found.map(([pair]) => pair).join('') !== element) return null;
  const [value = '', ...more] = found
    .filter(([, name]) => name?.toLowerCase() === parameter)
    .map(([, , value = '']) => unquote(value));
  return value === '' || more.length > 0 ? null : value;
}
