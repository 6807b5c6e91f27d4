/** Rules about headers added by proxies, privacy preferences, and headers that name an agent. */
import { formatAddress, isLocalAddress, parseAddress, unmapped } from '../core/address.ts';
import type { HeaderClaims } from './claims.ts';
import { type Finding, findingIf, findingOn, type Rules } from './rule.ts';

const maxLength = 4096;
const maxEntries = 64;

/** In the order of their hints. */
const forwardingHeaders = 'x-forwarded-for forwarded x-real-ip true-client-ip client-ip x-client-ip via'.split(' ');

/** The entries of a header: addresses, or texts that are none. */
function entriesOf(header: string, field: string): string[] {
  // RFC 7239 §4: for=192.0.2.43, for="[2001:db8:cafe::17]:4711"
  if (header === 'forwarded') return [...field.matchAll(/(?:^|[;,\s])for="?([^";,]*)/gi)].map(([, node]) => node ?? '');
  const entries = field.split(',');
  // RFC 9110 §7.6.3: protocol, then the recipient, a host name or an address
  return header === 'via' ? entries.map((hop) => hop.trim().split(/\s/)[1] ?? '') : entries;
}

/**
 * All addresses in forwarding headers, in a fixed order of headers, except `peer` and the entries right of it. The text is as sent, without
 * port, brackets and zone; a private address is valid only inside one network or machine.
 */
export function forwardedAddresses(headers: Readonly<Record<string, string>>, peer: string | null) {
  const connected = peer === null ? null : parseNode(peer);
  return forwardingHeaders.flatMap((header) => {
    const chain = entriesOf(header, keepRight(headers[header]))
      .slice(-maxEntries)
      .flatMap((node) => parseNode(node) ?? []);
    // Each proxy appends the address that connected to it, so our own side wrote the peer and all entries right of it.
    const at = chain.findLastIndex(({ notation }) => notation === connected?.notation);
    return chain
      .slice(0, at < 0 ? chain.length : at)
      .map(({ text, address }) => ({ header, text, isPrivate: isLocalAddress(address) }));
  });
}

/** Keeps the right end, where the nearest hops are, without the entry that is cut. */
function keepRight(field = ''): string {
  return field.length > maxLength ? field.slice(-maxLength).replace(/^[^,]*/, '') : field;
}

/** An address, and its one notation for comparisons; null for host names, `unknown`, obfuscated identifiers and other texts. */
function parseNode(node: string) {
  const value = node.trim().replace(/^"|"$/g, '');
  if (value.length > 64) return null;
  const host = /^\[([^\]]*)\]/.exec(value)?.[1] ?? value.replace(/^([\d.]+):\d+$/, '$1');
  // A zone (RFC 4007 §11) is free text.
  const text = host.replace(/%.*$/s, '');
  const parsed = parseAddress(text);
  const address = parsed && unmapped(parsed);
  return address && { text, address, notation: formatAddress(address) };
}

/** The forwarded addresses that are, or are not, private; the sentence names the first. */
function findAddress({ headers, ip }: HeaderClaims, { isPrivate }: { isPrivate: boolean }): Finding | null {
  const found = forwardedAddresses(headers, ip).filter((each) => each.isPrivate === isPrivate);
  const [first] = found;
  return first ? { headers: [...new Set(found.map(({ header }) => header))], values: { address: first.text } } : null;
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

/** Firefox 135 removed the setting, Safari 12.1 did. https://support.mozilla.org/en-US/kb/how-do-i-turn-do-not-track-feature */
const doNotTrackUntil = { gecko: 134, webkit: 12 } as const;

export const networkRules: Rules = {
  'forwarded-address-differs': {
    level: 'notice',
    hint: 'Request headers name the IP address {address}, which differs from the connecting one.',
    reason:
      'Proxies name their user in these headers, and clients can set any value; in both cases two addresses are visible.',
    check(claims) {
      if (claims.ip === null) return 'noAddress';
      return hasOwnProxy(claims) ? 'ownProxy' : findAddress(claims, { isPrivate: false });
    },
  },
  'forwarded-address-unverified': {
    level: 'info',
    hint: 'Headers name the IP address {address}. A server that observes another connecting address treats the request as proxied.',
    reason: 'Proxies add such headers; the headers alone do not show which address connected.',
    check(claims) {
      if (claims.ip !== null) return null;
      return hasOwnProxy(claims) ? 'ownProxy' : findAddress(claims, { isPrivate: false });
    },
  },
  'forwarded-address-private': {
    level: 'info',
    hint: 'Headers name the private IP address {address}.',
    reason:
      'Proxies in company, school and home networks add this. It reveals an internal address and does not indicate a bot.',
    check: (claims) => findAddress(claims, { isPrivate: true }),
  },
  'proxy-headers': {
    level: 'info',
    hint: 'Proxy headers are present: {names}.',
    reason: 'Companies, schools and carriers use proxies; some bot detection weighs them anyway.',
    check(claims) {
      if (hasOwnProxy(claims)) return 'ownProxy';
      const { headers } = claims;
      const hops = (headers.via ?? '').slice(0, 4096).split(',');
      const isVia = hops.some((hop) => hop.trim() !== '' && !edges.test(hop));
      return findingOn([...proxyHeaders.filter((name) => headers[name] !== undefined), ...(isVia ? ['via'] : [])]);
    },
  },
  dnt: {
    level: 'info',
    hint: 'DNT requests not to be tracked.',
    reason: 'Few browsers still send it, so it narrows a fingerprint. It does not indicate a bot.',
    check: ({ headers }) => findingIf(headers.dnt === '1', 'dnt'),
  },
  gpc: {
    level: 'info',
    hint: 'Sec-GPC requests that data is not sold or shared.',
    reason:
      'Brave, DuckDuckGo and Tor Browser send it by default, Firefox as an option. It narrows a fingerprint and does not indicate a bot.',
    check: ({ headers }) => findingIf(headers['sec-gpc'] === '1', 'sec-gpc'),
  },
  'dnt-unexpected': {
    level: 'info',
    appliesTo: 'browsers',
    hint: 'DNT is present, but this browser no longer has that setting.',
    reason: 'Firefox removed it in version 135 and Safari in 2019; an extension can still add it.',
    check({ headers, engine, major }) {
      if (headers.dnt !== '1' || engine === 'blink' || engine === null || major === null) return null;
      return findingIf(major > doNotTrackUntil[engine], 'user-agent', 'dnt');
    },
  },
};

/** Headers that AI assistants add to their requests, and who adds them. Last updated: 2026-11-22 */
const agentHeaders: Readonly<Record<string, string>> = { 'x-claude-code-session-id': 'Claude Code' };

export const agentRules: Rules = {
  'agent-session': {
    level: 'info',
    hint: 'The headers name {agent}, whatever the User-Agent states.',
    reason: 'Some AI assistants mark their requests with headers of their own. Any client can set them.',
    check({ headers }) {
      const [found] = Object.entries(agentHeaders).filter(([name]) => headers[name] !== undefined);
      return found === undefined ? null : { headers: [found[0]], values: { agent: found[1] } };
    },
  },
  'signed-agent': {
    level: 'info',
    hint: 'Signature-Agent names an agent that signs its requests; this service does not verify the signature.',
    reason: 'Web Bot Auth (an IETF draft) lets automated agents identify themselves, whatever their User-Agent states.',
    check: ({ headers }) => findingIf((headers['signature-agent'] ?? '').trim() !== '', 'signature-agent'),
  },
};
