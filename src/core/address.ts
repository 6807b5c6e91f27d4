/** IP addresses and prefixes as numbers: parsing, comparison, containment and canonical text; which addresses are public. */
import * as blocks from './data/address-blocks.ts';

export interface Address {
  readonly version: 4 | 6;
  /** 32 or 128 bits. */
  readonly bits: bigint;
}

/** A block of addresses; the bits beyond `length` are zero. */
export interface Prefix {
  readonly first: Address;
  readonly length: number;
}

export const widthOf = ({ version }: Pick<Address, 'version'>): 32 | 128 => (version === 4 ? 32 : 128);

/** Reads dotted decimal without leading zeros, or the text form of RFC 4291 §2.2 without a zone; null for any other text. */
export function parseAddress(text: string): Address | null {
  if (text.length > 45) return null;
  const bits = text.includes(':') ? ipv6(text) : ipv4(text);
  return bits === null ? null : { version: text.includes(':') ? 6 : 4, bits };
}

/** An IPv6 address may stand in brackets, as in URLs (RFC 3986 §3.2.2), also before a prefix length. */
export const withoutBrackets = (text: string): string => text.replace(/^\[([^[\]:]*:[^[\]]*)\](?=$|\/)/, '$1');

/** Reads `address/length`, or a single address as a block of one; host bits are cleared. */
export function parsePrefix(text: string): Prefix | null {
  const [before = '', after, ...more] = text.split('/');
  const address = parseAddress(before);
  if (address === null || more.length > 0 || (after !== undefined && !/^\d{1,3}$/.test(after))) return null;
  const width = widthOf(address);
  const length = after === undefined ? width : Number(after);
  if (length > width) return null;
  const hostBits = BigInt(width - length);
  return { first: { ...address, bits: (address.bits >> hostBits) << hostBits }, length };
}

/** Reads a prefix of a table; throws a TypeError if it is malformed. */
export function prefixOf(text: string): Prefix {
  const prefix = parsePrefix(text);
  if (prefix === null) throw new TypeError(`${text} is not a prefix`);
  return prefix;
}

export function contains({ first, length }: Prefix, address: Address): boolean {
  const hostBits = BigInt(widthOf(first) - length);
  return address.version === first.version && address.bits >> hostBits === first.bits >> hostBits;
}

/** Converts IPv4-mapped IPv6 (RFC 4291 §2.5.5.2) into the IPv4 address it stands for; returns any other address unchanged. */
export function unmapped(address: Address): Address {
  const isMapped = address.version === 6 && address.bits >> 32n === 0xffffn;
  return isMapped ? { version: 4, bits: address.bits & 0xffff_ffffn } : address;
}

/** The prefix of IPv4 addresses behind a NAT64 gateway (RFC 6052 §2.1); DNS64 returns them for names that have only IPv4 addresses. */
const translation = prefixOf('64:ff9b::/96');

/** Converts an address of NAT64's well-known prefix into the IPv4 address that a connection to it reaches; returns any other unchanged. */
export function untranslated(address: Address): Address {
  return contains(translation, address) ? { version: 4, bits: address.bits & 0xffff_ffffn } : address;
}

/** Converts a block of IPv4-mapped addresses into the IPv4 block it stands for; returns any other block unchanged. */
export function unmappedPrefix(prefix: Prefix): Prefix {
  const first = unmapped(prefix.first);
  return first === prefix.first ? prefix : { first, length: prefix.length - 96 };
}

/** The last address of a block. */
export function lastOf({ first, length }: Prefix): Address {
  return { ...first, bits: first.bits | ((1n << BigInt(widthOf(first) - length)) - 1n) };
}

/** Writes dotted decimal, or the form of RFC 5952: lower case, the longest run of zero groups as `::`. */
export function formatAddress({ version, bits }: Address): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => ((bits >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  const text = groups.join(':');
  const runs = [...text.matchAll(/(?<![\da-f])0(?::0(?![\da-f]))+/g)];
  const longest = runs.reduce((best, [run]) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const at = runs.find(([run]) => run === longest)?.index ?? 0;
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}

/** Returns the text of an IP address in the form of `formatAddress`, any other text unchanged. */
export function normalizeAddress(text: string): string {
  const address = parseAddress(text);
  return address === null ? text : formatAddress(address);
}

/** Formats an address of 4 or 16 octets in the same way. */
export function formatOctets(octets: Uint8Array): string {
  const bits = octets.reduce((high, octet) => (high << 8n) | BigInt(octet), 0n);
  return formatAddress({ version: octets.length === 4 ? 4 : 6, bits });
}

/** Returns the 4 or 16 octets of an address, as `formatOctets` reads them. */
export function octetsOf(address: Address): Uint8Array {
  const count = widthOf(address) / 8;
  return Uint8Array.from({ length: count }, (_, at) => Number((address.bits >> BigInt(8 * (count - 1 - at))) & 0xffn));
}

function ipv4(text: string): bigint | null {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256))
    return null;
  return octets.reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n);
}

function ipv6(text: string): bigint | null {
  // The last two groups may be a dotted quad.
  const quad = /^(.*:)([\d.]+\.[\d.]+)$/.exec(text);
  if (quad !== null) {
    const low = ipv4(quad[2] ?? '');
    return low === null ? null : ipv6(`${quad[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`);
  }
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const zeros = 8 - head.length - tail.length;
  if (halves.length === 2 ? zeros < 1 : zeros !== 0) return null;
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

const loopback = blocks.loopback.map(prefixOf);
const privateUse = blocks.privateUse.map(prefixOf);
const local = [...loopback, ...privateUse, ...blocks.local.map(prefixOf)];
const reserved = blocks.reserved.map(prefixOf);

/** The block from which IANA assigns global unicast addresses (RFC 4291 §2.4); IPv6 addresses outside it are not public. */
const globalIpv6 = prefixOf('2000::/3');

export const isWithin = (prefixes: readonly Prefix[], address: Address): boolean =>
  prefixes.some((prefix) => contains(prefix, address));

/** Whether the address is valid only inside one network or machine. */
export const isLocalAddress = (address: Address): boolean => isWithin(local, address);

/** Whether the address is globally reachable on the public internet. */
export function isPublicAddress(address: Address): boolean {
  if (address.version === 6 && !contains(globalIpv6, address)) return false;
  return !isLocalAddress(address) && !isWithin(reserved, address);
}

/** What a visitor on the operator's machine or network gets to know about an address; null for a public one, and for other text. */
export function noteReserved(text: string): string | null {
  const address = parseAddress(text);
  if (address === null || isPublicAddress(address)) return null;
  return 'A private or reserved address: websites on the internet see a different one.';
}

/** Whether no address of the block belongs to the public internet: it lies within one private or reserved block. */
export function isReservedBlock({ first, length }: Prefix): boolean {
  if (first.version === 6 && length >= globalIpv6.length && !contains(globalIpv6, first)) return true;
  return [...local, ...reserved].some((prefix) => prefix.length <= length && contains(prefix, first));
}

/** Networks that settings can name. */
export const networks: Readonly<Record<string, readonly Prefix[]>> = {
  loopback,
  private: privateUse,
  cloudflare: blocks.cloudflare.map(prefixOf),
};
