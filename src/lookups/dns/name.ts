/** What a caller may ask for: a domain name as DNS carries it, and one of the record types. */
import { parsePrefix } from '../../core/address.ts';
import { ServiceError } from '../../core/errors.ts';
import { literalOf } from '../public-address.ts';
import { type DnsType, dnsTypes } from './record.ts';

/** RFC 1035 §2.3.4: 255 octets on the wire are 253 characters of text. */
const maxName = 253;
const maxLabel = 63;
/** Longer input is not worth converting. */
const maxInput = 1000;

/** A URL or an e-mail address, as far as a host can be found in it. */
const around = /^(?:[a-z][a-z\d+.-]*:\/\/|(?![^/]*:\/\/))(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(?::\d*)?(?:[/?#].*)?$/i;

/**
 * The name in lower case and ASCII (`_dmarc.xn--bcher-kva.example`), without the trailing dot, the root as `.`. Underscores and
 * `*` are allowed, escapes are not. Throws `invalid_query` with a message that says what to change.
 */
export function dnsName(text: string): string {
  const input = text.trim();
  if (input === '') throw refusal('name is empty: give a domain name such as example.com.');
  if (input.length > maxInput) throw refusal(`name is longer than the ${maxName} characters that a name may have.`);
  if (/[\s\p{Cc}]/u.test(input)) throw refusal('name must be one domain name, without spaces.');
  const host = hostIn(input);
  if (parsePrefix(input) !== null || (host !== null && literalOf(host) !== null))
    throw refusal('name must be a domain name: reverse lookups (PTR) of IP addresses are not offered.');
  if (input === '.') return input;
  if (host === input) return checked(ascii(input).replace(/\.$/, ''));
  throw refusal(`name must be a domain name alone, without scheme, user, port or path${suggestion(host)}.`);
}

/** The type in any case. Throws `invalid_query`. */
export function dnsType(text: string): DnsType {
  const type = dnsTypes.find((known) => known === text.trim().toUpperCase());
  if (type === undefined) throw refusal(`type must be one of ${dnsTypes.join(', ')}.`);
  return type;
}

const refusal = (message: string): ServiceError => new ServiceError('invalid_query', message);

const hostIn = (input: string): string | null => around.exec(input)?.[1] ?? null;

function suggestion(host: string | null): string {
  try {
    return host === null || host === '' ? '' : `: try ${checked(ascii(host).replace(/\.$/, ''))}`;
  } catch {
    return '';
  }
}

/** Lower case; other scripts by UTS #46, which the URL parser applies. Only text without a delimiter of URLs may come here. */
function ascii(host: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(host)) return host.toLowerCase();
  const url = /[\\%<>^|[\]]/.test(host) ? null : URL.parse(`http://${host}`);
  if (url === null) throw refusal('name is not a valid internationalized domain name.');
  // Digits of other scripts can make an address of it.
  if (literalOf(url.hostname) !== null) throw refusal('name must be a domain name, not an IP address.');
  return url.hostname;
}

function checked(name: string): string {
  const labels = name.split('.');
  const long = labels.find((label) => label.length > maxLabel);
  if (labels.includes('')) throw refusal('name has an empty label: remove the dot at its start or the double one.');
  const foreign = /[^a-z\d_*.-]/.exec(name)?.[0];
  if (foreign !== undefined)
    throw refusal(`name must not contain ${foreign}: only letters, digits, hyphens, underscores and dots.`);
  if (long !== undefined)
    throw refusal(`name has a label of ${long.length} characters; at most ${maxLabel} may stand between two dots.`);
  if (name.length > maxName) throw refusal(`name has ${name.length} characters; at most ${maxName} are possible.`);
  return name;
}
