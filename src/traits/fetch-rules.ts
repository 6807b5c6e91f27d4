/** Rules about Fetch Metadata, and about headers that depend on what a browser fetches. */
import type { HeaderClaims } from './claims.ts';
import { asInfo, findingIf, findingOn, type Rules } from './rule.ts';

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

export const fetchRules: Rules = {
  'fetch-metadata-missing': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a browser that sends Sec-Fetch-Site over HTTPS; Sec-Fetch-Site is missing.',
    reason:
      'Chrome 80, Firefox 90, Safari 16.4 and later send it with every request; libraries do not, and some proxies remove it.',
    check(claims) {
      const { headers, isPlain, isSpecial, https } = claims;
      if (headers['sec-fetch-site'] !== undefined) return null;
      if (!isPlain) return 'ownUserAgent';
      if (!sendsFetchMetadata(claims)) return 'beforeSupport';
      if (isSpecial) return 'special';
      if (https === false) return 'plainHttp';
      const finding = { headers: ['user-agent', 'sec-fetch-site'] };
      return https === null ? asInfo(finding, 'ifHttps') : finding;
    },
  },
  'fetch-metadata-unknown': {
    level: 'notice',
    hint: 'No browser sends this value of {names}.',
    reason: 'Browsers set these headers from a fixed list of values.',
    check: ({ headers }) =>
      findingOn(
        fetchHeadersIn(headers).filter((name) => !fetchMetadata[name]?.split(' ').includes(headers[name] ?? '')),
      ),
  },
  'fetch-metadata-unexpected': {
    level: 'warning',
    appliesTo: 'browsers',
    hint: 'Sec-Fetch headers are present, but the User-Agent names Internet Explorer.',
    reason: 'Internet Explorer never sent them; its last version is older than they are.',
    check({ headers, products, platform }) {
      if (!/\bTrident\/|\bMSIE /.test(platform) || products.has('Chrome')) return 'onlyInternetExplorer';
      const names = fetchHeadersIn(headers);
      return findingIf(names.length > 0, 'user-agent', ...names);
    },
  },
  'compression-refused': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a browser that loads a page, but Accept-Encoding is identity.',
    reason: 'Browsers accept compressed pages; scripts refuse them in order not to decompress.',
    check({ headers, isSpecial }) {
      if (headers['accept-encoding']?.trim().toLowerCase() !== 'identity') return null;
      if (isSpecial) return 'special';
      // Browsers ask for an uncompressed body only for parts of media files. Edges that rewrite the header write other values.
      const { accept = '', 'sec-fetch-mode': mode } = headers;
      const isPage = mode === undefined ? accept.includes('text/html') : mode === 'navigate';
      return isPage ? { headers: ['user-agent', 'accept-encoding'] } : 'notNavigation';
    },
  },
  'fetch-navigate-empty': {
    level: 'warning',
    hint: 'Sec-Fetch-Mode is navigate, but Sec-Fetch-Dest is empty.',
    reason: 'A navigation always has a destination, such as document or iframe; empty is for requests by scripts.',
    check: ({ headers: { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } }) =>
      findingIf(mode === 'navigate' && destination === 'empty', 'sec-fetch-mode', 'sec-fetch-dest'),
  },
  'fetch-user-without-navigate': {
    level: 'warning',
    hint: 'Sec-Fetch-User is present, but Sec-Fetch-Mode is not navigate.',
    reason: 'Browsers send Sec-Fetch-User only with navigations started by a person.',
    check: ({ headers: { 'sec-fetch-user': user, 'sec-fetch-mode': mode = 'navigate' } }) =>
      findingIf(user !== undefined && !/^(?:nested-)?navigate$/.test(mode), 'sec-fetch-user', 'sec-fetch-mode'),
  },
  'fetch-none-with-referer': {
    level: 'notice',
    hint: 'Sec-Fetch-Site is none (no site started the request), but Referer names a site.',
    reason: 'Typed URLs and bookmarks have no Referer; a followed link has another Sec-Fetch-Site.',
    check({ headers, system }) {
      if (headers['sec-fetch-site'] !== 'none' || !/^https?:/i.test(headers.referer ?? '')) return null;
      const finding = { headers: ['sec-fetch-site', 'referer'] };
      return system === 'Android' ? asInfo(finding, 'customTabs') : finding;
    },
  },
};
