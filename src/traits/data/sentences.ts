/** Sentences of check_headers that belong to no single rule. */

/** How to read the hints, by the source of the headers. */
export const notes = {
  call: 'Hints, not proofs. These are the headers of the program that called this tool, often the server of an AI agent, not of the browser of the person it works for.',
  given:
    'Hints, not proofs. The connection of these headers (HTTPS, HTTP version, IP address) is unknown; rules that need it state so.',
} as const;

/** Reasons that lower the level of a finding. */
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

/** Why a rule does not apply. */
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

export type Caveat = keyof typeof caveats;
export type Inapplicable = keyof typeof inapplicable;
