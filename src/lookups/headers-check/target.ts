/** Validates the URL of a header check: rejects disallowed targets before any packet is sent. */
import { formatAddress, unmapped, untranslated } from '../../core/address.ts';
import { ServiceError } from '../../core/errors.ts';
import { maxPort, targetPorts } from '../../core/limits.ts';
import { clip } from '../../core/text.ts';
import { literalOf, mayBePublic } from '../public-address.ts';

const maxUrlLength = 2048;

export interface TargetOptions {
  /** The service's own hosts, which it does not request. */
  readonly ownHosts: readonly string[];
  /** Allowed ports besides the default one of a URL; if absent, the ports of HTTP. */
  readonly ports?: readonly number[];
  /** The user of a terminal may permit other ports and addresses for their own sites; the service permits neither. */
  readonly anyPort?: boolean;
  readonly privateAddresses?: boolean;
}

/**
 * The URL to request, without its fragment; `base` is the URL that redirected to it. Throws `invalid_url`, `invalid_target` for one of the
 * service's own hosts, `blocked_address` for a local name or a literal address that is not public.
 */
export function targetOf(text: string, options: TargetOptions, base?: URL): URL {
  const { ownHosts, anyPort = false, ports = targetPorts, privateAddresses } = options;
  const usablePorts = anyPort ? `use 1 to ${maxPort}` : `use ${ports.slice(0, -1).join(', ')} or ${ports.at(-1)}`;
  const url = parse(text.trim(), { base, usablePorts });
  // A host with a port but without a scheme looks like a URL with an unknown scheme.
  if (/^[^/]*:\d+(?:\/|$)/.test(text.trim()) && base === undefined)
    reject('Send the complete URL, starting with https://.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    reject(`Send an http or https URL; ${clip(url.protocol)} is not supported.`);
  if (url.username !== '' || url.password !== '')
    reject(`Send the URL without user name and password: try ${url.protocol}//${clip(url.host)}/.`);
  // The URL parser permits more in a host, such as the commas of a list.
  if (/[^a-z\d._:[\]-]/.test(url.hostname)) reject(`${quote(url.hostname)} is not a valid host name; correct it.`);
  if (ownHosts.includes(normalizeHost(url.hostname))) throw new ServiceError('invalid_target');
  // The default port of the scheme is an empty string.
  if (url.port !== '' && !(anyPort ? Number(url.port) > 0 : ports.includes(Number(url.port))))
    reject(`Port ${url.port} is not allowed; ${usablePorts}.`);
  if (!privateAddresses && !mayBePublic(url.hostname)) throw new ServiceError('blocked_address');
  url.hash = '';
  return url;
}

/** Adds to `https:/host` and `https//host` what their scheme lacks: browsers do the same with the first. */
export const repairScheme = (typed: string): string => typed.replace(/^(https?)(?::\/?|\/\/)(?=[^/\d])/i, '$1://');

/** The URL that a person typed: without a scheme, it gets that of HTTPS. */
export function withScheme(typed: string): string {
  const url = repairScheme(typed.trim());
  return url === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`;
}

/** A host name in its canonical form for comparison; an address as the IPv4 address that it reaches, if it stands for one. */
export function normalizeHost(hostname: string): string {
  const address = literalOf(hostname);
  if (address !== null) return formatAddress(untranslated(unmapped(address)));
  return hostname.toLowerCase().replace(/\.$/, '');
}

interface ParseOptions {
  readonly base: URL | undefined;
  /** For a message. */
  readonly usablePorts: string;
}

function parse(text: string, options: ParseOptions): URL {
  if (text.length > maxUrlLength) reject(`The URL is too long; send at most ${maxUrlLength} characters.`);
  // The URL parser drops tabs and line ends (WHATWG URL, "basic URL parser"): it would request a URL other than the one passed.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is rejected
  if (/[\u0000-\u001f\u007f]/.test(text)) reject('Send a URL without control characters.');
  return URL.parse(text, options.base) ?? reject(problemOf(text, options));
}

/** The reason why the URL parser rejects a text. */
function problemOf(text: string, { base, usablePorts }: ParseOptions): string {
  const [, scheme, authority = ''] = /^([a-z][a-z\d+.-]*:)?[/\\]{2}([^/\\?#]*)/i.exec(text) ?? [];
  if (scheme === undefined && base === undefined)
    return text !== '' && URL.canParse(`https://${text}`)
      ? 'Send the complete URL, starting with https://.'
      : 'Send a complete URL, such as https://example.com/.';
  const [, host = '', port = ''] = /^(?:.*@)?(\[[^\]]*\]?|[^:]*)(?::(.*))?$/s.exec(authority) ?? [];
  if (port !== '' && !/^\d+$/.test(port)) return `The port ${quote(port)} is not a number; ${usablePorts}.`;
  if (Number(port) > 65_535) return `Port ${quote(port)} is not allowed; ${usablePorts}.`;
  if (host === '') return 'The URL has no host name; send a complete URL, such as https://example.com/.';
  if (/\s/.test(host)) return `The host name ${quote(host)} contains a space; remove it.`;
  if (host.startsWith('['))
    return host.includes('%')
      ? `The IPv6 address ${quote(host)} has a zone identifier, which works only inside one network; use a public address.`
      : `${quote(host)} is not a valid IPv6 address; correct it.`;
  if (/^[\d.]+$/.test(host)) return `${quote(host)} is not a valid IPv4 address; correct it.`;
  return `${quote(host)} is not a valid host name; correct it.`;
}

const quote = (text: string): string => `"${clip(text)}"`;

function reject(message: string): never {
  throw new ServiceError('invalid_url', message);
}
