/** Checks of headers added by proxies, of privacy preferences, and of signed requests. */
import type { HeaderClaims } from './claims.ts';
import { type ForwardedAddress, forwardedAddresses, isPrivate, normalizeAddress } from './forwarded-addresses.ts';
import { findingIf, type Outcome } from './outcomes.ts';

export function otherAddress(claims: HeaderClaims): Outcome {
  const peer = peerOf(claims);
  if (peer === null) return 'noAddress';
  return hasOwnProxy(claims) ? 'ownProxy' : findingOf(addressesOf(claims, peer, false));
}

export function unverifiedAddress(claims: HeaderClaims): Outcome {
  if (peerOf(claims) !== null) return null;
  return hasOwnProxy(claims) ? 'ownProxy' : findingOf(addressesOf(claims, null, false));
}

export function privateAddress(claims: HeaderClaims): Outcome {
  return findingOf(addressesOf(claims, peerOf(claims), true));
}

const peerOf = ({ ip }: HeaderClaims) => (ip === null ? null : normalizeAddress(ip));

const addressesOf = ({ headers }: HeaderClaims, peer: string | null, arePrivate: boolean) =>
  forwardedAddresses(headers, peer).filter(({ address }) => isPrivate(address) === arePrivate);

function findingOf(found: readonly ForwardedAddress[]): Outcome {
  const [first] = found;
  if (first === undefined) return null;
  return { headers: [...new Set(found.map(({ header }) => header))], values: { address: first.text } };
}

/** Whether the browser uses its vendor's proxy: Opera Mini, and Chrome's former data saver. https://dev.opera.com/articles/opera-mini-request-headers/ */
function hasOwnProxy({ headers }: HeaderClaims): boolean {
  return (
    Object.keys(headers).some((name) => name.startsWith('x-operamini-')) ||
    /chrome-compression-proxy/i.test(headers.via ?? '')
  );
}

const proxyHeaders = ['proxy-connection', 'x-proxy-id', 'x-bluecoat-via', 'x-imforwards'] as const;

/** Names in Via of CDNs and platforms on the server's side. Last updated: 2026-11-21 */
const edges = /\b(?:google|cloudfront|akamai|varnish|fastly|fly\.io|vegur|heroku-router|caddy)\b/i;

export function proxy(claims: HeaderClaims): Outcome {
  if (hasOwnProxy(claims)) return 'ownProxy';
  const { headers } = claims;
  const hops = (headers.via ?? '').slice(0, 4096).split(',');
  const isVia = hops.some((hop) => hop.trim() !== '' && !edges.test(hop));
  const found = [...proxyHeaders.filter((name) => headers[name] !== undefined), ...(isVia ? ['via'] : [])];
  return found.length > 0 ? { headers: found, values: { names: found.join(', ') } } : null;
}

export const doNotTrack = ({ headers }: HeaderClaims): Outcome => findingIf(headers.dnt === '1', 'dnt');

export const globalPrivacyControl = ({ headers }: HeaderClaims): Outcome =>
  findingIf(headers['sec-gpc'] === '1', 'sec-gpc');

/** Firefox 135 removed the setting, Safari 12.1 did. https://support.mozilla.org/en-US/kb/how-do-i-turn-do-not-track-feature */
const doNotTrackUntil = { gecko: 134, webkit: 12 } as const;

export function doNotTrackUnexpected({ headers, engine, major }: HeaderClaims): Outcome {
  if (headers.dnt !== '1') return null;
  if (engine === 'blink' || engine === null || major === null) return null;
  return findingIf(major > doNotTrackUntil[engine], 'user-agent', 'dnt');
}

export const signedAgent = ({ headers }: HeaderClaims): Outcome =>
  findingIf((headers['signature-agent'] ?? '').trim() !== '', 'signature-agent');

/** Headers that AI assistants add to their requests, and who adds them. Last updated: 2026-11-22 */
const agentHeaders: Readonly<Record<string, string>> = { 'x-claude-code-session-id': 'Claude Code' };

export function agentSession({ headers }: HeaderClaims): Outcome {
  const [found] = Object.entries(agentHeaders).filter(([name]) => headers[name] !== undefined);
  return found === undefined ? null : { headers: [found[0]], values: { agent: found[1] } };
}
