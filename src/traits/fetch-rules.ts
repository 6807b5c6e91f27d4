/** Rules about Fetch Metadata, and about headers that depend on what a browser fetches. */
import type { HeaderClaims } from './claims.ts';
import { asInfo, findingIf, findingOn, type RuleFunctions } from './rule.ts';

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site#browser_compatibility */
export function sendsFetchMetadata({ engine, version, major, isPlain }: HeaderClaims): boolean {
  if (!isPlain || version === null || major === null) return false;
  if (engine === 'blink') return major >= 80;
  if (engine === 'gecko') return major >= 90;
  const minor = Number.parseInt(version.split('.')[1] ?? '0', 10);
  return major > 16 || (major === 16 && minor >= 4);
}

/**
 * Values of https://fetch.spec.whatwg.org/#concept-request-destination and #concept-request-mode,
 * https://w3c.github.io/webappsec-fetch-metadata/, and of Chromium and Firefox before the specification. Last updated: 2026-11-21
 */
const fetchMetadata: Readonly<Record<string, string>> = {
  'sec-fetch-site': 'none same-origin same-site cross-site',
  'sec-fetch-mode': 'cors navigate nested-navigate no-cors same-origin user-agent-no-cors websocket webtransport',
  'sec-fetch-user': '?1',
  'sec-fetch-dest':
    'audio audioworklet dictionary document embed empty fencedframe font frame iframe image json manifest nested-document object paintworklet ' +
    'report script serviceworker sharedstorageworklet sharedworker speculationrules style text track unknown video webbundle webidentity ' +
    'websocket worker xslt',
};

const fetchHeadersIn = (headers: HeaderClaims['headers']): string[] =>
  Object.keys(fetchMetadata).filter((name) => headers[name] !== undefined);

export const fetchRules = {
  'fetch-metadata-missing'(claims) {
    const { headers, isPlain, isSpecial, https } = claims;
    if (headers['sec-fetch-site'] !== undefined) return null;
    if (!isPlain) return 'ownUserAgent';
    if (!sendsFetchMetadata(claims)) return 'beforeSupport';
    if (isSpecial) return 'special';
    if (https === false) return 'plainHttp';
    const finding = { headers: ['user-agent', 'sec-fetch-site'] };
    return https === null ? asInfo(finding, 'ifHttps') : finding;
  },
  'fetch-metadata-unknown': ({ headers }) =>
    findingOn(fetchHeadersIn(headers).filter((name) => !fetchMetadata[name]?.split(' ').includes(headers[name] ?? ''))),
  'fetch-metadata-unexpected'({ headers, products, firstComment }) {
    if (!/\bTrident\/|\bMSIE /.test(firstComment) || products.has('Chrome')) return 'onlyInternetExplorer';
    const names = fetchHeadersIn(headers);
    return findingIf(names.length > 0, 'user-agent', ...names);
  },
  'compression-refused'({ headers, isSpecial }) {
    if (headers['accept-encoding']?.trim().toLowerCase() !== 'identity') return null;
    if (isSpecial) return 'special';
    // Browsers ask for an uncompressed body only for parts of media files. Edges that rewrite the header write other values.
    const { accept = '', 'sec-fetch-mode': mode } = headers;
    const isPage = mode === undefined ? accept.includes('text/html') : mode === 'navigate';
    return isPage ? { headers: ['user-agent', 'accept-encoding'] } : 'notNavigation';
  },
  'fetch-navigate-empty': ({ headers: { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } }) =>
    findingIf(mode === 'navigate' && destination === 'empty', 'sec-fetch-mode', 'sec-fetch-dest'),
  'fetch-user-without-navigate': ({ headers: { 'sec-fetch-user': user, 'sec-fetch-mode': mode = 'navigate' } }) =>
    findingIf(user !== undefined && !/^(?:nested-)?navigate$/.test(mode), 'sec-fetch-user', 'sec-fetch-mode'),
  'fetch-none-with-referer'({ headers, system }) {
    if (headers['sec-fetch-site'] !== 'none' || !/^https?:/i.test(headers.referer ?? '')) return null;
    const finding = { headers: ['sec-fetch-site', 'referer'] };
    return system === 'Android' ? asInfo(finding, 'customTabs') : finding;
  },
} satisfies RuleFunctions;
