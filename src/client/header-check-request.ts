/** Checks of the User-Agent and of the headers that every browser adds to a request. */
import type { HeaderClaims } from './header-claims.ts';
import type { Finding, Outcome } from './header-outcomes.ts';
import { releases, releasesUpdated, releasesValidDays, safariGap } from './header-versions.ts';

export function userAgentMissing({ agent, headers }: HeaderClaims): Outcome {
  if (agent.raw.trim() !== '') return null;
  return isMachineCall(headers)
    ? { headers: ['user-agent'], level: 'info', caveat: 'connectors' }
    : { headers: ['user-agent'] };
}

const shortest = 10;

export function userAgentShort({ agent, headers }: HeaderClaims): Outcome {
  const { length } = agent.raw.trim();
  if (length === 0 || length >= shortest) return null;
  // `curl/8.1` and `k6/1.4` are short and say exactly what they are.
  if (agent.bot !== null && agent.bot.kind !== 'bot') return null;
  return isMachineCall(headers)
    ? { headers: ['user-agent'], level: 'info', caveat: 'connectors' }
    : { headers: ['user-agent'] };
}

/** MCP messages and signed webhooks (https://github.com/standard-webhooks/standard-webhooks): calls that need no User-Agent. */
function isMachineCall(headers: HeaderClaims['headers']): boolean {
  const accept = headers.accept ?? '';
  return (
    Object.keys(headers).some((name) =>
      /^mcp-|^(?:x-)?webhook-|^svix-|^x-hub-signature|^stripe-signature$/.test(name),
    ) ||
    (accept.includes('application/json') && accept.includes('text/event-stream'))
  );
}

export function acceptLanguageMissing({ headers, appliance, special }: HeaderClaims): Outcome {
  if ((headers['accept-language'] ?? '').trim() !== '') return null;
  if (appliance) return 'appliance';
  if (special) return 'special';
  return { headers: ['user-agent', 'accept-language'] };
}

const pageDestinations: ReadonlySet<string> = new Set(['document', 'iframe', 'frame', 'fencedframe']);

export function acceptAnything(observed: HeaderClaims): Outcome {
  const { headers, special, https } = observed;
  if ((headers.accept ?? '').trim() !== '*/*') return null;
  if (special) return 'special';
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
  return sendsFetchMetadata(observed) ? { ...finding, level: 'info', caveat: 'ifNavigation' } : 'notNavigation';
}

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site#browser_compatibility */
function sendsFetchMetadata({ engine, version, major, plain }: HeaderClaims): boolean {
  if (!plain || version === null || major === null) return false;
  if (engine === 'blink') return major >= 80;
  if (engine === 'gecko') return major >= 90;
  const minor = Number.parseInt(version.split('.')[1] ?? '0', 10);
  return major > 16 || (major === 16 && minor >= 4);
}

export function fetchMetadataMissing(observed: HeaderClaims): Outcome {
  const { headers, plain, special, https } = observed;
  if (headers['sec-fetch-site'] !== undefined) return null;
  if (!plain) return 'ownUserAgent';
  if (!sendsFetchMetadata(observed)) return 'beforeSupport';
  if (special) return 'special';
  if (https === false) return 'plainHttp';
  const finding = { headers: ['user-agent', 'sec-fetch-site'] };
  return https === null ? { ...finding, level: 'info', caveat: 'ifHttps' } : finding;
}

/**
 * https://fetch.spec.whatwg.org/#concept-request-destination and #concept-request-mode, https://w3c.github.io/webappsec-fetch-metadata/,
 * and what Chromium and Firefox sent before they were specified. Last updated: 2026-11-21
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
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'empty'
    ? { headers: ['sec-fetch-mode', 'sec-fetch-dest'] }
    : null;
}

export function userWithoutNavigation({ headers }: HeaderClaims): Outcome {
  const mode = headers['sec-fetch-mode'];
  return headers['sec-fetch-user'] !== undefined && mode !== undefined && !/^(?:nested-)?navigate$/.test(mode)
    ? { headers: ['sec-fetch-user', 'sec-fetch-mode'] }
    : null;
}

export function refererWithoutSite({ headers, system }: HeaderClaims): Outcome {
  const referer = headers.referer ?? '';
  if (headers['sec-fetch-site'] !== 'none' || !/^https?:/i.test(referer)) return null;
  const finding = { headers: ['sec-fetch-site', 'referer'] };
  return system === 'Android' ? { ...finding, level: 'info', caveat: 'customTabs' } : finding;
}

/** Before it Firefox had other rules for `rv:`. https://bugzilla.mozilla.org/show_bug.cgi?id=1805967 */
const rvRuleSince = 110;

function firefox({
  engine,
  plain,
  major,
}: HeaderClaims): { major: number } | 'onlyFirefox' | 'ownUserAgent' | 'beforeSupport' {
  if (engine !== 'gecko') return 'onlyFirefox';
  if (!plain) return 'ownUserAgent';
  return major === null || major < rvRuleSince ? 'beforeSupport' : { major };
}

export function firefoxRvDiffers(observed: HeaderClaims): Outcome {
  const found = firefox(observed);
  if (typeof found === 'string') return found;
  const { major } = found;
  const rv = /\brv:(\d{1,4})\./.exec(observed.platform)?.[1];
  // Firefox 110 to 119 kept rv:109.0, because sites read rv:11 as Internet Explorer.
  const expected = major < 120 ? 109 : major;
  return Number(rv) === expected
    ? null
    : { headers: ['user-agent'], values: { major: String(major), rv: String(expected) } };
}

export function firefoxGeckoToken(observed: HeaderClaims): Outcome {
  const found = firefox(observed);
  if (typeof found === 'string') return found;
  // Android has the version there instead.
  if (observed.system === 'Android') return 'onlyFirefoxDesktop';
  return observed.products.get('Gecko') === '20100101' ? null : { headers: ['user-agent'] };
}

export function firefoxTrailersMissing(observed: HeaderClaims): Outcome {
  const found = firefox(observed);
  if (typeof found === 'string') return found;
  if (observed.http2 !== true) return 'onlyHttp2';
  return /\btrailers\b/i.test(observed.headers.te ?? '') ? null : { headers: ['user-agent', 'te'] };
}

const dayMs = 86_400_000;

function comparable(observed: HeaderClaims) {
  const { engine, major, plain, system, platform, appliance, products, nowMs } = observed;
  const days = Math.max(0, (nowMs - Date.parse(releasesUpdated)) / dayMs);
  // Negated, so that a clock that is no number counts as outdated.
  if (!(days <= releasesValidDays)) return 'tableOutdated';
  if (appliance) return 'appliance';
  // Opera numbers its own versions and follows Chromium late, by choice.
  if (!plain || engine === null || products.has('OPR') || products.has('HeadlessChrome')) return 'ownUserAgent';
  if (major === null) return 'beforeSupport';
  const oldAndroid = /Android [1-9]\b/.test(platform);
  if (system === 'Chrome OS' || oldAndroid || /Windows NT [56]\./.test(platform)) return 'lastBuild';
  const { name, current, everyDays, ahead, longTerm } = releases[engine];
  const inRow = (n: number) =>
    engine === 'webkit' && n > safariGap.after ? n - (safariGap.next - safariGap.after - 1) : n;
  const newest = current + ahead + Math.floor(days / everyDays);
  return {
    behind: inRow(current) - inRow(major),
    isFuture: major > newest || (engine === 'webkit' && major > safariGap.after && major < safariGap.next),
    isLongTerm: (longTerm as readonly number[]).includes(major),
    values: { name, major: String(major), current: String(current), date: releasesUpdated },
  };
}

const farBehind = 6;

export function versionBehind(observed: HeaderClaims): Outcome {
  const found = comparable(observed);
  if (typeof found === 'string') return found;
  if (found.isLongTerm) return 'lastBuild';
  return found.behind >= farBehind ? { headers: ['user-agent'], values: found.values } : null;
}

export function versionFuture(observed: HeaderClaims): Outcome {
  const found = comparable(observed);
  if (typeof found === 'string') return found;
  return found.isFuture ? { headers: ['user-agent'], values: found.values } : null;
}
