/** Levels and texts of the rules of check_headers. Their functions have the same ids. */

/**
 * `info`: ordinary, worth knowing. `notice`: unusual, with harmless causes.
 * `warning`: headers that contradict each other or that no unmodified browser sends.
 */
export const levels = ['info', 'notice', 'warning'] as const;
export type Level = (typeof levels)[number];

export interface Rule {
  readonly level: Level;
  /** Set if other clients, such as libraries, crawlers and AI agents, need not do the same. */
  readonly appliesTo?: 'browsers' | 'chromium';
  readonly hint: string;
  /** Why bot detection evaluates it, and the evidence. */
  readonly reason: string;
}

/** A shorter User-Agent is noted. */
export const shortestUserAgent = 10;

const rows = {
  'user-agent-missing': {
    level: 'notice',
    hint: 'User-Agent is missing.',
    reason: 'Browsers, crawlers and almost all libraries send it; many sites reject requests without it.',
  },
  'user-agent-short': {
    level: 'notice',
    hint: `The User-Agent has fewer than ${shortestUserAgent} characters and names no known client.`,
    reason: 'No browser sends one this short; such values are typical of hand-written scripts.',
  },
  'accept-language-missing': {
    level: 'notice',
    hint: 'The User-Agent names {subject}; Accept-Language is missing.',
    reason: 'Browsers send Accept-Language with every ordinary request; libraries send it only if configured to.',
  },
  'accept-any': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a browser; Accept is only */*.',
    reason: 'A browser that loads a page lists text/html first; libraries send */* by default.',
  },
  'client-hints-missing': {
    level: 'notice',
    appliesTo: 'chromium',
    hint: 'The User-Agent names Chromium {major}, which sends Sec-CH-UA over HTTPS; Sec-CH-UA is missing.',
    reason:
      'A Chrome User-Agent without Client Hints is the most common trait of imitations. Filtering proxies, hardened builds and disabled JavaScript also remove them.',
  },
  'client-hints-unexpected': {
    level: 'warning',
    hint: 'Sec-CH-UA headers are present, but the User-Agent does not name a Chromium browser.',
    reason: 'Only Chromium sends them. Firefox, Safari, all browsers on iOS and libraries do not.',
  },
  'chromium-version-differs': {
    level: 'warning',
    appliesTo: 'chromium',
    hint: 'Client Hints state Chromium {hinted}, the User-Agent states Chrome {claimed}.',
    reason: 'Both come from the same build, so they agree in an unmodified browser.',
  },
  'platform-differs': {
    level: 'warning',
    appliesTo: 'browsers',
    hint: 'Sec-CH-UA-Platform states {hinted}, the User-Agent states {claimed}.',
    reason: 'Both name the same OS in an unmodified browser.',
  },
  'mobile-differs': {
    level: 'warning',
    appliesTo: 'chromium',
    hint: 'Sec-CH-UA-Mobile states {hinted} device, but the User-Agent {claimed} the word Mobile.',
    reason: 'Chromium derives both from one setting.',
  },
  headless: {
    level: 'warning',
    hint: 'The User-Agent names HeadlessChrome.',
    reason: 'It is Chrome run by a program without a window; many sites reject it by name.',
  },
  'headless-hidden': {
    level: 'warning',
    hint: 'The brands in the Client Hints include HeadlessChrome; the User-Agent does not name it.',
    reason: 'Overriding the User-Agent of headless Chrome leaves its Client Hints unchanged.',
  },
  'brands-unexpected': {
    level: 'notice',
    appliesTo: 'chromium',
    hint: 'The brands in Sec-CH-UA are not those, or not in the order, that Chromium {major} generates.',
    reason:
      'Chromium derives a meaningless brand and the order from its version, so copied or invented lists differ. Some forks use another order.',
  },
  'edge-differs': {
    level: 'warning',
    appliesTo: 'chromium',
    hint: 'The User-Agent names {claimed}, the brands in the Client Hints {hinted}.',
    reason: 'Microsoft Edge names itself in both, and no other browser names Edge.',
  },
  'hints-impossible': {
    level: 'notice',
    appliesTo: 'chromium',
    hint: 'Chromium sends no such value of {names}.',
    reason: 'The OS version has a known form and range on each platform; the bitness is 32 or 64.',
  },
  'device-differs': {
    level: 'warning',
    appliesTo: 'chromium',
    hint: 'Sec-CH-UA-Platform states a desktop OS, but {names} another device.',
    reason: 'Chromium on Windows and macOS sends an empty model and the form factor of a desktop or tablet.',
  },
  'user-agent-not-reduced': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent has details that Chrome and Edge {major} no longer send.',
    reason:
      'They send a fixed build number, OS version and device model; only enterprise policies restore the real ones.',
  },
  'fetch-metadata-missing': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a browser that sends Sec-Fetch-Site over HTTPS; Sec-Fetch-Site is missing.',
    reason:
      'Chrome 80, Firefox 90, Safari 16.4 and later send it with every request; libraries do not, and some proxies remove it.',
  },
  'fetch-metadata-unknown': {
    level: 'notice',
    hint: 'No browser sends this value of {names}.',
    reason: 'Browsers set these headers from a fixed list of values.',
  },
  'fetch-metadata-unexpected': {
    level: 'warning',
    appliesTo: 'browsers',
    hint: 'Sec-Fetch headers are present, but the User-Agent names Internet Explorer.',
    reason: 'Internet Explorer never sent them; its last version is older than they are.',
  },
  'compression-refused': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a browser that loads a page, but Accept-Encoding is identity.',
    reason: 'Browsers accept compressed pages; scripts refuse them in order not to decompress.',
  },
  'fetch-navigate-empty': {
    level: 'warning',
    hint: 'Sec-Fetch-Mode is navigate, but Sec-Fetch-Dest is empty.',
    reason: 'A navigation always has a destination, such as document or iframe; empty is for requests by scripts.',
  },
  'fetch-user-without-navigate': {
    level: 'warning',
    hint: 'Sec-Fetch-User is present, but Sec-Fetch-Mode is not navigate.',
    reason: 'Browsers send Sec-Fetch-User only with navigations started by a person.',
  },
  'fetch-none-with-referer': {
    level: 'notice',
    hint: 'Sec-Fetch-Site is none (no site started the request), but Referer names a site.',
    reason: 'Typed URLs and bookmarks have no Referer; a followed link has another Sec-Fetch-Site.',
  },
  'firefox-rv-differs': {
    level: 'warning',
    appliesTo: 'browsers',
    hint: 'The User-Agent names Firefox {major} without the matching rv:{rv}.',
    reason: 'Firefox derives both from its version (rv: stayed 109.0 in Firefox 110 to 119).',
  },
  'firefox-gecko-token': {
    level: 'warning',
    appliesTo: 'browsers',
    hint: 'The User-Agent names Firefox on a desktop OS, but its Gecko token is not 20100101.',
    reason: 'Desktop Firefox has sent this fixed date since 2010.',
  },
  'firefox-trailers-missing': {
    level: 'info',
    appliesTo: 'browsers',
    hint: 'The User-Agent names Firefox and the request used HTTP/2, but TE: trailers is missing.',
    reason: 'Firefox sends it with every HTTP/2 request; proxies may remove it in transit.',
  },
  'forwarded-address-differs': {
    level: 'notice',
    hint: 'Request headers name the IP address {address}, which differs from the connecting one.',
    reason:
      'Proxies name their user in these headers, and clients can set any value; in both cases two addresses are visible.',
  },
  'forwarded-address-unverified': {
    level: 'info',
    hint: 'Headers name the IP address {address}. A server that observes another connecting address treats the request as proxied.',
    reason: 'Proxies add such headers; the headers alone do not show which address connected.',
  },
  'forwarded-address-private': {
    level: 'info',
    hint: 'Headers name the private IP address {address}.',
    reason:
      'Proxies in company, school and home networks add this. It reveals an internal address and does not indicate a bot.',
  },
  'proxy-headers': {
    level: 'info',
    hint: 'Proxy headers are present: {names}.',
    reason: 'Companies, schools and carriers use proxies; some bot detection weighs them anyway.',
  },
  dnt: {
    level: 'info',
    hint: 'DNT requests not to be tracked.',
    reason: 'Few browsers still send it, so it narrows a fingerprint. It does not indicate a bot.',
  },
  gpc: {
    level: 'info',
    hint: 'Sec-GPC requests that data is not sold or shared.',
    reason:
      'Brave, DuckDuckGo and Tor Browser send it by default, Firefox as an option. It narrows a fingerprint and does not indicate a bot.',
  },
  'dnt-unexpected': {
    level: 'info',
    appliesTo: 'browsers',
    hint: 'DNT is present, but this browser no longer has that setting.',
    reason: 'Firefox removed it in version 135 and Safari in 2019; an extension can still add it.',
  },
  'version-behind': {
    level: 'info',
    appliesTo: 'browsers',
    hint: '{name} {major} was released about {months} months ago; the current version is about {name} {current}.',
    reason: 'Browsers update themselves, so old versions are rare and often come from copied headers.',
  },
  'version-future': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: '{name} {major} is not a released version; the current version is about {name} {current}.',
    reason: 'Invented User-Agents often state versions that do not exist.',
  },
  'tls-client-differs': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a {claimed} browser, but the ClientHello is that of {observed}.',
    reason:
      'Each TLS library offers its own cipher suites (the middle part of JA4) or, over QUIC, extensions (its last part). Antivirus programs and company proxies that decrypt TLS also cause this.',
  },
  'http-client-differs': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a {claimed} browser, but SETTINGS and pseudo-headers of HTTP/2 or HTTP/3 are those of {observed}.',
    reason:
      'Each library for HTTP/2 or HTTP/3 opens a connection in its own way (the Akamai and HTTP/3 fingerprints). Antivirus programs and company proxies that decrypt TLS also cause this.',
  },
  'host-not-first': {
    level: 'notice',
    appliesTo: 'browsers',
    hint: 'The User-Agent names a {claimed} browser, but the first header is not Host, in this capitalization.',
    reason:
      'Chromium and Firefox begin HTTP/1 requests with Host, and page scripts cannot change it. Proxies that decrypt TLS may reorder headers.',
  },
  'agent-session': {
    level: 'info',
    hint: 'The headers name {agent}, whatever the User-Agent states.',
    reason: 'Some AI assistants mark their requests with headers of their own. Any client can set them.',
  },
  'signed-agent': {
    level: 'info',
    hint: 'Signature-Agent names an agent that signs its requests; this service does not verify the signature.',
    reason: 'Web Bot Auth (an IETF draft) lets automated agents identify themselves, whatever their User-Agent states.',
  },
  'os-version-frozen': {
    level: 'info',
    appliesTo: 'browsers',
    hint: 'The User-Agent states {stated}, which stands for {meaning}{hint}.',
    reason:
      'Browsers freeze these values, so that they do not identify users; the true version is in Client Hints, if the browser sends them.',
  },
} satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof rows;

/**
 * By id, which is part of the response and never changes once published, in the order in which hints are listed. To add a rule, add a row,
 * a function and a header set that triggers it. Of Accept-Encoding, which edges rewrite, a rule uses only `identity`, which none of them
 * writes; and one rule uses the header order, if it is the client's own. Last updated: 2026-11-22
 */
export const rules: Readonly<Record<RuleId, Rule>> = rows;
