/** Which addresses may be asked for their headers; all others are refused before any packet is sent. */
import { ServiceError } from '../../core/errors.ts';
import { mayBePublic } from '../public-address.ts';

const maxLength = 2048;
const ports = ['', '80', '443'];

/**
 * The URL to ask, without its fragment; relative to `base` where there is one. Throws `invalid_url`, `invalid_target`
 * for a host of the service's own, `blocked_address` for one that is not public by its name or literal address.
 */
export function targetOf(text: string, ownHosts: readonly string[], base?: URL): URL {
  const url = parse(text.trim(), base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse(`Give an http or https URL, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') refuse('Give the URL without user name and password.');
  if (ownHosts.includes(bare(url.hostname))) throw new ServiceError('invalid_target');
  if (!ports.includes(url.port)) refuse(`Only the ports 80 and 443 are asked, not ${url.port}.`);
  if (!mayBePublic(url.hostname)) throw new ServiceError('blocked_address');
  url.hash = '';
  return url;
}

/** A host name in the one form in which hosts are compared. */
export function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function parse(text: string, base: URL | undefined): URL {
  if (text.length > maxLength) refuse(`Give a URL of at most ${maxLength} characters.`);
  // The URL parser drops tabs and line ends (WHATWG URL, "basic URL parser"): what is asked would not be what was given.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) refuse('Give a URL without control characters.');
  const url = URL.parse(text, base);
  if (url !== null) return url;
  if (base === undefined && text !== '' && URL.canParse(`https://${text}`))
    refuse('Give the whole URL, with https:// in front.');
  return refuse(base === undefined ? 'Give a whole URL, such as https://example.com/.' : 'Its Location is no URL.');
}

function refuse(message: string): never {
  throw new ServiceError('invalid_url', message);
}
