/** What a question is about: a domain name, a block of IP addresses or an AS number. */
import { getDomain } from 'tldts';
import { formatAddress, type Prefix, parsePrefix, unmapped, widthOf } from '../../core/address.ts';
import { errors, ServiceError } from '../../core/errors.ts';
import type { RegistryName } from '../../core/platform.ts';
import { toAscii } from './domain-name.ts';

export type Question =
  /** The registered name, or a public suffix, in A-labels. */
  | { readonly kind: 'domain'; readonly name: string }
  | { readonly kind: 'ip'; readonly prefix: Prefix }
  | { readonly kind: 'autnum'; readonly number: number };

const maxQueryLength = 300;

/** Reads a query, leniently in its notation; throws `invalid_query` with a sentence that says what to ask instead. */
export function classify(q: string): Question {
  const text = q.trim();
  if (text === '') throw invalid('Give a domain name, an IP address or CIDR block, or an AS number; this is empty.');
  if (text.length > maxQueryLength) throw invalid(`No question is longer than ${maxQueryLength} characters.`);
  return autnum(text) ?? ip(text) ?? domain(text);
}

/** The bootstrap file that knows who can answer. */
export function registryOf(question: Question): RegistryName {
  if (question.kind === 'domain') return 'dns';
  if (question.kind === 'autnum') return 'asn';
  return question.prefix.first.version === 4 ? 'ipv4' : 'ipv6';
}

/** The path below a server's base URL: RFC 9082 §3.1. */
export function pathOf(question: Question): string {
  if (question.kind === 'domain') return `domain/${question.name}`;
  if (question.kind === 'autnum') return `autnum/${question.number}`;
  const { first, length } = question.prefix;
  return `ip/${formatAddress(first)}${length === widthOf(first) ? '' : `/${length}`}`;
}

const invalid = (message: string = errors.invalid_query.message) => new ServiceError('invalid_query', message);

/** `AS15169`, `15169`, or asdot `AS1.10` (RFC 5396). */
function autnum(text: string): Question | null {
  const [, high, low] = /^(?:asn?\s*(?:(\d{1,5})\.)?)?(\d+)$/i.exec(text) ?? [];
  if (low === undefined) return null;
  const number = Number(high ?? 0) * 65_536 + Number(low);
  if (number > 4_294_967_295 || (high !== undefined && Number(low) > 65_535))
    throw invalid('An AS number is at most 4294967295, or 65535.65535 in two parts.');
  return { kind: 'autnum', number };
}

function ip(text: string): Question | null {
  const prefix = parsePrefix(text.replace(/^\[([^[\]]*)\](?=$|\/)/, '$1'));
  if (prefix !== null) return { kind: 'ip', prefix: unmappedPrefix(prefix) };
  const [address = '', length] = text.split('/');
  if (length !== undefined && parsePrefix(address) !== null)
    throw invalid(`After the slash of a CIDR block stands its length: 0 to ${address.includes(':') ? 128 : 32}.`);
  if (/^\d[\d.]*(?:\/|$)/.test(text))
    throw invalid('An IPv4 address has four decimal numbers from 0 to 255, without leading zeros.');
  return null;
}

/** A block of IPv4-mapped addresses is the block of what they stand for. */
function unmappedPrefix({ first, length }: Prefix): Prefix {
  const inner = unmapped(first);
  return inner !== first ? { first: inner, length: length - 96 } : { first, length };
}

function domain(text: string): Question {
  const name = toAscii(text);
  if (name === null) throw invalid(suggestion(text));
  if (!name.includes('.'))
    throw invalid('A domain name has at least two labels, such as example.com; top-level domains are not looked up.');
  // Private suffixes such as github.io are registrations like others; a public suffix itself is asked as it stands.
  const registered = getDomain(name, { allowPrivateDomains: false, extractHostname: false }) ?? name;
  if (registered.includes('_')) throw invalid('A registered domain name has no underscore.');
  return { kind: 'domain', name: registered };
}

/** Names the host inside a pasted URL, e-mail address, `host:port` or scoped address, if it can be asked for. */
function suggestion(text: string): string | undefined {
  const host = text
    .replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/|^mailto:/i, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/^(\[.*\]|[^:]*):\d*$/s, '$1')
    .replace(/%[^%]*$/, '')
    .replace(/^\*\./, '');
  if (host === text || host === '') return undefined;
  try {
    classify(host);
  } catch {
    return undefined;
  }
  return `Ask for a name or an address alone: try ${host.trim()} instead.`;
}
