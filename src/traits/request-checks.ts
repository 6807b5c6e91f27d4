/** Checks of the User-Agent and of the headers that every browser sends. */

import type { HeaderClaims } from './claims.ts';
import { asInfo, checkWith, type Finding, findingIf, type Inapplicable, type Outcome } from './outcomes.ts';

export function userAgentMissing({ agent, headers }: HeaderClaims): Outcome {
  return agent.raw.trim() === '' ? unnamedClient(headers) : null;
}

export const shortestUserAgent = 10;

export function userAgentShort({ agent, headers }: HeaderClaims): Outcome {
  const { length } = agent.raw.trim();
  if (length === 0 || length >= shortestUserAgent) return null;
  // `curl/8.1` and `k6/1.4` are short and name the tool.
  return agent.bot !== null && agent.bot.kind !== 'bot' ? null : unnamedClient(headers);
}

/** Names of the headers of MCP messages and signed webhooks (https://github.com/standard-webhooks/standard-webhooks). */
const machineHeader = /^mcp-|^(?:x-)?webhook-|^svix-|^x-hub-signature|^stripe-signature$/;

/** Requests of machines need no User-Agent. */
function unnamedClient(headers: HeaderClaims['headers']): Finding {
  const finding = { headers: ['user-agent'] };
  const { accept = '' } = headers;
  const isMcp = accept.includes('application/json') && accept.includes('text/event-stream');
  const isMachine = isMcp || Object.keys(headers).some((name) => machineHeader.test(name));
  return isMachine ? asInfo(finding, 'connectors') : finding;
}

export function acceptLanguageMissing({ headers, isBrowser, isAppliance, isSpecial }: HeaderClaims): Outcome {
  if ((headers['accept-language'] ?? '').trim() !== '') return null;
  if (isAppliance) return 'appliance';
  if (isSpecial) return 'special';
  const finding = { headers: ['user-agent', 'accept-language'] };
  return isBrowser
    ? { ...finding, values: { subject: 'a browser' } }
    : { ...finding, level: 'info', values: { subject: 'no browser' } };
}

const pageDestinations: ReadonlySet<string> = new Set(['document', 'iframe', 'frame', 'fencedframe']);

export function acceptAnything(claims: HeaderClaims): Outcome {
  const { headers, isSpecial, https } = claims;
  if ((headers.accept ?? '').trim() !== '*/*') return null;
  if (isSpecial) return 'special';
  const mode = headers['sec-fetch-mode'];
  const finding: Finding = { headers: ['user-agent', 'accept', 'sec-fetch-mode'] };
  if (mode !== undefined) {
    const isPage = mode === 'navigate' && pageDestinations.has(headers['sec-fetch-dest'] ?? 'document');
    return isPage ? finding : 'notNavigation';
  }
  if (headers['upgrade-insecure-requests'] === '1') {
    return { headers: ['user-agent', 'accept', 'upgrade-insecure-requests'] };
  }
  if (https === false) return 'plainHttp';
  return sendsFetchMetadata(claims) ? asInfo(finding, 'ifNavigation') : 'notNavigation';
}

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site#browser_compatibility */
function sendsFetchMetadata({ engine, version, major, isPlain }: HeaderClaims): boolean {
  if (!isPlain || version === null || major === null) return false;
  if (engine === 'blink') return major >= 80;
  if (engine === 'gecko') return major >= 90;
  const minor = Number.parseInt(version.split('.')[1] ?? '0', 10);
  return major > 16 || (major === 16 && minor >= 4);
}

export function fetchMetadataMissing(claims: HeaderClaims): Outcome {
  const { headers, isPlain, isSpecial, https } = claims;
  if (headers['sec-fetch-site'] !== undefined) return null;
  if (!isPlain) return 'ownUserAgent';
  if (!sendsFetchMetadata(claims)) return 'beforeSupport';
  if (isSpecial) return 'special';
  if (https === false) return 'plainHttp';
  const finding = { headers: ['user-agent', 'sec-fetch-site'] };
  return https === null ? asInfo(finding, 'ifHttps') : finding;
}

export function fetchMetadataUnexpected({ headers, products, platform }: HeaderClaims): Outcome {
  if (!/\bTrident\/|\bMSIE /.test(platform) || products.has('Chrome')) return 'onlyInternetExplorer';
  const names = Object.keys(fetchMetadata).filter((name) => headers[name] !== undefined);
  return findingIf(names.length > 0, 'user-agent', ...names);
}

/** Browsers ask for an uncompressed body only for parts of media files. Edges that rewrite the header write other values. */
export function compressionRefused({ headers, isSpecial }: HeaderClaims): Outcome {
  if (headers['accept-encoding']?.trim().toLowerCase() !== 'identity') return null;
  if (isSpecial) return 'special';
  const { accept = '', 'sec-fetch-mode': mode } = headers;
  const isPage = mode === undefined ? accept.includes('text/html') : mode === 'navigate';
  return isPage ? { headers: ['user-agent', 'accept-encoding'] } : 'notNavigation';
}

/**
 * Values of https://fetch.spec.whatwg.org/#concept-request-destination and #concept-request-mode,
 * https://w3c.github.io/webappsec-fetch-metadata/, and of Chromium and Firefox before the specification. Last updated: 2026-11-21
 */
const fetchMetadata: Readonly<Record<string, ReadonlySet<string>>> = {
  'sec-fetch-site': new Set(['none', 'same-origin', 'same-site', 'cross-site']),
  'sec-fetch-mode': new Set(
    'cors navigate nested-navigate no-cors same-origin user-agent-no-cors websocket webtransport'.split(' '),
  ),
  'sec-fetch-user': new Set(['?1']),
  'sec-fetch-dest': new Set(
    (
      'audio audioworklet dictionary document embed empty fencedframe font frame iframe image json manifest nested-document object paintworklet ' +
      'report script serviceworker sharedstorageworklet sharedworker speculationrules style text track unknown video webbundle webidentity ' +
      'websocket worker xslt'
    ).split(' '),
  ),
};

export function fetchMetadataUnknown({ headers }: HeaderClaims): Outcome {
  const unknown = Object.entries(fetchMetadata).flatMap(([name, known]) => {
    const value = headers[name];
    return value === undefined || known.has(value) ? [] : [name];
  });
  return unknown.length > 0 ? { headers: unknown, values: { names: unknown.join(', ') } } : null;
}

export function navigateToNothing({ headers }: HeaderClaims): Outcome {
  const isFound = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'empty';
  return findingIf(isFound, 'sec-fetch-mode', 'sec-fetch-dest');
}

export function userWithoutNavigation({ headers }: HeaderClaims): Outcome {
  const { 'sec-fetch-user': user, 'sec-fetch-mode': mode } = headers;
  const isFound = user !== undefined && mode !== undefined && !/^(?:nested-)?navigate$/.test(mode);
  return findingIf(isFound, 'sec-fetch-user', 'sec-fetch-mode');
}

export function refererWithoutSite({ headers, system }: HeaderClaims): Outcome {
  const referer = headers.referer ?? '';
  if (headers['sec-fetch-site'] !== 'none' || !/^https?:/i.test(referer)) return null;
  const finding = { headers: ['sec-fetch-site', 'referer'] };
  return system === 'Android' ? asInfo(finding, 'customTabs') : finding;
}

/** Earlier versions have other rules for `rv:`. https://bugzilla.mozilla.org/show_bug.cgi?id=1805967 */
const rvRuleSince = 110;

function firefox({ engine, isPlain, major }: HeaderClaims): { major: number } | Inapplicable {
  if (engine !== 'gecko') return 'onlyFirefox';
  if (!isPlain) return 'ownUserAgent';
  return major === null || major < rvRuleSince ? 'beforeSupport' : { major };
}

export const firefoxRvDiffers = checkWith(firefox, ({ major }, { platform }) => {
  const rv = /\brv:(\d{1,4})\./.exec(platform)?.[1];
  // Firefox 110 to 119 sent rv:109.0, because sites took rv:11 for Internet Explorer.
  const expected = major < 120 ? 109 : major;
  if (Number(rv) === expected) return null;
  return { headers: ['user-agent'], values: { major: String(major), rv: String(expected) } };
});

export const firefoxGeckoToken = checkWith(firefox, (_, { system, products }) => {
  // Firefox for Android sends its version here.
  if (system === 'Android') return 'onlyFirefoxDesktop';
  return findingIf(products.get('Gecko') !== '20100101', 'user-agent');
});

export const firefoxTrailersMissing = checkWith(firefox, (_, { http2, headers }) => {
  if (http2 !== true) return 'onlyHttp2';
  return findingIf(!/\btrailers\b/i.test(headers.te ?? ''), 'user-agent', 'te');
});
