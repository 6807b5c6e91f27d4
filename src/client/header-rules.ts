/** The rules of check_headers: one row each, with its words. Add a row and a header set that fires it. */
import * as hints from './header-check-hints.ts';
import * as network from './header-check-network.ts';
import * as request from './header-check-request.ts';
import type { Check, Level } from './header-outcomes.ts';

export interface Rule {
  /** Part of the answer: once published it does not change. */
  id: string;
  level: Level;
  /** Whom it is asked of. Libraries, tools, crawlers and AI agents need not look like a browser. */
  clients: 'all' | 'browsers';
  check: Check;
  hint: string;
  /** Why bot detection looks at it, or what it rests on. */
  reason: string;
}

/** Never order of headers or Accept-Encoding: edges sort the one and rewrite the other. Last updated: 2026-11-21 */
export const rules: readonly Rule[] = [
  {
    id: 'user-agent-missing',
    level: 'notice',
    clients: 'all',
    check: request.userAgentMissing,
    hint: 'There is no User-Agent.',
    reason: 'Browsers, crawlers and almost all libraries send one; many sites refuse requests without.',
  },
  {
    id: 'user-agent-short',
    level: 'notice',
    clients: 'all',
    check: request.userAgentShort,
    hint: 'The User-Agent has fewer than 10 characters and names no known client.',
    reason: 'No browser has one so short; such values are typical of hand-written scripts.',
  },
  {
    id: 'accept-language-missing',
    level: 'notice',
    clients: 'browsers',
    check: request.acceptLanguageMissing,
    hint: 'The User-Agent is a browser, but there is no Accept-Language.',
    reason: 'Browsers send Accept-Language with every ordinary request; libraries do not unless told to.',
  },
  {
    id: 'accept-any',
    level: 'notice',
    clients: 'browsers',
    check: request.acceptAnything,
    hint: 'The User-Agent is a browser, but Accept is only */*.',
    reason: 'A browser that loads a page names text/html first; */* is what libraries send by default.',
  },
  {
    id: 'client-hints-missing',
    level: 'notice',
    clients: 'browsers',
    check: hints.hintsMissing,
    hint: 'The User-Agent is Chromium {major}, which sends Sec-CH-UA over HTTPS, but there is none.',
    reason:
      'Copying a Chrome User-Agent without its Client Hints is the most common trait of imitations. Filtering proxies, hardened builds and switched-off JavaScript remove them too.',
  },
  {
    id: 'client-hints-unexpected',
    level: 'warning',
    clients: 'all',
    check: hints.hintsUnexpected,
    hint: 'There are Sec-CH-UA headers, but the User-Agent is not a Chromium browser.',
    reason:
      'Only Chromium sends them: Firefox, Safari and every browser on iOS do not, nor do libraries by themselves.',
  },
  {
    id: 'chromium-version-differs',
    level: 'warning',
    clients: 'browsers',
    check: hints.chromiumVersionDiffers,
    hint: 'Client Hints say Chromium {hinted}, the User-Agent says Chrome {claimed}.',
    reason: 'Both come from the same build, so they agree in a browser that was not altered.',
  },
  {
    id: 'platform-differs',
    level: 'warning',
    clients: 'browsers',
    check: hints.platformDiffers,
    hint: 'Sec-CH-UA-Platform says {hinted}, the User-Agent says {claimed}.',
    reason: 'Both name the same system in a browser that was not altered.',
  },
  {
    id: 'mobile-differs',
    level: 'warning',
    clients: 'browsers',
    check: hints.mobileDiffers,
    hint: 'Sec-CH-UA-Mobile says {hinted} device, but the User-Agent {claimed} the word Mobile.',
    reason: 'Chromium writes both from one setting.',
  },
  {
    id: 'headless',
    level: 'warning',
    clients: 'all',
    check: hints.headless,
    hint: 'The User-Agent names HeadlessChrome.',
    reason: 'It is Chrome run by a program without a window; many sites refuse it by name.',
  },
  {
    id: 'headless-hidden',
    level: 'warning',
    clients: 'all',
    check: hints.headlessHidden,
    hint: 'The brands in the Client Hints name HeadlessChrome, which the User-Agent conceals.',
    reason: 'Overriding the User-Agent of headless Chrome leaves its Client Hints as they were.',
  },
  {
    id: 'brands-unexpected',
    level: 'info',
    clients: 'browsers',
    check: hints.brandsUnexpected,
    hint: 'The brands in Sec-CH-UA are not those, or not in the order, that Chromium {major} generates.',
    reason:
      'Chromium derives a meaningless brand and the order from its version, so a copied or invented list shows. Forks may differ.',
  },
  {
    id: 'user-agent-not-reduced',
    level: 'notice',
    clients: 'browsers',
    check: hints.notReduced,
    hint: 'The User-Agent gives details that Chrome and Edge {major} no longer send.',
    reason:
      'They fix build number, system version and device model in the User-Agent; only old company policies bring them back.',
  },
  {
    id: 'fetch-metadata-missing',
    level: 'notice',
    clients: 'browsers',
    check: request.fetchMetadataMissing,
    hint: 'The User-Agent is a browser that sends Sec-Fetch-Site over HTTPS, but there is none.',
    reason:
      'Chrome 80, Firefox 90, Safari 16.4 and later send it with every request; libraries and some filtering proxies do not.',
  },
  {
    id: 'fetch-metadata-unknown',
    level: 'notice',
    clients: 'all',
    check: request.fetchMetadataUnknown,
    hint: 'No browser sends such a value in {names}.',
    reason: 'Browsers write these headers themselves from a fixed list of values.',
  },
  {
    id: 'fetch-navigate-empty',
    level: 'warning',
    clients: 'all',
    check: request.navigateToNothing,
    hint: 'Sec-Fetch-Mode says navigate while Sec-Fetch-Dest says empty.',
    reason: 'A navigation always has a destination, such as document or iframe; empty belongs to requests by scripts.',
  },
  {
    id: 'fetch-user-without-navigate',
    level: 'warning',
    clients: 'all',
    check: request.userWithoutNavigation,
    hint: 'There is a Sec-Fetch-User, but Sec-Fetch-Mode is not navigate.',
    reason: 'Browsers send Sec-Fetch-User only with navigations that a person started.',
  },
  {
    id: 'fetch-none-with-referer',
    level: 'notice',
    clients: 'all',
    check: request.refererWithoutSite,
    hint: 'Sec-Fetch-Site says that no site started the request, but Referer names one.',
    reason: 'Typed addresses and bookmarks have no Referer; a followed link has another Sec-Fetch-Site.',
  },
  {
    id: 'firefox-rv-differs',
    level: 'warning',
    clients: 'browsers',
    check: request.firefoxRvDiffers,
    hint: 'The User-Agent is Firefox {major} without the rv:{rv} that belongs to it.',
    reason: 'Firefox writes both from its version (rv: stayed 109.0 in Firefox 110 to 119).',
  },
  {
    id: 'firefox-gecko-token',
    level: 'warning',
    clients: 'browsers',
    check: request.firefoxGeckoToken,
    hint: 'The User-Agent is Firefox on a desktop system, but its Gecko token is not 20100101.',
    reason: 'Desktop Firefox has had this fixed date since 2010.',
  },
  {
    id: 'firefox-trailers-missing',
    level: 'info',
    clients: 'browsers',
    check: request.firefoxTrailersMissing,
    hint: 'The User-Agent is Firefox and the request used HTTP/2, but there is no TE: trailers.',
    reason: 'Firefox sends it with every HTTP/2 request; proxies may drop it on the way.',
  },
  {
    id: 'forwarded-address-differs',
    level: 'notice',
    clients: 'all',
    check: network.otherAddress,
    hint: 'Headers of the request name the address {address}, which is not the one that connected.',
    reason:
      'A proxy on the way names its user like this, and a client can write anything there; either way two addresses are seen.',
  },
  {
    id: 'forwarded-address-unverified',
    level: 'info',
    clients: 'all',
    check: network.unverifiedAddress,
    hint: 'Headers name the address {address}; a server that sees another one connect takes the request for proxied.',
    reason: 'Proxies add such headers, and so do their logs; headers alone do not tell which address connected.',
  },
  {
    id: 'forwarded-address-private',
    level: 'info',
    clients: 'all',
    check: network.privateAddress,
    hint: 'Headers name the private address {address}.',
    reason:
      'A proxy inside a company, school or home network adds this; it reveals an address inside, and is not bot-like.',
  },
  {
    id: 'proxy-headers',
    level: 'info',
    clients: 'all',
    check: network.proxy,
    hint: 'Headers of a proxy are present: {names}.',
    reason: 'Companies, schools and carriers use proxies; some bot detection counts them all the same.',
  },
  {
    id: 'dnt',
    level: 'info',
    clients: 'all',
    check: network.doNotTrack,
    hint: 'DNT asks not to be tracked.',
    reason: 'Few browsers still send it, so it narrows a fingerprint; it is not bot-like.',
  },
  {
    id: 'gpc',
    level: 'info',
    clients: 'all',
    check: network.globalPrivacyControl,
    hint: 'Sec-GPC asks not to have data sold or shared.',
    reason:
      'Brave, DuckDuckGo and Tor Browser send it by default, Firefox on request: it narrows a fingerprint and is not bot-like.',
  },
  {
    id: 'dnt-unexpected',
    level: 'info',
    clients: 'browsers',
    check: network.doNotTrackUnexpected,
    hint: 'DNT is present, but this browser no longer has the setting.',
    reason: 'Firefox removed it in version 135 and Safari in 2019; an extension can still add it.',
  },
  {
    id: 'version-behind',
    level: 'info',
    clients: 'browsers',
    check: request.versionBehind,
    hint: '{name} {major} is far behind: {name} {current} was current on {date}.',
    reason: 'Browsers update themselves, so old versions are rare and often found in copied headers.',
  },
  {
    id: 'version-future',
    level: 'info',
    clients: 'browsers',
    check: request.versionFuture,
    hint: '{name} {major} is not a released version: {name} {current} was current on {date}.',
    reason: 'Invented User-Agents often have versions that do not exist.',
  },
  {
    id: 'signed-agent',
    level: 'info',
    clients: 'all',
    check: network.signedAgent,
    hint: 'Signature-Agent names an agent that signs its requests; the signature was not verified here.',
    reason: 'Web Bot Auth (an IETF draft) lets automated agents identify themselves, whatever their User-Agent says.',
  },
];
