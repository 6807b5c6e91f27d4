/** Parses an RDAP query: a domain name, a block of IP addresses or an AS number; finds reserved ones, which no registry has on record. */
import { getDomain } from 'tldts';
import {
  formatAddress,
  isReservedBlock,
  type Prefix,
  parsePrefix,
  unmappedPrefix,
  widthOf,
  withoutBrackets,
} from '../../core/address.ts';
import { errors, ServiceError } from '../../core/errors.ts';
import type { BootstrapName } from '../../core/platform.ts';
import { clip, maxEchoLength } from '../../core/text.ts';

export type RdapQuery =
  /** The registered name, or a public suffix, and the name as sent, both in A-labels. */
  | { readonly kind: 'domain'; readonly name: string; readonly fullName: string }
  | { readonly kind: 'ip'; readonly prefix: Prefix }
  | { readonly kind: 'autnum'; readonly number: number };

/** A name has at most 253 characters; the rest is for characters that the mapping to ASCII drops. */
const maxQueryLength = 300;

/** Accepts several notations; throws `invalid_query` with a message that states what to send instead. */
export function parseQuery(q: string): RdapQuery {
  const text = q.trim();
  if (text === '')
    throw createError('The query is empty; send a domain name, an IP address, a CIDR block or an AS number.');
  if (text.length > maxQueryLength)
    throw createError(`The query is too long; send at most ${maxQueryLength} characters.`);
  return parseAutnum(text) ?? parseIp(text) ?? parseDomain(text);
}

/** The name, block or number of a query in its canonical form. */
export function describeQuery(query: RdapQuery): string {
  if (query.kind === 'domain') return query.fullName;
  return query.kind === 'autnum' ? `AS${query.number}` : pathOf(query).replace(/^ip\//, '');
}

/** The bootstrap file that lists the servers for this query. */
export function bootstrapNameOf(query: RdapQuery): BootstrapName {
  if (query.kind === 'domain') return 'dns';
  if (query.kind === 'autnum') return 'asn';
  return query.prefix.first.version === 4 ? 'ipv4' : 'ipv6';
}

/** The path below a server's base URL: RFC 9082 §3.1. */
export function pathOf(query: RdapQuery): string {
  if (query.kind === 'domain') return `domain/${query.name}`;
  if (query.kind === 'autnum') return `autnum/${query.number}`;
  const { first, length } = query.prefix;
  return `ip/${formatAddress(first)}${length === widthOf(first) ? '' : `/${length}`}`;
}

/** The block of a name in a reverse zone (RFC 1035 §3.5, RFC 3596 §2.5), a single address without its length; null for any other name. */
export function reverseBlockOf(name: string): string | null {
  const [, labels = '', zone] = /^(.+)\.(in-addr|ip6)\.arpa$/.exec(name) ?? [];
  // A label such as `0/25` divides a zone (RFC 2317 §4), and is no part of an address.
  const parts = labels
    .split('.')
    .filter((part) => !part.includes('/'))
    .reverse();
  const width = zone === 'ip6' ? 32 : 4;
  const isPart = zone === 'ip6' ? /^[\da-f]$/ : /^\d{1,3}$/;
  if (zone === undefined || parts.length > width || !parts.every((part) => isPart.test(part))) return null;
  const all = [...parts, ...Array<string>(width - parts.length).fill('0')];
  const address = zone === 'ip6' ? all.join('').replace(/.{4}(?=.)/g, '$&:') : all.join('.');
  const bits = parts.length * (zone === 'ip6' ? 4 : 8);
  const prefix = parsePrefix(`${address}/${bits}`);
  return prefix && pathOf({ kind: 'ip', prefix }).replace(/^ip\//, '');
}

/** Where to find the registration of a name in a reverse zone. */
export const describeReverseName = (name: string, block: string): string =>
  `${clip(name)} is a name for reverse DNS; its registration is that of the address block: try ${block}.`;

const createError = (message: string = errors.invalid_query.message) => new ServiceError('invalid_query', message);

/** `AS15169`, `15169`, or asdot `AS1.10` (RFC 5396). */
function parseAutnum(text: string): RdapQuery | null {
  const [, start] = /^(asn?\s*\d+)\s*[-–]\s*(?:asn?\s*)?\d+$/i.exec(text) ?? [];
  if (start !== undefined)
    throw createError(
      `Send one AS number instead of a range, such as ${start.toUpperCase()}; its record states its range.`,
    );
  const [, high, low] = /^(?:asn?\s*(?:(\d{1,5})\.)?)?(\d+)$/i.exec(text) ?? [];
  if (low === undefined) return null;
  const number = Number(high ?? 0) * 65_536 + Number(low);
  if (number > 4_294_967_295 || (high !== undefined && Number(low) > 65_535))
    throw createError('Send an AS number of at most 4294967295, or 65535.65535 in dotted notation.');
  return { kind: 'autnum', number };
}

function parseIp(text: string): RdapQuery | null {
  const prefix = parsePrefix(withoutBrackets(text));
  if (prefix !== null) return { kind: 'ip', prefix: unmappedPrefix(prefix) };
  const [address = '', length] = text.split('/');
  if (length !== undefined && parsePrefix(address) !== null)
    throw createError(`Send a prefix length from 0 to ${address.includes(':') ? 128 : 32} for this CIDR block.`);
  const [start = '', end] = text.split(/\s*[-–]\s*/);
  if (end !== undefined && parsePrefix(start) !== null && parsePrefix(end) !== null)
    throw createError(
      `Send one address or a CIDR block instead of a range: try ${start}; its record states its range.`,
    );
  if (/^\d[\d.]*(?:\/|$)/.test(text) && !text.endsWith('.arpa'))
    throw createError('Send an IPv4 address of four decimal numbers from 0 to 255, without leading zeros.');
  return null;
}

function parseDomain(text: string): RdapQuery {
  const name = toAscii(text);
  const block = name === null ? reverseBlockOf(text) : null;
  if (block !== null) throw createError(describeReverseName(text, block));
  if (name === null) throw createError(suggestion(text) ?? problemOf(text));

  // Private suffixes such as github.io are ordinary registrations; a public suffix itself is queried unchanged.
  const registered = getDomain(name, { allowPrivateDomains: false, extractHostname: false }) ?? name;
  if (registered.includes('_'))
    throw createError('A registered domain name contains no underscore; send only the registered name.');
  return { kind: 'domain', name: registered, fullName: name };
}

/** Suggests the host inside a pasted URL, e-mail address, `host:port` or scoped address, if it is a valid query. */
function suggestion(text: string): string | undefined {
  const host = text
    .replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/|^mailto:/i, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/^(\[.*\]|[^:]*):\d*$/s, '$1')
    .replace(/%[^%]*$/, '')
    .replace(/^\*\./, '');
  // A single label is a valid query, but rarely the intended one.
  if (host === text || !/[.:]/.test(host) || host.length > maxEchoLength) return undefined;
  try {
    parseQuery(host);
  } catch {
    return undefined;
  }
  const [, what = 'has more than that'] = unwanted.find(([pattern]) => pattern.test(text)) ?? [];
  return `This ${what}; send only a name or an address: try ${host.trim()}.`;
}

/** Parts of a pasted text besides a valid query; the first match counts. */
const unwanted: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^(?:[a-z][a-z\d+.-]*:)?\/\//i, 'is a URL'],
  [/@/, 'is an email address'],
  [/^\*\./, 'is a wildcard'],
  [/[/?#\\]/, 'has a path'],
  [/:\d*$/, 'has a port'],
  [/%/, 'has a zone identifier'],
];

/** What is wrong with a text that resembles a name or an address; undefined if it resembles neither. */
function problemOf(text: string): string | undefined {
  if (/\s/.test(text)) return 'Send one name or address, without spaces.';
  if (/^\[?[\da-f.]*:[\da-f.]*:[\da-f.:]*\]?(?:\/\d*)?$/i.test(text))
    return 'Send an IPv6 address of eight groups of hexadecimal digits; :: may replace groups of zeros once.';
  const [foreign] = /[!-,/:-@[-^`{-~]/.exec(text) ?? [];
  if (foreign !== undefined) return `A domain name contains no "${foreign}"; send only a name or an address.`;
  return /[^.]\.\.|^\.+[^.]/.test(text)
    ? 'A domain name has no empty label; remove the leading or double dot.'
    : undefined;
}

/** RFC 5890 §2.3.1; an underscore is accepted, because it marks names below a registration (RFC 8552). */
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/** Space and ASCII that no host name contains: a URL parser would treat it as another part of the URL, or drop it. */
const notOfHost = /[\0-,/:-@[-^`{-\x9f\s]/;

/**
 * The A-label form of a name (UTS #46), without the trailing dot; null if it is not a domain name of at least one label.
 * The URL parser is the only IDNA implementation in every runtime, but it parses `1.2.3` and `0x7f.1` as addresses.
 */
export function toAscii(name: string): string | null {
  if (name === '' || name.length > maxQueryLength || notOfHost.test(name) || !URL.canParse(`http://${name}`))
    return null;
  const host = new URL(`http://${name}`).hostname.replace(/\.$/, '');
  const labels = host.split('.');
  if (host.length > 253 || !labels.every((text) => label.test(text))) return null;
  return endsInNumber(host) ? null : host;
}

/** No top-level domain is numeric (RFC 3696 §2): URL parsers read such a name as an IPv4 address, for example `1.2.3` as 1.2.0.3. */
export const endsInNumber = (host: string): boolean => /(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(host);

/**
 * Closed ranges: IANA's Special-Purpose AS Numbers without AS112, which is registered, and the reserved range 65552 to 131071.
 * https://www.iana.org/assignments/iana-as-numbers-special-registry Last updated: 2026-11-21
 */
const reservedAutnums: readonly (readonly [first: number, last: number])[] = [
  [0, 0],
  [23_456, 23_456],
  [64_496, 131_071],
  [4_200_000_000, 4_294_967_295],
];

/**
 * IANA's Special-Use Domain Names that cannot be registered, and ICANN's .internal; example.com and others of that list
 * are registered.
 * https://www.iana.org/assignments/special-use-domain-names Last updated: 2026-11-21
 */
const reservedName =
  /(?:^|\.)(?:alt|example|internal|invalid|local|localhost|onion|test|(?:eap|home|ipv4only|resolver|service)\.arpa)$/;

/** The reason why nothing can be registered for this query; null if it is not reserved. */
export function reservationOf(query: RdapQuery): string | null {
  switch (query.kind) {
    case 'ip':
      return isReservedBlock(query.prefix) ? 'This address block is private or reserved' : null;
    case 'autnum':
      return reservedAutnums.some(([first, last]) => first <= query.number && query.number <= last)
        ? `AS${query.number} is private or reserved`
        : null;
    case 'domain':
      return reservedName.test(query.name) ? `The name ${clip(query.name)} is reserved` : null;
  }
}
