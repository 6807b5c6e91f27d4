/** What a rule of check_headers can answer, and the words for a rule that does not apply. */
import type { HeaderClaims } from './header-claims.ts';

/**
 * `info`: ordinary, worth knowing. `notice`: unusual, with innocent causes.
 * `warning`: headers that contradict each other or that no unmodified browser sends.
 */
export const levels = ['info', 'notice', 'warning'] as const;
export type Level = (typeof levels)[number];

export interface Finding {
  /** Lower-case names of the headers it rests on, missing ones included. */
  headers: readonly string[];
  /** Where it differs from the rule's. */
  level?: Level;
  caveat?: Caveat;
  /** Fills `{name}` in the rule's sentence. Checked values only, never a header's free text. */
  values?: Readonly<Record<string, string>>;
}

export type Outcome = Finding | Inapplicable | null;

/** Null: looked, and nothing to say. */
export type Check = (observed: HeaderClaims) => Outcome;

export type Caveat = keyof typeof caveats;
export const caveats = {
  ifHttps: 'Whether the request used HTTPS is not known; over plain HTTP this is normal.',
  ifNavigation: 'Whether the request loaded a page is not known; a script that fetches data sends this too.',
  oldBrave: 'Brave, which sends the same User-Agent, only began to send these around Chromium 106.',
  desktopSite: 'Android browsers that show the desktop version of a site claim Linux, and not all change both headers.',
  customTabs: 'Android apps that open a page in the browser can add a Referer.',
  connectors: 'Webhooks and the connectors of AI assistants often send none.',
} as const;

export type Inapplicable = keyof typeof inapplicable;
export const inapplicable = {
  noUserAgent: 'There is no User-Agent to hold the other headers against.',
  unknownClient: 'The User-Agent names no browser, and only browsers are held to this.',
  notBrowser: 'By its User-Agent the client is of the kind {kind}; only browsers are held to this.',
  onlyChromium: 'Only browsers built on Chromium are held to this.',
  onlyFirefox: 'Only Firefox is held to this.',
  onlyFirefoxDesktop: 'Only Firefox on desktop systems is held to this.',
  onlyChromeEdge: 'Only Google Chrome and Microsoft Edge, by their Client Hints, are held to this.',
  ownUserAgent: 'Apps, WebViews and less common browsers change what the browser under them sends.',
  beforeSupport: 'The browser is older than the behaviour, or its version is not known.',
  appliance: 'Televisions, consoles and headsets have headers of their own.',
  plainHttp: 'Browsers do this only over HTTPS, and this request used plain HTTP.',
  onlyHttp2: 'Firefox does this only on HTTP/2, which was not observed here.',
  special: 'WebSocket handshakes, CORS preflights, reports and service worker scripts carry fewer headers.',
  notNavigation: 'Only requests that load a page are held to this.',
  nothingToCompare: 'One of the two headers to compare is missing or says nothing comparable.',
  otherBrands: 'The rule is known only for lists of three brands.',
  untestedMajor: 'The rule was not compared with captured headers of this version.',
  noAddress: 'The address that connected is not known, so there is nothing to compare.',
  ownProxy: 'The browser loads pages through proxies of its maker, which name the user here.',
  tableOutdated: 'The table of current versions is too old to say.',
  lastBuild: 'The system no longer gets new versions of this browser, or gets only long-term ones.',
} as const;
