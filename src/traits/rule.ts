/** A rule of check_headers, what it may find, and the reasons why it does not apply. */
import type { HeaderClaims } from './claims.ts';

/**
 * `info`: ordinary, worth knowing. `notice`: unusual, with harmless causes.
 * `warning`: headers that contradict each other or that no unmodified browser sends.
 */
export const levels = ['info', 'notice', 'warning'] as const;
export type Level = (typeof levels)[number];

export interface Finding {
  /** Lower-case names of the headers it is based on, missing ones included. */
  headers: readonly string[];
  /** Set if it differs from the rule's. */
  level?: Level;
  caveat?: Caveat;
  /** Values for `{name}` in the rule's sentence. Validated values only, never a header's free text. */
  values?: Readonly<Record<string, string>>;
}

/** A finding that needs no values, if there is one. */
export const findingIf = (isFound: boolean, ...headers: readonly string[]): Finding | null =>
  isFound ? { headers } : null;

/** A finding whose sentence lists the headers it is based on, if there are any. */
export const findingOn = (headers: readonly string[]): Finding | null =>
  headers.length > 0 ? { headers, values: { names: headers.join(', ') } } : null;

/** The finding with a lower level, because of the caveat. */
export const asInfo = (finding: Finding, caveat: Caveat): Finding => ({ ...finding, level: 'info', caveat });

export type Outcome = Finding | Inapplicable | null;

export interface Rule {
  level: Level;
  /** Set if other clients, such as libraries, crawlers and AI agents, need not do the same. */
  appliesTo?: 'browsers' | 'chromium';
  hint: string;
  /** Why bot detection evaluates it, and the evidence. */
  reason: string;
  /** Returns null if the rule applies and found nothing. */
  check(claims: HeaderClaims): Outcome;
}

/** By id, which is part of the response and never changes once published. */
export type Rules = Readonly<Record<string, Rule>>;

/** A check of what `read` returns, unless that is the reason why the rule does not apply. */
export const checkWith =
  <Read extends object | number>(
    read: (claims: HeaderClaims) => Read | Inapplicable,
    check: (read: Read, claims: HeaderClaims) => Outcome,
  ): Rule['check'] =>
  (claims) => {
    const found = read(claims);
    return typeof found === 'string' ? found : check(found, claims);
  };

export type Caveat = keyof typeof caveats;
export const caveats = {
  ifHttps: 'It is unknown whether the request used HTTPS; over plain HTTP this is normal.',
  ifNavigation: 'It is unknown whether the request loaded a page; a script that fetches data also sends this.',
  oldBrave: 'Brave sends the same User-Agent and did not send these until about Chromium 106.',
  desktopSite:
    'Android browsers that request the desktop version of a site claim Linux, and not all change both headers.',
  customTabs: 'Android apps that open a page in the browser can add a Referer.',
  newChromium: 'The version is newer than those this rule was tested with.',
  connectors: 'Webhooks and connectors of AI assistants often send none.',
} as const;

export type Inapplicable = keyof typeof inapplicable;
export const inapplicable = {
  noUserAgent: 'User-Agent is missing, so there is nothing to compare the other headers with.',
  unknownClient: 'The User-Agent names no browser; this rule applies only to browsers.',
  notBrowser: 'The User-Agent indicates {kind}; this rule applies only to browsers.',
  onlyChromium: 'This rule applies only to Chromium browsers.',
  onlyFirefox: 'This rule applies only to Firefox.',
  onlyFirefoxDesktop: 'This rule applies only to Firefox on a desktop OS.',
  onlyInternetExplorer: 'This rule applies only to Internet Explorer.',
  onlyChromeEdge: 'This rule applies only to Google Chrome and Microsoft Edge, as named by Client Hints.',
  ownUserAgent: 'Apps, WebViews and less common browsers change the headers of the engine they use.',
  beforeSupport: 'The browser is older than this behavior, or its version is unknown.',
  appliance: 'Televisions, consoles and headsets send different headers.',
  plainHttp: 'Browsers do this only over HTTPS, and this request used plain HTTP.',
  onlyHttp2: 'Firefox does this only over HTTP/2, which was not observed here.',
  special: 'WebSocket handshakes, CORS preflights, reports and service worker scripts have fewer headers.',
  notNavigation: 'This rule applies only to requests that load a page.',
  nothingToCompare: 'One of the two headers is missing or has no comparable value.',
  otherBrands: 'This rule applies only to lists of three brands.',
  untestedMajor: 'This rule does not cover this version.',
  noAddress: 'The connecting IP address is unknown, so there is nothing to compare.',
  ownProxy: "The browser loads pages through its vendor's proxies, which name the user in this header.",
  tableOutdated: 'The table of browser versions is too old.',
  noHandshake: 'The handshake of the connection (ClientHello, HTTP/2 SETTINGS, header order) was not observed.',
  proxied: 'Headers of a proxy are present, and the connection may be the proxy’s.',
  lastBuild: 'The OS receives no new versions of this browser, or only long-term ones.',
} as const;
