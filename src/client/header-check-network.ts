/** Checks of the headers that proxies add, that state a wish of the user, or that sign a request. */
import { comparable, isPrivate, type NamedAddress, namedAddresses } from './header-addresses.ts';
import type { HeaderClaims } from './header-claims.ts';
import type { Outcome } from './header-outcomes.ts';

export function otherAddress(observed: HeaderClaims): Outcome {
  const peer = peerOf(observed);
  if (peer === null) return 'noAddress';
  return hasOwnProxy(observed) ? 'ownProxy' : finding(addresses(observed, peer, false));
}

export function unverifiedAddress(observed: HeaderClaims): Outcome {
  if (peerOf(observed) !== null) return null;
  return hasOwnProxy(observed) ? 'ownProxy' : finding(addresses(observed, null, false));
}

export function privateAddress(observed: HeaderClaims): Outcome {
  return finding(addresses(observed, peerOf(observed), true));
}

const peerOf = ({ ip }: HeaderClaims) => (ip === null ? null : comparable(ip));

const addresses = ({ headers }: HeaderClaims, peer: string | null, arePrivate: boolean) =>
  namedAddresses(headers, peer).filter(({ address }) => isPrivate(address) === arePrivate);

function finding(named: readonly NamedAddress[]): Outcome {
  const [first] = named;
  if (first === undefined) return null;
  return { headers: [...new Set(named.map(({ header }) => header))], values: { address: first.text } };
}

/** Opera Mini, and Chrome's former data saver: https://dev.opera.com/articles/opera-mini-request-headers/ */
function hasOwnProxy({ headers }: HeaderClaims): boolean {
  return (
    Object.keys(headers).some((name) => name.startsWith('x-operamini-')) ||
    /chrome-compression-proxy/i.test(headers.via ?? '')
  );
}

const proxyHeaders = ['proxy-connection', 'x-proxy-id', 'x-bluecoat-via', 'x-imforwards'] as const;

/** What the server's own side puts in Via. Last updated: 2026-11-21 */
const edges = /\b(?:google|cloudfront|akamai|varnish|fastly|fly\.io|vegur|heroku-router|caddy)\b/i;

export function proxy(observed: HeaderClaims): Outcome {
  if (hasOwnProxy(observed)) return 'ownProxy';
  const { headers } = observed;
  const hops = (headers.via ?? '').slice(0, 4096).split(',');
  const isVia = hops.some((hop) => hop.trim() !== '' && !edges.test(hop));
  const found = [...proxyHeaders.filter((name) => headers[name] !== undefined), ...(isVia ? ['via'] : [])];
  return found.length > 0 ? { headers: found, values: { names: found.join(', ') } } : null;
}

export function doNotTrack({ headers }: HeaderClaims): Outcome {
  return headers.dnt === '1' ? { headers: ['dnt'] } : null;
}

export function globalPrivacyControl({ headers }: HeaderClaims): Outcome {
  return headers['sec-gpc'] === '1' ? { headers: ['sec-gpc'] } : null;
}

/** Firefox 135 removed the setting, Safari 12.1 did. https://support.mozilla.org/en-US/kb/how-do-i-turn-do-not-track-feature */
const doNotTrackUntil = { gecko: 134, webkit: 12 } as const;

export function doNotTrackUnexpected({ headers, engine, major }: HeaderClaims): Outcome {
  if (headers.dnt !== '1') return null;
  if (engine === 'blink' || engine === null || major === null) return null;
  return major > doNotTrackUntil[engine] ? { headers: ['user-agent', 'dnt'] } : null;
}

export function signedAgent({ headers }: HeaderClaims): Outcome {
  return (headers['signature-agent'] ?? '').trim() === '' ? null : { headers: ['signature-agent'] };
}
