/** Rules about headers that proxies add. */
import type { HeaderClaims } from './claims.ts';
import { forwardedAddresses } from './forwarded-addresses.ts';
import { type Finding, findingOn, type Outcome, type RuleFunctions } from './rule.ts';

/** The forwarded addresses that are, or are not, private; the sentence names the first. */
function findAddress({ headers, ip }: HeaderClaims, { isPrivate }: { isPrivate: boolean }): Finding | null {
  const found = forwardedAddresses(headers, ip).filter((each) => each.isPrivate === isPrivate);
  const [first] = found;
  return first ? { headers: [...new Set(found.map(({ header }) => header))], values: { address: first.text } } : null;
}

/** Whether the browser uses its vendor's proxy: Opera Mini, and Chrome's former data saver. https://dev.opera.com/articles/opera-mini-request-headers/ */
const hasOwnProxy = ({ headers }: HeaderClaims): boolean =>
  Object.keys(headers).some((name) => name.startsWith('x-operamini-')) ||
  /chrome-compression-proxy/i.test(headers.via ?? '');

const findPublicAddress = (claims: HeaderClaims): Outcome =>
  hasOwnProxy(claims) ? 'ownProxy' : findAddress(claims, { isPrivate: false });

const proxyHeaders = ['proxy-connection', 'x-proxy-id', 'x-bluecoat-via', 'x-imforwards'] as const;

/** Names in Via of CDNs and platforms on the server's side. Last updated: 2026-11-21 */
const edges = /\b(?:google|cloudfront|akamai|varnish|fastly|fly\.io|vegur|heroku-router|caddy)\b/i;

export const networkRules = {
  'forwarded-address-differs': (claims) => (claims.ip === null ? 'noAddress' : findPublicAddress(claims)),
  'forwarded-address-unverified': (claims) => (claims.ip === null ? findPublicAddress(claims) : null),
  'forwarded-address-private': (claims) => findAddress(claims, { isPrivate: true }),
  'proxy-headers'(claims) {
    if (hasOwnProxy(claims)) return 'ownProxy';
    const { headers } = claims;
    const hops = (headers.via ?? '').slice(0, 4096).split(',');
    const isVia = hops.some((hop) => hop.trim() !== '' && !edges.test(hop));
    return findingOn([...proxyHeaders.filter((name) => headers[name] !== undefined), ...(isVia ? ['via'] : [])]);
  },
} satisfies RuleFunctions;
