/** Parses an RDAP query: a domain name, a block of IP addresses or an AS number. */
import { getDomain } from 'tldts';
import { formatAddress, type Prefix, parsePrefix, unmappedPrefix, widthOf } from '../../core/address.ts';
import { errors, ServiceError } from '../../core/errors.ts';
import type { BootstrapName } from '../../core/platform.ts';
import { maxEchoLength } from '../../core/text.ts';
import { toAscii } from './domain-name.ts';

export type RdapQuery =
  /** The registered name, or a public suffix, and the name as sent, both in A-labels. */
  | { readonly kind: 'domain'; readonly name: string; readonly fullName: string }
  | { readonly kind: 'ip'; readonly prefix: Prefix }
  | { readonly kind: 'autnum'; readonly number: number };

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

const createError = (message: string = errors.invalid_query.message) => new ServiceError('invalid_query', message);

/** `AS15169`, `15169`, or asdot `AS1.10` (RFC 5396). */
function parseAutnum(text: string): RdapQuery | null {
  const [, high, low] = /^(?:asn?\s*(?:(\d{1,5})\.)?)?(\d+)$/i.exec(text) ?? [];
  if (low === undefined) return null;
  const number = Number(high ?? 0) * 65_536 + Number(low);
  if (number > 4_294_967_295 || (high !== undefined && Number(low) > 65_535))
    throw createError('Send an AS number of at most 4294967295, or 65535.65535 in dotted notation.');
  return { kind: 'autnum', number };
}

function parseIp(text: string): RdapQuery | null {
  const prefix = parsePrefix(text.replace(/^\[([^[\]]*)\](?=$|\/)/, '$1'));
  if (prefix !== null) return { kind: 'ip', prefix: unmappedPrefix(prefix) };
  const [address = '', length] = text.split('/');
  if (length !== undefined && parsePrefix(address) !== null)
    throw createError(`Send a prefix length from 0 to ${address.includes(':') ? 128 : 32} for this CIDR block.`);
  if (/^\d[\d.]*(?:\/|$)/.test(text))
    throw createError('Send an IPv4 address of four decimal numbers from 0 to 255, without leading zeros.');
  return null;
}

function parseDomain(text: string): RdapQuery {
  const name = toAscii(text);
  if (name === null) throw createError(suggestion(text));

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
  return `Send only a name or an address: try ${host.trim()}.`;
}
