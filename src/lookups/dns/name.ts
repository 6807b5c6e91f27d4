/** Parses the input of a DNS lookup: a domain name and a record type. */
import { type Address, formatAddress, unmapped } from '../../core/address.ts';
import { registrationTool, ServiceError } from '../../core/errors.ts';
import { maxEchoLength } from '../../core/text.ts';
import { literalOf } from '../public-address.ts';
import { type DnsType, dnsTypes } from './schema.ts';

/** RFC 1035 §2.3.4: 255 octets on the wire are 253 characters of text. */
const maxNameLength = 253;
const maxLabelLength = 63;
/** Maximum length before conversion to ASCII; no valid name is longer. */
const maxInputLength = 1000;

/** A host name, alone or in a URL or e-mail address; the first group is the host. */
const hostPattern =
  /^(?:[a-z][a-z\d+.-]*:\/\/|(?![^/]*:\/\/))(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(?::\d*)?(?:[/?#].*)?$/i;

/** Whether the name is of a reverse zone, where a label may be a block such as `0/25` (RFC 2317 §4), so that a slash begins no path. */
export const isReverseName = (text: string): boolean => /^[^\s:?#@]+\.(?:in-addr|ip6)\.arpa\.?$/i.test(text);

/**
 * Returns the name in lower case and ASCII (`_dmarc.xn--bcher-kva.example`), without the trailing dot, the root as `.`.
 * Underscores and `*` are allowed, in reverse zones also `/`, escapes are not. Throws `invalid_query` with a message that states what to change.
 */
export function parseDnsName(text: string): string {
  const input = text.trim();
  if (input === '') throw createError('name is empty; use a domain name such as example.com.');
  if (input.length > maxInputLength) throw createError(`name is too long; use at most ${maxNameLength} characters.`);
  if (/[\s\p{Cc}]/u.test(input)) throw createError('name must be one domain name, without spaces.');
  const host = hostPattern.exec(input)?.[1] ?? null;
  if (isReverseName(input)) return validateLabels(convertToAscii(input).replace(/\.$/, ''));
  if (literalOf(input.replace(/\/\d+$/, '')) !== null && input.includes('/'))
    throw createError(`name is a CIDR block, which has no DNS records: use ${registrationTool} for its registration.`);
  if (literalOf(host ?? input) !== null)
    throw createError(
      `name is an IP address: use type PTR for its host name, or use ${registrationTool} for its registration.`,
    );
  if (input === '.') return input;
  if (host === input) return validateLabels(convertToAscii(input).replace(/\.$/, ''));
  // A single label is rarely the intended name, such as `http` of `http:/host`.
  const inside = host?.includes('.') && host.length <= maxEchoLength ? dnsNameOf(host) : null;
  const suggestion = inside === null ? '' : `: try ${inside}`;
  throw createError(`name must be only a domain name, without scheme, user, port or path${suggestion}.`);
}

/** The name to query: the reverse zone's name of an address if the type is PTR. Throws `invalid_query`. */
export function parseQueryName(text: string, type: DnsType): string {
  const input = text.trim();
  const address = type === 'PTR' ? literalOf(input) : null;
  return address === null ? parseDnsName(input) : reverseZoneName(unmapped(address));
}

/** Returns the name of an address in its reverse zone: octets or nibbles in reverse order (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseZoneName(address: Address): string {
  if (address.version === 4) return `${formatAddress(address).split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = [...address.bits.toString(16).padStart(32, '0')];
  return `${nibbles.reverse().join('.')}.ip6.arpa`;
}

/** Like `parseDnsName` for a name from elsewhere; null if it is not valid. */
export function dnsNameOf(text: string): string | null {
  try {
    return parseDnsName(text);
  } catch {
    return null;
  }
}

/** Accepts upper and lower case. Throws `invalid_query`. */
export function parseDnsType(text: string): DnsType {
  const type = dnsTypes.find((known) => known === text.trim().toUpperCase());
  if (type === undefined) throw createError(`type must be one of ${dnsTypes.join(', ')}.`);
  return type;
}

const createError = (message: string): ServiceError => new ServiceError('invalid_query', message);

/** Lower case; other scripts by UTS #46, which the URL parser applies. `host` must contain no delimiter of URLs. */
function convertToAscii(host: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(host)) return host.toLowerCase();
  const url = /[\\/%<>^|[\]]/.test(host) ? null : URL.parse(`http://${host}`);
  if (url === null)
    throw createError('name is not a valid internationalized domain name; use its ASCII form (xn--) or correct it.');
  // Digits of other scripts can make it an address.
  if (literalOf(url.hostname) !== null) throw createError('name must be a domain name, not an IP address.');
  return url.hostname;
}

function validateLabels(name: string): string {
  const labels = name.split('.');
  const long = labels.find((label) => label.length > maxLabelLength);
  if (labels.includes('')) throw createError('name has an empty label; remove the leading or double dot.');
  const foreign = (isReverseName(name) ? /[^a-z\d_*./-]/ : /[^a-z\d_*.-]/).exec(name)?.[0];
  if (foreign !== undefined)
    throw createError(`name must not contain "${foreign}"; use only letters, digits, hyphens, underscores and dots.`);
  if (long !== undefined)
    throw createError(`name has a label of ${long.length} characters; use at most ${maxLabelLength} between two dots.`);
  if (name.length > maxNameLength)
    throw createError(`name has ${name.length} characters; use at most ${maxNameLength}.`);
  return name;
}
