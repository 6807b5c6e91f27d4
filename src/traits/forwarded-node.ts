/** One entry of a forwarding header: the address in it, in every form that proxies write. */
import { type Address, parseAddress, unmapped } from '../core/address.ts';

/** Why an entry has no address: it is `unknown`, an obfuscated identifier (RFC 7239 §6), or any other text. */
export type NodeProblem = 'unknown' | 'obfuscated' | 'no_address';

interface ForwardedNode {
  /** The address as sent, without port, brackets, zone and quotes. */
  readonly text: string;
  /** An IPv4-mapped one as IPv4. */
  readonly address: Address;
}

/** Headers whose values always end with a port, also after an IPv6 address without brackets. */
const headersWithPort: ReadonlySet<string> = new Set(['cloudfront-viewer-address']);

/** An address has at most 45 characters; with brackets, zone, port and quotes, an entry is hardly longer than this. */
const maxLength = 128;

/** A port, which may be obfuscated, too (RFC 7239 §6). */
const port = String.raw`:(?:(?<port>\d{1,5})|_[\w.-]+)`;
const bracketed = new RegExp(String.raw`^\[(?<host>[^\]]+)\](?:${port})?$`);
const withPort = new RegExp(`^(?<host>.+)${port}$`);
const identifier = new RegExp(String.raw`^(?:(?<unknown>unknown)|_[\w.-]+)(?:${port})?$`, 'i');

/**
 * Reads the address of an entry of a header (lower case). A port may follow an IPv6 address without brackets if the header always has one, or
 * if the whole text is no address: it has nine groups, a last group of five digits, or one after a dotted part.
 */
export function readNode(entry: string, header: string): ForwardedNode | NodeProblem {
  if (entry.length > maxLength) return 'no_address';
  const node = unquote(entry.trim());
  const name = identifier.exec(node);
  if (name !== null) return name.groups?.unknown === undefined ? 'obfuscated' : 'unknown';
  const inBrackets = hostIn(node, bracketed);
  if (inBrackets !== null) return readHost(inBrackets) ?? 'no_address';
  const beforePort = hostIn(node, withPort);
  const [first, second] = headersWithPort.has(header) ? [beforePort, node] : [node, beforePort];
  return readHost(first) ?? readHost(second) ?? 'no_address';
}

/** The host of a text in this form; null if it has another form, or its port is too large. */
function hostIn(text: string, form: RegExp): string | null {
  const { host, port = '0' } = form.exec(text)?.groups ?? {};
  return host === undefined || Number(port) > 65_535 ? null : host;
}

function readHost(host: string | null): ForwardedNode | null {
  // Only an IPv6 address has a zone (RFC 4007 §11).
  const text = host?.replace(/(?<=:[\da-f.:]*)%[\w.~-]+$/i, '') ?? '';
  const address = parseAddress(text);
  return address && { text, address: unmapped(address) };
}

/** The text of a quoted-string (RFC 9110 §5.6.4); any other text unchanged. */
export const unquote = (text: string): string =>
  /^"(?:[^"\\]|\\.)*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text;
