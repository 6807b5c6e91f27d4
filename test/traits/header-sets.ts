/** Header sets for check_headers: their senders, documentation, and all expected hints. */
import { unobserved } from '../../src/core/observed.ts';
import type { HeaderSubject } from '../../src/traits/claims.ts';
import type { Inapplicable } from '../../src/traits/data/sentences.ts';
import { helloOf } from '../client/fingerprint/hello-vectors.ts';
import { headersFrame, settingsFrame, windowUpdateFrame } from '../client/fingerprint/http2-frames.ts';
import { fieldsNamed } from '../observed.ts';

export interface HeaderSet {
  name: string;
  source: string;
  headers: Record<string, string>;
  /** Other observed values. If missing: headers passed as an object on 2026-11-21. */
  context?: Partial<Omit<HeaderSubject, 'headers'>>;
  /** `id`, or `id level` if the level differs from the rule's. Exactly these. */
  hints: readonly string[];
  /** Rules that do not apply, with the reason. */
  inapplicable?: Readonly<Record<string, Inapplicable>>;
}

const mdnHints = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Client_hints';
const mdnFetch = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site';
const mdnAccept =
  'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Content_negotiation/List_of_default_Accept_values';
const reduction = 'https://www.chromium.org/updates/ua-reduction/';
const mdnFirefox = 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/User-Agent/Firefox';
const uaHints = 'https://wicg.github.io/ua-client-hints/';
const facts = 'no public page; written from the requests of this client';

/** Templates of the frozen User-Agents: https://www.chromium.org/updates/ua-reduction/ */
const windows = 'Windows NT 10.0; Win64; x64';
const mac = 'Macintosh; Intel Mac OS X 10_15_7';
const linux = 'X11; Linux x86_64';
const chromeOs = 'X11; CrOS x86_64 14541.0.0';
const android = 'Linux; Android 10; K';
const chromeAgent = (platform: string, version: string | number, mobile = '', tail = '') =>
  `Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${typeof version === 'number' ? `${version}.0.0.0` : version} ${mobile}Safari/537.36${tail}`;
const firefoxAgent = (platform: string, major: number, rv = major) =>
  `Mozilla/5.0 (${platform}; rv:${rv}.0) Gecko/20100101 Firefox/${major}.0`;
const macSafariAgent = (version: string) =>
  `Mozilla/5.0 (${mac}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version} Safari/605.1.15`;
const iphoneAgent = (os: string, products: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${os} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ${products}`;

const chromeAccept =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
const plainAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const navigation = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
};
const sameOriginFetch = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };

const chromeBrands = {
  145: '"Not:A-Brand";v="99", "Google Chrome";v="145", "Chromium";v="145"',
  146: '"Chromium";v="146", "Not-A.Brand";v="24", "Google Chrome";v="146"',
  147: '"Google Chrome";v="147", "Not.A/Brand";v="8", "Chromium";v="147"',
  148: '"Chromium";v="148", "Google Chrome";v="148", "Not/A)Brand";v="99"',
  149: '"Google Chrome";v="149", "Chromium";v="149", "Not)A;Brand";v="24"',
  150: '"Not;A=Brand";v="8", "Chromium";v="150", "Google Chrome";v="150"',
  154: '"Chromium";v="154", "Google Chrome";v="154", "Not A(Brand";v="99"',
} as const;

const hints = (brands: string, platform: string, mobile = '?0') => ({
  'sec-ch-ua': brands,
  'sec-ch-ua-mobile': mobile,
  'sec-ch-ua-platform': `"${platform}"`,
});

const chromiumPage = {
  'upgrade-insecure-requests': '1',
  accept: chromeAccept,
  ...navigation,
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-US,en;q=0.9',
  priority: 'u=0, i',
};
const chrome = {
  ...hints(chromeBrands[150], 'Windows'),
  'user-agent': chromeAgent(windows, 150),
  ...chromiumPage,
};
const chromePlainHttp = {
  host: 'example.com',
  connection: 'keep-alive',
  'upgrade-insecure-requests': '1',
  'user-agent': chromeAgent(windows, 150),
  accept: chromeAccept,
  'accept-encoding': 'gzip, deflate',
  'accept-language': 'en-US,en;q=0.9',
};
const firefox = {
  'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 156),
  accept: plainAccept,
  'accept-language': 'en-US,en;q=0.9',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'upgrade-insecure-requests': '1',
  ...navigation,
  priority: 'u=0, i',
  te: 'trailers',
};
const safari = {
  'sec-fetch-dest': 'document',
  'user-agent': macSafariAgent('26.6'),
  accept: plainAccept,
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'accept-language': 'en-US,en;q=0.9',
  priority: 'u=0, i',
  'accept-encoding': 'gzip, deflate, br',
};
const iphone = { ...safari, 'user-agent': iphoneAgent('18_7', 'Version/26.6 Mobile/15E148 Safari/604.1') };

const without = (headers: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
const noHints = (headers: Record<string, string>) =>
  without(headers, 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform');

/** Unmodified browsers: nothing above `info`, over any connection. */
export const genuine: readonly HeaderSet[] = [
  {
    name: 'Chrome on Windows 11 with every hint',
    source: mdnHints,
    headers: {
      ...chrome,
      'sec-ch-ua-full-version-list':
        '"Not;A=Brand";v="8.0.0.0", "Chromium";v="150.0.7871.4", "Google Chrome";v="150.0.7871.4"',
      'sec-ch-ua-platform-version': '"19.0.0"',
      'sec-ch-ua-model': '""',
      'sec-ch-ua-arch': '"x86"',
      'sec-ch-ua-bitness': '"64"',
      'sec-ch-ua-form-factors': '"Desktop"',
    },
    hints: [],
    inapplicable: { 'fetch-metadata-unexpected': 'onlyInternetExplorer' },
  },
  {
    name: 'Internet Explorer 11 that loads a page',
    source:
      'https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/compatibility/hh869301(v=vs.85)',
    headers: {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
      accept: 'text/html, application/xhtml+xml, */*',
      'accept-language': 'en-US',
      'accept-encoding': 'gzip, deflate',
    },
    hints: [],
  },
  {
    name: 'A part of a video that Chrome loads uncompressed',
    source: mdnAccept,
    headers: {
      ...without(chrome, 'sec-fetch-user', 'upgrade-insecure-requests'),
      accept: '*/*',
      'accept-encoding': 'identity',
      range: 'bytes=0-',
      'sec-fetch-mode': 'no-cors',
      'sec-fetch-dest': 'video',
      'sec-fetch-site': 'same-origin',
    },
    hints: [],
  },
  {
    name: 'Chrome 100 with its full build number, before the reduction',
    source: reduction,
    headers: {
      ...chrome,
      ...hints('" Not A;Brand";v="99", "Chromium";v="100", "Google Chrome";v="100"', 'Windows'),
      'user-agent': chromeAgent(windows, '100.0.4896.127'),
    },
    hints: ['version-behind'],
    inapplicable: { 'user-agent-not-reduced': 'beforeSupport', 'brands-unexpected': 'untestedMajor' },
  },
  {
    name: 'Chrome 90 of a Brave that sent no Client Hints',
    source: 'https://github.com/brave/brave-core/pull/14155',
    headers: { ...chromiumPage, 'user-agent': chromeAgent(windows, '90.0.4430.212') },
    hints: ['client-hints-missing info', 'version-behind'],
  },
  {
    name: 'An in-app browser that kept the brands of Chrome and names the build',
    source: facts,
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'Android', '?1'),
      'user-agent': chromeAgent('Linux; Android 15; SM-S931B Build/AP3A.240905.015', '150.0.7871.46', 'Mobile '),
    },
    hints: [],
    inapplicable: { 'user-agent-not-reduced': 'ownUserAgent' },
  },
  {
    name: 'A WebView known only by its wv',
    source: 'https://developer.chrome.com/docs/multidevice/user-agent#webview_user_agent',
    headers: {
      'user-agent': chromeAgent('Linux; Android 15; Pixel 9; wv', '150.0.7871.46', 'Mobile '),
      accept: '*/*',
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'ownUserAgent', 'accept-any': 'notNavigation' },
  },
  {
    name: 'Opera on Android without Client Hints',
    source: facts,
    headers: {
      'user-agent': chromeAgent(android, 149, 'Mobile ', ' OPR/96.0.0.0'),
      accept: plainAccept,
      'accept-language': 'en-NG,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'ownUserAgent' },
  },
  {
    name: 'Chrome 150, an embedded object that accepts anything',
    source: mdnAccept,
    headers: {
      ...without(chrome, 'sec-fetch-user'),
      accept: '*/*',
      'sec-fetch-dest': 'object',
      'sec-fetch-site': 'same-origin',
    },
    hints: [],
    inapplicable: { 'accept-any': 'notNavigation' },
  },
  {
    name: 'Chrome 150, fetch whose destination was removed in transit',
    source: mdnAccept,
    headers: { ...without(chrome, 'sec-fetch-user', 'sec-fetch-dest'), accept: '*/*', 'sec-fetch-mode': 'cors' },
    hints: [],
    inapplicable: { 'accept-any': 'notNavigation' },
  },
  {
    name: 'Internet Explorer 11 on Windows 10',
    source:
      'https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/compatibility/hh869301(v=vs.85)',
    headers: {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
      accept: 'text/html, application/xhtml+xml, image/jxr, */*',
      'accept-language': 'en-US',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'onlyChromium', 'firefox-rv-differs': 'onlyFirefox' },
  },
  {
    name: 'Edge 18, before Chromium',
    source: 'https://learn.microsoft.com/en-us/microsoft-edge/web-platform/user-agent-guidance',
    headers: {
      'user-agent': chromeAgent(windows, '64.0.3282.140', '', ' Edge/18.17763'),
      accept: 'text/html, application/xhtml+xml, application/xml; q=0.9, */*; q=0.8',
      'accept-language': 'en-US',
    },
    hints: [],
  },
  {
    name: 'Firefox 120, the first with rv: as its version again',
    source: 'https://bugzilla.mozilla.org/show_bug.cgi?id=1805967',
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 120) },
    hints: ['version-behind'],
  },
  {
    name: 'Safari 18, two majors before 27',
    source: 'https://developer.apple.com/documentation/safari-release-notes',
    headers: { ...safari, 'user-agent': macSafariAgent('18.6') },
    hints: [],
  },
  {
    name: 'An app on an iPhone with Version and without Safari',
    source: facts,
    headers: {
      'user-agent': iphoneAgent('18_7', 'Version/26.6 Mobile/15E148'),
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'fetch-metadata-missing': 'ownUserAgent' },
  },
  { name: 'Chrome 150 on Windows, page', source: mdnHints, headers: chrome, hints: [] },
  {
    name: 'Chrome 154 on Windows',
    source: mdnHints,
    headers: { ...chrome, ...hints(chromeBrands[154], 'Windows'), 'user-agent': chromeAgent(windows, 154) },
    hints: [],
  },
  {
    name: 'Chrome 149 on macOS, followed link',
    source: reduction,
    headers: {
      ...chrome,
      ...hints(chromeBrands[149], 'macOS'),
      'user-agent': chromeAgent(mac, 149),
      'sec-fetch-site': 'cross-site',
      referer: 'https://search.example/',
    },
    hints: [],
  },
  {
    name: 'Chrome 149 on Linux, iframe',
    source: mdnFetch,
    headers: {
      ...chrome,
      ...hints(chromeBrands[149], 'Linux'),
      'user-agent': chromeAgent(linux, 149),
      'sec-fetch-site': 'cross-site',
      'sec-fetch-dest': 'iframe',
      'sec-fetch-storage-access': 'active',
    },
    hints: [],
  },
  {
    name: 'Chrome 149 on Chrome OS',
    source: reduction,
    headers: { ...chrome, ...hints(chromeBrands[149], 'Chrome OS'), 'user-agent': chromeAgent(chromeOs, 149) },
    hints: [],
    inapplicable: { 'version-behind': 'lastBuild' },
  },
  {
    name: 'Chromium on ChromiumOS',
    source: uaHints,
    headers: {
      ...chrome,
      ...hints('"Chromium";v="149", "Not)A;Brand";v="24"', 'Chromium OS'),
      'user-agent': chromeAgent(chromeOs, 149),
    },
    hints: [],
    inapplicable: { 'brands-unexpected': 'otherBrands', 'user-agent-not-reduced': 'onlyChromeEdge' },
  },
  {
    name: 'Chrome 150 on an Android phone',
    source: reduction,
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'Android', '?1'),
      'user-agent': chromeAgent(android, 150, 'Mobile '),
    },
    hints: [],
  },
  {
    name: 'Chrome 150 on an Android tablet: no Mobile, ?0',
    source: reduction,
    headers: { ...chrome, ...hints(chromeBrands[150], 'Android'), 'user-agent': chromeAgent(android, 150) },
    hints: [],
  },
  {
    name: 'Chrome 150 on Android asking for the desktop site: Linux in both',
    source: 'https://source.chromium.org/chromium/chromium/src/+/main:components/embedder_support/user_agent_utils.cc',
    headers: { ...chrome, ...hints(chromeBrands[150], 'Linux'), 'user-agent': chromeAgent(linux, 150) },
    hints: [],
  },
  {
    name: 'An Android browser that changes only the User-Agent for the desktop site',
    source: facts,
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'Android'),
      'user-agent': chromeAgent(linux, 150),
    },
    hints: ['platform-differs info'],
  },
  {
    name: 'Chrome 150 with every high-entropy hint',
    source: uaHints,
    headers: {
      ...chrome,
      'sec-ch-ua-full-version-list':
        '"Not;A=Brand";v="8.0.0.0", "Chromium";v="150.0.7871.46", "Google Chrome";v="150.0.7871.46"',
      'sec-ch-ua-platform-version': '"19.0.0"',
      'sec-ch-ua-arch': '"x86"',
      'sec-ch-ua-bitness': '"64"',
      'sec-ch-ua-model': '""',
      'sec-ch-ua-form-factors': '"Desktop"',
    },
    hints: [],
  },
  {
    name: 'Chrome 150, fetch by a script of the page',
    source: mdnAccept,
    headers: {
      ...hints(chromeBrands[150], 'Windows'),
      'user-agent': chromeAgent(windows, 150),
      accept: '*/*',
      ...sameOriginFetch,
      referer: 'https://example.com/',
      'accept-encoding': 'gzip, deflate, br, zstd',
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'accept-any': 'notNavigation' },
  },
  {
    name: 'Chrome 150, image of another site',
    source: mdnAccept,
    headers: {
      ...hints(chromeBrands[150], 'Windows'),
      'user-agent': chromeAgent(windows, 150),
      accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'no-cors',
      'sec-fetch-dest': 'image',
      'accept-language': 'de-DE',
    },
    hints: [],
  },
  {
    name: 'Chrome 150, speculation rules',
    source: 'https://html.spec.whatwg.org/multipage/speculative-loading.html',
    headers: {
      ...hints(chromeBrands[150], 'Windows'),
      'user-agent': chromeAgent(windows, 150),
      accept: '*/*',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
      'sec-fetch-dest': 'speculationrules',
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: [],
  },
  {
    name: 'Chrome 150, CORS preflight',
    source: 'https://fetch.spec.whatwg.org/#cors-preflight-fetch',
    headers: {
      accept: '*/*',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
      origin: 'https://example.com',
      'user-agent': chromeAgent(windows, 150),
      ...sameOriginFetch,
      'sec-fetch-site': 'cross-site',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'special', 'accept-language-missing': 'special', 'accept-any': 'special' },
  },
  {
    name: 'Chrome 150, WebSocket handshake',
    source: 'https://www.rfc-editor.org/rfc/rfc6455#section-4.1',
    headers: {
      upgrade: 'websocket',
      connection: 'Upgrade',
      origin: 'https://example.com',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'user-agent': chromeAgent(windows, 150),
      'accept-encoding': 'gzip, deflate, br, zstd',
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'special', 'fetch-metadata-missing': 'special' },
  },
  {
    name: 'Chrome 150, report upload',
    source: 'https://www.w3.org/TR/reporting-1/#media-type',
    headers: { 'user-agent': chromeAgent(windows, 150), 'content-type': 'application/reports+json', accept: '*/*' },
    hints: [],
    inapplicable: { 'client-hints-missing': 'special', 'fetch-metadata-missing': 'special' },
  },
  {
    name: 'Chrome 150, service worker script',
    source: 'https://www.w3.org/TR/service-workers/#update-algorithm',
    headers: {
      'user-agent': chromeAgent(windows, 150),
      'service-worker': 'script',
      accept: '*/*',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'same-origin',
      'sec-fetch-dest': 'serviceworker',
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'special' },
  },
  {
    name: 'Chrome on Android opened by an app, with the app as Referer',
    source: 'https://developer.chrome.com/docs/android/custom-tabs',
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'Android', '?1'),
      'user-agent': chromeAgent(android, 150, 'Mobile '),
      referer: 'android-app://com.example.reader/',
    },
    hints: [],
  },
  {
    name: 'Chrome on Android opened by an app, with a web address as Referer',
    source: 'https://developer.chrome.com/docs/android/custom-tabs',
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'Android', '?1'),
      'user-agent': chromeAgent(android, 150, 'Mobile '),
      referer: 'https://www.google.com/',
    },
    hints: ['fetch-none-with-referer info'],
  },
  {
    name: 'Chrome 109 on Windows 7, its last version',
    source: 'https://support.google.com/chrome/thread/185534985',
    headers: {
      ...chrome,
      ...hints('"Not_A Brand";v="99", "Google Chrome";v="109", "Chromium";v="109"', 'Windows'),
      'user-agent': chromeAgent('Windows NT 6.1; Win64; x64', 109),
    },
    hints: [],
    inapplicable: { 'version-behind': 'lastBuild' },
  },
  {
    name: 'Chrome 108 on Android 8 with its model, before the reduction reached Android',
    source: reduction,
    headers: {
      ...chrome,
      ...hints('"Not?A_Brand";v="8", "Chromium";v="108", "Google Chrome";v="108"', 'Android', '?1'),
      'user-agent': chromeAgent('Linux; Android 8.0.0; SM-G930F', 108, 'Mobile '),
    },
    hints: [],
    inapplicable: { 'user-agent-not-reduced': 'beforeSupport', 'version-behind': 'lastBuild' },
  },
  {
    name: 'Chrome 120 on macOS, three years old',
    source: facts,
    headers: {
      ...chrome,
      ...hints('"Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120"', 'macOS'),
      'user-agent': chromeAgent(mac, 120),
    },
    hints: ['version-behind'],
  },
  {
    name: 'Chrome 83, before Client Hints',
    source: mdnHints,
    headers: { ...chromiumPage, 'user-agent': chromeAgent(windows, '83.0.4103.116') },
    hints: ['version-behind'],
    inapplicable: { 'client-hints-missing': 'beforeSupport' },
  },
  {
    name: 'Chrome 75, before Fetch Metadata',
    source: mdnFetch,
    headers: {
      'user-agent': chromeAgent(windows, '75.0.3770.100'),
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: ['version-behind'],
    inapplicable: { 'fetch-metadata-missing': 'beforeSupport' },
  },
  {
    name: 'Brave 1.44, which sent no Client Hints',
    source: 'https://github.com/brave/brave-core/pull/14155',
    headers: { ...chromiumPage, 'user-agent': chromeAgent(windows, 106), 'sec-gpc': '1' },
    hints: ['client-hints-missing info', 'gpc', 'version-behind'],
  },
  {
    name: 'Brave on Windows',
    source: 'https://github.com/brave/brave-browser/issues/25459',
    headers: {
      ...chrome,
      ...hints('"Not;A=Brand";v="8", "Chromium";v="150", "Brave";v="150"', 'Windows'),
      'sec-gpc': '1',
      'accept-language': 'en-US,en;q=0.6',
    },
    hints: ['gpc'],
    inapplicable: { 'user-agent-not-reduced': 'onlyChromeEdge' },
  },
  {
    name: 'Edge on Windows',
    source: 'https://learn.microsoft.com/en-us/microsoft-edge/web-platform/user-agent-guidance',
    headers: {
      ...chrome,
      ...hints('"Not;A=Brand";v="8", "Chromium";v="150", "Microsoft Edge";v="150"', 'Windows'),
      'user-agent': chromeAgent(windows, 150, '', ' Edg/150.0.0.0'),
    },
    hints: [],
  },
  {
    name: 'Edge on Android',
    source: 'https://learn.microsoft.com/en-us/microsoft-edge/web-platform/user-agent-guidance',
    headers: {
      ...chrome,
      ...hints('"Microsoft Edge";v="149", "Chromium";v="149", "Not)A;Brand";v="24"', 'Android', '?1'),
      'user-agent': chromeAgent(android, 149, 'Mobile ', ' EdgA/149.0.0.0'),
    },
    hints: [],
  },
  {
    name: 'Opera on Windows: its own brand has another number',
    source: uaHints,
    headers: {
      ...chrome,
      ...hints('"Chromium";v="146", "Not-A.Brand";v="24", "Opera";v="130"', 'Windows'),
      'user-agent': chromeAgent(windows, 146, '', ' OPR/130.0.0.0'),
    },
    hints: [],
    inapplicable: { 'version-behind': 'ownUserAgent' },
  },
  {
    name: 'Opera GX with its edition',
    source: facts,
    headers: {
      'user-agent': chromeAgent(windows, 146, '', ' OPR/130.0.0.0 (Edition Yx GX)'),
      accept: plainAccept,
      'accept-language': 'pl-PL,pl;q=0.9',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'ownUserAgent' },
  },
  {
    name: 'Samsung Internet on a phone: its own brand has another number',
    source: 'https://developer.samsung.com/internet/user-agent-string-format.html',
    headers: {
      ...chrome,
      ...hints('"Samsung Internet";v="30.0", "Chromium";v="143", "Not A(Brand";v="24"', 'Android', '?1'),
      'user-agent':
        'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/30.0 Chrome/143.0.0.0 Mobile Safari/537.36',
    },
    hints: [],
    inapplicable: { 'version-behind': 'ownUserAgent' },
  },
  {
    name: 'Yandex Browser: four brands and full build numbers',
    source: facts,
    headers: {
      ...chrome,
      ...hints('"Not:A-Brand";v="99", "Chromium";v="148", "YaBrowser";v="26.6", "Yowser";v="2.5"', 'Windows'),
      'user-agent': chromeAgent(windows, 148, '', '').replace(' Safari', ' YaBrowser/26.6.0.0 Safari'),
    },
    hints: [],
    inapplicable: { 'brands-unexpected': 'otherBrands' },
  },
  {
    name: 'Vivaldi with its own token',
    source: 'https://vivaldi.com/blog/user-agent-changes/',
    headers: {
      ...chrome,
      ...hints('"Chromium";v="148", "Vivaldi";v="8.1", "Not/A)Brand";v="99"', 'Linux'),
      'user-agent': chromeAgent(linux, 148, '', ' Vivaldi/8.1.4000.12'),
    },
    hints: ['version-behind'],
  },
  {
    name: 'Android WebView in an app',
    source: 'https://developer.chrome.com/docs/multidevice/user-agent#webview_user_agent',
    headers: {
      ...chrome,
      ...hints('"Android WebView";v="149", "Chromium";v="149", "Not)A;Brand";v="24"', 'Android', '?1'),
      'user-agent':
        'Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/BP1A.250305.019; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/149.0.7827.91 Mobile Safari/537.36',
      'x-requested-with': 'com.example.reader',
    },
    hints: [],
    inapplicable: { 'mobile-differs': 'ownUserAgent', 'user-agent-not-reduced': 'onlyChromeEdge' },
  },
  {
    name: 'Android WebView of a manufacturer that sends ?0 on a phone',
    source: facts,
    headers: {
      ...chrome,
      ...hints('"Android WebView";v="149", "Chromium";v="149", "Not)A;Brand";v="24"', 'Android', '?0'),
      'user-agent':
        'Mozilla/5.0 (Linux; Android 14; V2310 Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/149.0.7827.91 Mobile Safari/537.36',
    },
    hints: [],
    inapplicable: { 'mobile-differs': 'ownUserAgent' },
  },
  {
    name: 'Instagram on Android without Client Hints',
    source: 'https://developer.chrome.com/docs/multidevice/user-agent#webview_user_agent',
    headers: {
      'user-agent':
        'Mozilla/5.0 (Linux; Android 14; SM-S911B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/149.0.7827.91 Mobile Safari/537.36 Instagram 380.0.0.40.110 Android (34/14; 480dpi; 1080x2115; samsung; SM-S911B; dm1q; qcom; en_US; 700000000)',
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'ownUserAgent', 'fetch-metadata-missing': 'ownUserAgent' },
  },
  {
    name: 'An Electron app with its own token and full build number',
    source: 'https://www.electronjs.org/docs/latest/api/session#sesgetuseragent',
    headers: {
      ...chrome,
      ...hints('"Not;A=Brand";v="8", "Chromium";v="150"', 'macOS'),
      'user-agent': chromeAgent(mac, '150.0.7871.46')
        .replace(' Chrome/', ' Notes/3.2.1 Chrome/')
        .replace(' Safari', ' Electron/43.1.0 Safari'),
    },
    hints: [],
    inapplicable: { 'version-behind': 'ownUserAgent' },
  },
  {
    name: 'Samsung television',
    source: 'https://developer.samsung.com/smarttv/develop/guides/fundamentals/retrieving-platform-information.html',
    headers: {
      'user-agent':
        'Mozilla/5.0 (SMART-TV; LINUX; Tizen 9.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/9.0 TV Safari/537.36',
      accept: plainAccept,
      ...hints('"Chromium";v="120", "Not_A Brand";v="8"', 'Linux', '?1'),
    },
    hints: [],
    inapplicable: { 'accept-language-missing': 'appliance', 'mobile-differs': 'appliance' },
  },
  {
    name: 'LG television with an old Chromium',
    source: 'https://webostv.developer.lge.com/develop/specifications/web-api-and-web-engine',
    headers: {
      'user-agent':
        'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.270 Safari/537.36 WebAppManager',
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.9',
      'sec-ch-ua-platform': '"Android"',
    },
    hints: [],
    inapplicable: { 'version-behind': 'appliance', 'platform-differs': 'nothingToCompare' },
  },
  {
    name: 'Meta Quest Browser: Linux in one, Android in the other',
    source: 'https://developers.meta.com/horizon/documentation/web/browser-specs/',
    headers: {
      ...chrome,
      ...hints('"Chromium";v="148", "Oculus Browser";v="41", "Not/A)Brand";v="99"', 'Android', '?0'),
      'user-agent':
        'Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/41.0.0.0 Chrome/148.0.7778.96 Mobile VR Safari/537.36',
    },
    hints: [],
    inapplicable: { 'platform-differs': 'appliance', 'mobile-differs': 'appliance' },
  },
  {
    name: 'Opera Mini in its extreme mode, with the phone as forwarded address',
    source: 'https://dev.opera.com/articles/opera-mini-request-headers/',
    headers: {
      'user-agent': 'Opera/9.80 (Android; Opera Mini/70.0.2254/191.303; U; en) Presto/2.12.423 Version/12.16',
      accept: 'text/html, application/xml;q=0.9, application/xhtml+xml, image/png, image/webp, */*;q=0.1',
      'accept-language': 'en',
      'x-operamini-features': 'advanced, file_system, camera, touch, folding',
      'x-operamini-phone': 'Android #',
      'x-forwarded-for': '203.0.113.80',
      via: '1.1 opera-mini-proxy',
    },
    context: { ip: '198.51.100.9' },
    hints: [],
    inapplicable: { 'forwarded-address-differs': 'ownProxy', 'proxy-headers': 'ownProxy' },
  },
  { name: 'Firefox 156 on Windows, page', source: mdnFirefox, headers: firefox, hints: [] },
  {
    name: 'Firefox 155 on macOS, fetch',
    source: mdnAccept,
    headers: {
      'user-agent': firefoxAgent('Macintosh; Intel Mac OS X 10.15', 155),
      accept: '*/*',
      'accept-language': 'fr,fr-FR;q=0.9,en-US;q=0.8,en;q=0.7',
      ...sameOriginFetch,
      te: 'trailers',
    },
    hints: [],
  },
  {
    name: 'Firefox 154 on Linux, image',
    source: mdnAccept,
    headers: {
      'user-agent': firefoxAgent('X11; Ubuntu; Linux x86_64', 154),
      accept: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
      'accept-language': 'en-US,en;q=0.9',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'no-cors',
      'sec-fetch-dest': 'image',
      te: 'trailers',
    },
    hints: [],
  },
  {
    name: 'Firefox 156 on Android: its version as Gecko token',
    source: mdnFirefox,
    headers: { ...firefox, 'user-agent': 'Mozilla/5.0 (Android 15; Mobile; rv:156.0) Gecko/156.0 Firefox/156.0' },
    hints: [],
    inapplicable: { 'firefox-gecko-token': 'onlyFirefoxDesktop' },
  },
  {
    name: 'Firefox 115 ESR: rv: stays at 109',
    source: 'https://bugzilla.mozilla.org/show_bug.cgi?id=1805967',
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 6.1; Win64; x64', 115, 109) },
    hints: [],
    inapplicable: { 'version-behind': 'lastBuild' },
  },
  {
    name: 'Firefox 140 ESR',
    source: 'https://support.mozilla.org/en-US/kb/choosing-firefox-update-channel',
    headers: { ...firefox, 'user-agent': firefoxAgent('X11; Linux x86_64', 140) },
    hints: [],
    inapplicable: { 'version-behind': 'lastBuild' },
  },
  {
    name: 'Tor Browser 15: the User-Agent of an ESR',
    source: 'https://www.torproject.org/',
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 140), 'sec-gpc': '1' },
    hints: ['gpc'],
  },
  {
    name: 'Firefox 98, before the rule for rv:',
    source: mdnFirefox,
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 98) },
    hints: ['version-behind'],
    inapplicable: { 'firefox-rv-differs': 'beforeSupport' },
  },
  {
    name: 'Firefox 78, before Fetch Metadata',
    source: mdnFetch,
    headers: {
      'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 78),
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8',
      'accept-language': 'en-US,en;q=0.5',
      dnt: '1',
      te: 'trailers',
    },
    hints: ['dnt', 'version-behind'],
    inapplicable: { 'fetch-metadata-missing': 'beforeSupport' },
  },
  {
    name: 'Waterfox: Firefox with a token of its own',
    source: facts,
    headers: {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0 Waterfox/6.6.4',
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.5',
    },
    hints: [],
    inapplicable: { 'firefox-rv-differs': 'ownUserAgent' },
  },
  {
    name: 'Safari 26 on macOS: no Sec-Fetch-User',
    source: 'https://bugs.webkit.org/show_bug.cgi?id=247697',
    headers: safari,
    hints: [],
  },
  {
    name: 'Safari 27 on macOS, fetch',
    source: mdnAccept,
    headers: {
      'user-agent': macSafariAgent('27.0'),
      accept: '*/*',
      ...sameOriginFetch,
      'accept-language': 'en-GB,en;q=0.9',
      referer: 'https://example.com/',
    },
    hints: [],
  },
  {
    name: 'Safari 26 on an iPhone: the system frozen at 18_7',
    source: 'https://webkit.org/blog/17333/webkit-features-in-safari-26-0/',
    headers: iphone,
    hints: [],
  },
  {
    name: 'Safari 26 on an iPhone: the system frozen at 18_6',
    source: 'https://webkit.org/blog/17333/webkit-features-in-safari-26-0/',
    headers: { ...iphone, 'user-agent': iphoneAgent('18_6', 'Version/26.0 Mobile/15E148 Safari/604.1') },
    hints: [],
  },
  {
    name: 'Safari on an iPad with desktop sites',
    source: facts,
    headers: { ...safari, 'user-agent': macSafariAgent('26.4') },
    hints: [],
  },
  {
    name: 'Safari 16.3, before Fetch Metadata',
    source: mdnFetch,
    headers: { 'user-agent': macSafariAgent('16.3'), accept: '*/*', 'accept-language': 'en-US,en;q=0.9' },
    hints: [],
    inapplicable: { 'fetch-metadata-missing': 'beforeSupport', 'accept-any': 'notNavigation' },
  },
  {
    name: 'Safari 12.0 with DNT, which it still had',
    source: 'https://developer.apple.com/documentation/safari-release-notes/safari-12_1-release-notes',
    headers: { 'user-agent': macSafariAgent('12.0'), accept: plainAccept, 'accept-language': 'en-us', dnt: '1' },
    hints: ['dnt', 'version-behind'],
  },
  {
    name: 'Safari 13 on macOS 10.13, its last version',
    source: 'https://support.apple.com/100100',
    headers: {
      'user-agent': macSafariAgent('13.1.2').replace('10_15_7', '10_13_6'),
      accept: plainAccept,
      'accept-language': 'en-us',
    },
    hints: [],
    inapplicable: { 'version-behind': 'lastBuild' },
  },
  {
    name: 'Safari 12 on an iPhone 6, whose last iOS is 12.5',
    source: 'https://support.apple.com/100100',
    headers: {
      'user-agent': iphoneAgent('12_5_7', 'Version/12.1.2 Mobile/15E148 Safari/604.1'),
      accept: plainAccept,
      'accept-language': 'en-us',
    },
    hints: [],
    inapplicable: { 'version-behind': 'lastBuild' },
  },
  {
    name: 'Safari 13 on an iPhone, each of which got a later iOS',
    source: 'https://support.apple.com/100100',
    headers: {
      'user-agent': iphoneAgent('13_2_3', 'Version/13.0.3 Mobile/15E148 Safari/604.1'),
      accept: plainAccept,
      'accept-language': 'en-us',
    },
    hints: ['version-behind'],
  },
  {
    name: 'Chrome on Windows Server 2022 with its platform version',
    source: mdnHints,
    headers: { ...chrome, 'sec-ch-ua-platform-version': '"12.0.0"' },
    hints: [],
  },
  {
    name: 'Chrome on an iPhone is WebKit',
    source: 'https://developer.chrome.com/docs/multidevice/user-agent',
    headers: { ...safari, 'user-agent': iphoneAgent('26_2', 'CriOS/154.0.7912.51 Mobile/15E148 Safari/604.1') },
    hints: [],
    inapplicable: { 'client-hints-missing': 'onlyChromium', 'user-agent-not-reduced': 'onlyChromeEdge' },
  },
  {
    name: 'Edge on an iPhone without Fetch Metadata',
    source: facts,
    headers: {
      'user-agent': iphoneAgent('18_7', 'Version/26.0 EdgiOS/150.0.4000.12 Mobile/15E148 Safari/604.1'),
      accept: plainAccept,
      'accept-language': 'en-GB,en;q=0.9',
    },
    hints: [],
    inapplicable: { 'fetch-metadata-missing': 'ownUserAgent' },
  },
  {
    name: 'Firefox on an iPhone is WebKit',
    source: mdnFirefox,
    headers: { ...safari, 'user-agent': iphoneAgent('26_1', 'FxiOS/156.0 Mobile/15E148 Safari/605.1.15') },
    hints: [],
    inapplicable: { 'firefox-rv-differs': 'onlyFirefox' },
  },
  {
    name: 'DuckDuckGo on an iPhone',
    source: facts,
    headers: {
      ...iphone,
      'user-agent': iphoneAgent('18_7', 'Version/26.6 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15'),
      'sec-gpc': '1',
    },
    hints: ['gpc'],
  },
  {
    name: 'Chrome behind a company proxy that adds X-Forwarded-For',
    source: 'https://www.rfc-editor.org/rfc/rfc7239#section-8.3',
    headers: { ...chrome, 'x-forwarded-for': '10.20.30.40', via: '1.1 proxy.corp.example (squid/6.10)' },
    hints: ['forwarded-address-private', 'proxy-headers'],
  },
  {
    name: 'Chrome with DNT switched on',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/DNT',
    headers: { ...chrome, dnt: '1' },
    hints: ['dnt'],
  },
];

/** Unmodified browsers over plain HTTP, which send neither hints nor Fetch Metadata. */
export const plain: readonly HeaderSet[] = [
  {
    name: 'Chrome with the former data saver',
    source: 'https://developer.chrome.com/docs/multidevice/data-compression',
    headers: {
      ...chromePlainHttp,
      via: '1.1 Chrome-Compression-Proxy',
      'save-data': 'on',
      'x-forwarded-for': '203.0.113.80',
    },
    context: { https: false },
    hints: [],
    inapplicable: { 'forwarded-address-unverified': 'ownProxy' },
  },
  {
    name: 'Chrome over plain HTTP, observed',
    source: mdnHints,
    headers: chromePlainHttp,
    context: { own: true, https: false, http2: false },
    hints: [],
    inapplicable: { 'client-hints-missing': 'plainHttp', 'fetch-metadata-missing': 'plainHttp' },
  },
  {
    name: 'Chrome over plain HTTP, copied: a condition, not an accusation',
    source: mdnHints,
    headers: chromePlainHttp,
    hints: ['client-hints-missing info', 'fetch-metadata-missing info'],
  },
  {
    name: 'Chrome over plain HTTP, copied from behind a proxy that sends X-Forwarded-Proto',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-Proto',
    headers: { ...chromePlainHttp, 'x-forwarded-proto': 'http' },
    hints: [],
    inapplicable: { 'client-hints-missing': 'plainHttp' },
  },
  {
    name: 'Chrome fetch over plain HTTP, observed',
    source: mdnAccept,
    headers: { 'user-agent': chromeAgent(windows, 150), accept: '*/*', 'accept-language': 'en-US,en;q=0.9' },
    context: { own: true, https: false, http2: false },
    hints: [],
    inapplicable: { 'accept-any': 'plainHttp' },
  },
  {
    name: 'Firefox over plain HTTP/1.1: no TE',
    source: mdnFirefox,
    headers: {
      'user-agent': firefoxAgent('X11; Linux x86_64', 156),
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.9',
      'upgrade-insecure-requests': '1',
    },
    context: { own: true, https: false, http2: false },
    hints: [],
    inapplicable: { 'firefox-trailers-missing': 'onlyHttp2' },
  },
];

/** Sets in which something was removed, replaced or added. */
export const tampered: readonly HeaderSet[] = [
  {
    name: 'Edge by its User-Agent, Chrome by its brands',
    source: uaHints,
    headers: { ...chrome, 'user-agent': chromeAgent(windows, 150, '', ' Edg/150.0.0.0') },
    hints: ['edge-differs'],
  },
  {
    name: 'Chrome by its User-Agent, Edge by its brands',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua': chromeBrands[150].replace('Google Chrome', 'Microsoft Edge') },
    hints: ['edge-differs'],
  },
  {
    name: 'Chrome with a brand list without GREASE',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua': '"Chromium";v="150", "Google Chrome";v="150"' },
    hints: ['brands-unexpected'],
    // A platform, but neither a model nor form factors.
    inapplicable: { 'device-differs': 'nothingToCompare' },
  },
  {
    name: 'Chrome with a full version list of another major',
    source: mdnHints,
    headers: {
      ...chrome,
      'sec-ch-ua-full-version-list': '"Chromium";v="149.0.7827.3", "Google Chrome";v="149.0.7827.3"',
    },
    hints: ['chromium-version-differs'],
  },
  {
    name: 'Chrome with platform version 11 of Windows, between Windows 10 and 11',
    source: 'https://learn.microsoft.com/en-us/microsoft-edge/web-platform/how-to-detect-win11',
    headers: { ...chrome, 'sec-ch-ua-platform-version': '"11.0.0"' },
    hints: ['hints-impossible'],
  },
  {
    name: 'Chrome with the name of an OS as its platform version, and a bitness of 128',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua-platform-version': '"Windows 11"', 'sec-ch-ua-bitness': '"128"' },
    hints: ['hints-impossible'],
  },
  {
    name: 'Chrome on Windows with the model of a phone',
    source: mdnHints,
    headers: { ...chrome, 'sec-ch-ua-model': '"Pixel 9"' },
    hints: ['device-differs'],
  },
  {
    name: 'Chrome on Windows with the form factor of a headset',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua-form-factors': '"XR"' },
    hints: ['device-differs'],
  },
  {
    name: 'Internet Explorer 11 with Fetch Metadata',
    source: mdnFetch,
    headers: {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
      accept: 'text/html, application/xhtml+xml, */*',
      'accept-language': 'en-US',
      'accept-encoding': 'gzip, deflate',
      ...navigation,
    },
    hints: ['fetch-metadata-unexpected'],
  },
  {
    name: 'Chrome that refuses compressed pages',
    source: mdnAccept,
    headers: { ...chrome, 'accept-encoding': 'identity' },
    hints: ['compression-refused'],
  },
  {
    name: 'Chrome over the ClientHello of curl with OpenSSL',
    source: 'captured: curl 7.88 with --user-agent, test/fingerprints',
    headers: chrome,
    context: { handshake: { ...unobserved.handshake, ja4: 't13d3112h2_e8f1e7e78f70_b26ce05bbdd6' } },
    hints: ['tls-client-differs'],
    inapplicable: { 'http-client-differs': 'noHandshake' },
  },
  {
    name: 'Firefox over the HTTP/2 SETTINGS of Go, with headers in the order of Node',
    source: 'captured: Go 1.19 and Node 20, test/fingerprints',
    headers: firefox,
    context: {
      handshake: {
        ...unobserved.handshake,
        clientHello: helloOf({ ciphers: [0x1301], extensions: [] }),
        http2Frames: Buffer.concat([
          settingsFrame([2, 0], [4, 4194304], [6, 10485760]),
          windowUpdateFrame(1073741824),
          headersFrame(null),
        ]),
        headerFields: fieldsNamed(':authority', ':method', ':path', ':scheme', 'accept-encoding', 'user-agent'),
      },
    },
    hints: ['http-client-differs'],
  },
  {
    name: 'Chrome over the HTTP/3 of curl',
    source: 'captured: curl 8.14 with ngtcp2',
    headers: chrome,
    context: { handshake: { ...unobserved.handshake, ja4: 'q13i0311h3_55b375c5d22e_e01b5de7605b' } },
    hints: ['tls-client-differs'],
    inapplicable: { 'http-client-differs': 'noHandshake' },
  },
  {
    name: 'Chrome over the HTTP/3 SETTINGS of Bun',
    source: 'captured: Bun 1.4, test/service',
    headers: chrome,
    context: {
      handshake: {
        ...unobserved.handshake,
        http3Frames: Buffer.from('040b0680040000015000074064', 'hex'),
        headerFields: fieldsNamed(':method', ':scheme', ':authority', ':path', 'user-agent'),
      },
    },
    hints: ['http-client-differs'],
    inapplicable: { 'tls-client-differs': 'noHandshake' },
  },
  {
    name: 'Firefox over its own HTTP/3',
    source: 'captured: Firefox 153, test/browser',
    headers: firefox,
    context: {
      handshake: {
        ...unobserved.handshake,
        http3Frames: Buffer.from(
          '0418' + '0180010000' + '0714' + 'ab60374200' + '80ffd27701' + '3301' + '0801' + '4040',
          'hex',
        ),
        headerFields: fieldsNamed(':method', ':scheme', ':authority', ':path', 'user-agent'),
      },
    },
    hints: [],
    inapplicable: { 'tls-client-differs': 'noHandshake' },
  },
  {
    name: 'Chrome over HTTP/1.1 with header names in the case of fetch in Node 20',
    source: 'captured: Node 20, test/fingerprints',
    headers: chrome,
    context: {
      handshake: {
        ...unobserved.handshake,
        clientHello: helloOf({ ciphers: [0x1301], extensions: [] }),
        headerFields: fieldsNamed('host', 'connection', 'accept'),
      },
    },
    hints: ['host-not-first'],
  },
  {
    name: 'Chrome 110 without Client Hints, when Brave sent them too',
    source: mdnHints,
    headers: { ...chromiumPage, 'user-agent': chromeAgent(windows, 110) },
    hints: ['client-hints-missing', 'version-behind'],
  },
  {
    name: 'Headless Chrome without Client Hints over HTTPS',
    source: facts,
    headers: { ...chromiumPage, 'user-agent': chromeAgent(linux, 150).replace('Chrome/', 'HeadlessChrome/') },
    hints: ['client-hints-missing', 'headless'],
  },
  {
    name: 'Edge on Android without Client Hints over HTTPS',
    source: mdnHints,
    headers: { ...chromiumPage, 'user-agent': chromeAgent(android, 150, 'Mobile ', ' EdgA/150.0.0.0') },
    hints: ['client-hints-missing'],
  },
  {
    name: 'Opera on Windows without Client Hints over HTTPS',
    source: mdnHints,
    headers: { ...chromiumPage, 'user-agent': chromeAgent(windows, 149, '', ' OPR/133.0.0.0') },
    hints: ['client-hints-missing'],
  },
  {
    name: 'Chrome without a version',
    source: facts,
    headers: {
      ...chromiumPage,
      'user-agent': `Mozilla/5.0 (${windows}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome Safari/537.36`,
    },
    hints: [],
    inapplicable: { 'client-hints-missing': 'beforeSupport', 'version-future': 'beforeSupport' },
  },
  {
    name: 'Linux by the User-Agent, Windows by the hints',
    source: uaHints,
    headers: { ...chrome, 'user-agent': chromeAgent(linux, 150) },
    hints: ['platform-differs'],
  },
  {
    name: 'Windows by the User-Agent, Android by the hints',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua-platform': '"Android"' },
    hints: ['platform-differs'],
  },
  {
    name: 'An iPhone with the Client Hints of a computer, in an impossible order',
    source: facts,
    headers: { ...iphone, ...hints('"Google Chrome";v="150", "Chromium";v="150", "Not;A=Brand";v="8"', 'Windows') },
    hints: ['client-hints-unexpected', 'platform-differs'],
  },
  {
    name: 'An iPhone with Chrome instead of CriOS',
    source: 'https://developer.chrome.com/docs/multidevice/user-agent',
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'iOS', '?1'),
      'user-agent': chromeAgent('iPhone; CPU iPhone OS 18_7 like Mac OS X', 150, 'Mobile '),
    },
    hints: ['client-hints-unexpected'],
  },
  {
    name: 'Chromium 105, the first tested, with brands in another order',
    source: 'https://github.com/brave/brave-browser/issues/25459',
    headers: {
      ...chrome,
      ...hints('"Not)A;Brand";v="8", "Chromium";v="105", "Google Chrome";v="105"', 'Windows'),
      'user-agent': chromeAgent(windows, 105),
    },
    hints: ['brands-unexpected', 'version-behind'],
  },
  {
    name: 'Chrome 110 on Windows 7, where it does not run',
    source: reduction,
    headers: {
      ...chrome,
      ...hints('"Chromium";v="110", "Not A(Brand";v="24", "Google Chrome";v="110"', 'Windows'),
      'user-agent': chromeAgent('Windows NT 6.1; Win64; x64', 110),
    },
    hints: ['user-agent-not-reduced'],
  },
  {
    name: 'Chrome 110 on Android with the model of the phone',
    source: reduction,
    headers: {
      ...chrome,
      ...hints('"Chromium";v="110", "Not A(Brand";v="24", "Google Chrome";v="110"', 'Android', '?1'),
      'user-agent': chromeAgent('Linux; Android 13; Pixel 7', 110, 'Mobile '),
    },
    hints: ['user-agent-not-reduced', 'version-behind'],
  },
  {
    name: 'Chrome 80, the first with Fetch Metadata, without it over HTTPS',
    source: mdnFetch,
    headers: {
      'user-agent': chromeAgent(windows, '80.0.3987.163'),
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.9',
    },
    context: { https: true },
    hints: ['fetch-metadata-missing', 'version-behind'],
  },
  {
    name: 'Firefox 90, the first with Fetch Metadata, without it over HTTPS',
    source: mdnFetch,
    headers: {
      'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 90),
      accept: plainAccept,
      'accept-language': 'en-US,en;q=0.5',
    },
    context: { https: true },
    hints: ['fetch-metadata-missing', 'version-behind'],
  },
  {
    name: 'Firefox 110 with rv:110, which it never had',
    source: 'https://bugzilla.mozilla.org/show_bug.cgi?id=1805967',
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 110) },
    hints: ['firefox-rv-differs', 'version-behind'],
  },
  {
    name: 'An API client without User-Agent',
    source: facts,
    headers: { accept: 'application/json', authorization: 'Bearer x' },
    hints: ['user-agent-missing', 'accept-language-missing info'],
  },
  {
    name: 'A User-Agent of nine characters',
    source: facts,
    headers: { 'user-agent': 'fetch-me1', accept: '*/*' },
    hints: ['user-agent-short', 'accept-language-missing info'],
  },
  {
    name: 'A User-Agent of ten characters',
    source: facts,
    headers: { 'user-agent': 'fetch-me10', accept: '*/*' },
    hints: ['accept-language-missing info'],
  },
  {
    name: 'Chrome without Client Hints over HTTPS',
    source: mdnHints,
    headers: noHints(chrome),
    context: { https: true },
    hints: ['client-hints-missing'],
  },
  {
    name: 'Chrome without Client Hints, given with Fetch Metadata, so it was HTTPS',
    source: mdnHints,
    headers: noHints(chrome),
    hints: ['client-hints-missing'],
  },
  {
    name: 'Edge without Client Hints, given with :scheme',
    source: mdnHints,
    headers: {
      ...without(noHints(chrome), 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-user', 'sec-fetch-dest'),
      'user-agent': chromeAgent(windows, 150, '', ' Edg/150.0.0.0'),
      ':scheme': 'https',
    },
    hints: ['client-hints-missing', 'fetch-metadata-missing'],
  },
  {
    name: 'A library with a copied Chrome User-Agent and its own defaults',
    source: 'https://requests.readthedocs.io/en/latest/user/advanced/',
    headers: {
      'user-agent': chromeAgent(windows, 150),
      accept: '*/*',
      'accept-encoding': 'gzip, deflate',
      connection: 'keep-alive',
    },
    context: { https: true },
    hints: ['accept-language-missing', 'accept-any info', 'client-hints-missing', 'fetch-metadata-missing'],
  },
  {
    name: 'A library with a copied Safari User-Agent and its own defaults',
    source: 'https://requests.readthedocs.io/en/latest/user/advanced/',
    headers: { 'user-agent': macSafariAgent('26.6'), accept: '*/*', 'accept-encoding': 'gzip, deflate' },
    context: { https: true },
    hints: ['accept-language-missing', 'accept-any info', 'fetch-metadata-missing'],
  },
  {
    name: 'Chrome without Accept-Language',
    source: facts,
    headers: without(chrome, 'accept-language'),
    hints: ['accept-language-missing'],
  },
  {
    name: 'Firefox with an empty Accept-Language',
    source: facts,
    headers: { ...firefox, 'accept-language': ' ' },
    hints: ['accept-language-missing'],
  },
  {
    name: 'A navigation that accepts anything',
    source: mdnAccept,
    headers: { ...chrome, accept: '*/*' },
    hints: ['accept-any'],
  },
  {
    name: 'A navigation over plain HTTP that accepts anything',
    source: mdnAccept,
    headers: { ...chromePlainHttp, accept: '*/*' },
    context: { https: false },
    hints: ['accept-any'],
  },
  {
    name: 'Firefox with Client Hints',
    source: 'https://bugzilla.mozilla.org/show_bug.cgi?id=935216',
    headers: { ...firefox, ...hints(chromeBrands[150], 'Windows') },
    hints: ['client-hints-unexpected'],
  },
  {
    name: 'Firefox with the hints of headless Chrome',
    source: facts,
    headers: { ...firefox, ...hints('"Not;A=Brand";v="8", "Chromium";v="150", "HeadlessChrome";v="150"', 'Windows') },
    hints: ['client-hints-unexpected', 'headless-hidden'],
  },
  {
    name: 'Safari with Client Hints',
    source: facts,
    headers: { ...safari, ...hints(chromeBrands[150], 'macOS') },
    hints: ['client-hints-unexpected'],
  },
  {
    name: 'Chrome on an iPhone with Client Hints',
    source: facts,
    headers: {
      ...safari,
      'user-agent': iphoneAgent('26_2', 'CriOS/154.0.7912.51 Mobile/15E148 Safari/604.1'),
      ...hints(chromeBrands[154], 'iOS', '?1'),
    },
    hints: ['client-hints-unexpected'],
  },
  {
    name: 'curl with Client Hints',
    source: facts,
    headers: { 'user-agent': 'curl/8.17.0', accept: '*/*', 'sec-ch-ua': chromeBrands[150] },
    hints: ['accept-language-missing info', 'client-hints-unexpected notice'],
  },
  {
    name: 'Chrome with the Client Hints of the version before',
    source: uaHints,
    headers: { ...chrome, 'user-agent': chromeAgent(windows, 149) },
    hints: ['chromium-version-differs'],
  },
  {
    name: 'Opera with the Client Hints of another Chromium',
    source: uaHints,
    headers: {
      ...chrome,
      ...hints('"Chromium";v="146", "Not-A.Brand";v="24", "Opera";v="130"', 'Windows'),
      'user-agent': chromeAgent(windows, 148, '', ' OPR/132.0.0.0'),
    },
    hints: ['chromium-version-differs'],
  },
  {
    name: 'Chrome with only a full version list, of another version',
    source: uaHints,
    headers: {
      ...without(chrome, 'sec-ch-ua'),
      'sec-ch-ua-full-version-list':
        '"Chromium";v="149.0.7827.91", "Google Chrome";v="149.0.7827.91", "Not)A;Brand";v="24.0.0.0"',
    },
    hints: ['client-hints-missing', 'chromium-version-differs'],
  },
  {
    name: 'Windows by the User-Agent, Linux by the hints',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua-platform': '"Linux"' },
    hints: ['platform-differs'],
  },
  {
    name: 'macOS by the User-Agent, Windows by a hint without its quotes',
    source: uaHints,
    headers: { ...chrome, 'user-agent': chromeAgent(mac, 150), 'sec-ch-ua-platform': 'Windows' },
    hints: ['platform-differs'],
  },
  {
    name: 'An Android phone by the User-Agent, Windows by the hints',
    source: uaHints,
    headers: { ...chrome, 'user-agent': chromeAgent(android, 150, 'Mobile ') },
    hints: ['platform-differs', 'mobile-differs'],
  },
  {
    name: 'A phone by the hints, a computer by the User-Agent',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua-mobile': '?1' },
    hints: ['mobile-differs'],
  },
  {
    name: 'A phone by its User-Agent that sends ?0',
    source: facts,
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'Android', '?0'),
      'user-agent': chromeAgent(android, 150, 'Mobile '),
    },
    hints: ['mobile-differs'],
  },
  {
    name: 'Headless Chrome of Playwright',
    source: 'https://github.com/WICG/ua-client-hints/issues/366',
    headers: {
      ...without(chrome, 'accept-language'),
      ...hints('"Chromium";v="148", "HeadlessChrome";v="148", "Not/A)Brand";v="99"', 'Linux'),
      'user-agent': chromeAgent(linux, '148.0.7778.96').replace('Chrome/', 'HeadlessChrome/'),
    },
    hints: ['accept-language-missing', 'headless'],
  },
  {
    name: 'Headless Chrome hidden only in the User-Agent',
    source: 'https://github.com/WICG/ua-client-hints/issues/366',
    headers: {
      ...chrome,
      ...hints('"Chromium";v="148", "HeadlessChrome";v="148", "Not/A)Brand";v="99"', 'Linux'),
      'user-agent': chromeAgent(linux, 148),
    },
    hints: ['headless-hidden', 'version-behind'],
  },
  {
    name: 'Headless Chrome only in the full version list',
    source: uaHints,
    headers: {
      ...chrome,
      'sec-ch-ua-full-version-list': '"Chromium";v="150.0.7871.46", "HeadlessChrome";v="150.0.7871.46"',
    },
    hints: ['headless-hidden'],
  },
  {
    name: 'Brands in an order of another version',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua': '"Google Chrome";v="150", "Chromium";v="150", "Not;A=Brand";v="8"' },
    hints: ['brands-unexpected'],
  },
  {
    name: 'The GREASE brand of another version',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua': '"Not_A Brand";v="8", "Chromium";v="150", "Google Chrome";v="150"' },
    hints: ['brands-unexpected'],
  },
  {
    name: 'The GREASE version of another version',
    source: uaHints,
    headers: { ...chrome, 'sec-ch-ua': '"Not;A=Brand";v="24", "Chromium";v="150", "Google Chrome";v="150"' },
    hints: ['brands-unexpected'],
  },
  {
    name: 'Chrome 107 with its full build number',
    source: reduction,
    headers: {
      ...chrome,
      ...hints('"Google Chrome";v="107", "Chromium";v="107", "Not=A?Brand";v="24"', 'Windows'),
      'user-agent': chromeAgent(windows, '107.0.5304.107'),
    },
    hints: ['user-agent-not-reduced', 'version-behind'],
  },
  {
    name: 'Edge with the true version of macOS',
    source: reduction,
    headers: {
      ...chrome,
      ...hints('"Not;A=Brand";v="8", "Chromium";v="150", "Microsoft Edge";v="150"', 'macOS'),
      'user-agent': chromeAgent('Macintosh; Intel Mac OS X 14_6_1', 150, '', ' Edg/150.0.0.0'),
    },
    hints: ['user-agent-not-reduced'],
  },
  {
    name: 'Chrome on Windows NT 11.0, which does not exist',
    source: reduction,
    headers: { ...chrome, 'user-agent': chromeAgent('Windows NT 11.0; Win64; x64', 150) },
    hints: ['user-agent-not-reduced'],
  },
  {
    name: 'Chrome on Android with the model of the phone',
    source: reduction,
    headers: {
      ...chrome,
      ...hints(chromeBrands[150], 'Android', '?1'),
      'user-agent': chromeAgent('Linux; Android 15; SM-S931B', 150, 'Mobile '),
    },
    hints: ['user-agent-not-reduced'],
  },
  {
    name: 'Chrome with hints and no Fetch Metadata',
    source: mdnFetch,
    headers: without(chrome, 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-user', 'sec-fetch-dest'),
    hints: ['fetch-metadata-missing'],
  },
  {
    name: 'Firefox without Fetch Metadata over HTTPS',
    source: mdnFetch,
    headers: without(firefox, 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-user', 'sec-fetch-dest'),
    context: { https: true },
    hints: ['fetch-metadata-missing'],
  },
  {
    name: 'Safari 16.4 without Fetch Metadata over HTTPS',
    source: mdnFetch,
    headers: {
      ...without(safari, 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'),
      'user-agent': macSafariAgent('16.4'),
    },
    context: { https: true },
    hints: ['fetch-metadata-missing'],
  },
  {
    name: 'A request mode that does not exist',
    source: 'https://w3c.github.io/webappsec-fetch-metadata/',
    headers: { ...without(chrome, 'sec-fetch-user'), 'sec-fetch-mode': 'browse' },
    hints: ['fetch-metadata-unknown'],
  },
  {
    name: 'Values of all four that do not exist',
    source: 'https://w3c.github.io/webappsec-fetch-metadata/',
    headers: {
      ...safari,
      'sec-fetch-site': 'same',
      'sec-fetch-mode': 'Navigate',
      'sec-fetch-dest': 'page',
      'sec-fetch-user': '?0',
    },
    hints: ['fetch-metadata-unknown', 'fetch-user-without-navigate'],
  },
  {
    name: 'A navigation to nothing',
    source: 'https://w3c.github.io/webappsec-fetch-metadata/',
    headers: { ...chrome, 'sec-fetch-dest': 'empty' },
    hints: ['fetch-navigate-empty'],
  },
  {
    name: 'A script that claims a person',
    source: 'https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-user-header',
    headers: { ...chrome, ...sameOriginFetch },
    hints: ['fetch-user-without-navigate'],
  },
  {
    name: 'A typed address with a Referer',
    source: 'https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-site-header',
    headers: { ...chrome, referer: 'https://www.google.com/' },
    hints: ['fetch-none-with-referer'],
  },
  {
    name: 'Firefox with the rv: of another version',
    source: mdnFirefox,
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 156, 109) },
    hints: ['firefox-rv-differs'],
  },
  {
    name: 'Firefox 115 with rv:115, which it never had',
    source: 'https://bugzilla.mozilla.org/show_bug.cgi?id=1805967',
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 115) },
    hints: ['firefox-rv-differs'],
  },
  {
    name: 'Firefox without rv:',
    source: mdnFirefox,
    headers: { ...firefox, 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Gecko/20100101 Firefox/156.0' },
    hints: ['firefox-rv-differs'],
  },
  {
    name: 'Desktop Firefox with the Gecko token of Android',
    source: mdnFirefox,
    headers: { ...firefox, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/156.0 Firefox/156.0' },
    hints: ['firefox-gecko-token'],
  },
  {
    name: 'Firefox on HTTP/2 without TE',
    source: facts,
    headers: without(firefox, 'te'),
    context: { https: true, http2: true },
    hints: ['firefox-trailers-missing'],
  },
  {
    name: 'Firefox 156 with DNT',
    source: 'https://support.mozilla.org/en-US/kb/how-do-i-turn-do-not-track-feature',
    headers: { ...firefox, dnt: '1' },
    hints: ['dnt', 'dnt-unexpected'],
  },
  {
    name: 'Safari on an iPhone with DNT',
    source: 'https://developer.apple.com/documentation/safari-release-notes/safari-12_1-release-notes',
    headers: { ...iphone, dnt: '1' },
    hints: ['dnt', 'dnt-unexpected'],
  },
  {
    name: 'Firefox 134 with DNT, which it still had',
    source: 'https://support.mozilla.org/en-US/kb/how-do-i-turn-do-not-track-feature',
    headers: { ...firefox, 'user-agent': firefoxAgent('Windows NT 10.0; Win64; x64', 134), dnt: '1' },
    hints: ['dnt', 'version-behind'],
  },
  {
    name: 'Chrome from the future',
    source: 'https://chromiumdash.appspot.com/schedule',
    headers: { ...noHints(chrome), 'user-agent': chromeAgent(windows, 199) },
    hints: ['client-hints-missing', 'version-future'],
  },
  {
    name: 'Safari 22, a number that was skipped',
    source: 'https://developer.apple.com/documentation/safari-release-notes',
    headers: { ...safari, 'user-agent': macSafariAgent('22.1') },
    hints: ['version-future'],
  },
  {
    name: 'Chrome from the future, when the table is outdated',
    source: 'https://chromiumdash.appspot.com/schedule',
    headers: { ...noHints(chrome), 'user-agent': chromeAgent(windows, 199) },
    context: { nowMs: Date.parse('2029-11-29') },
    hints: ['client-hints-missing'],
    inapplicable: { 'version-future': 'tableOutdated', 'version-behind': 'tableOutdated' },
  },
  {
    name: 'Chrome with a cut User-Agent',
    source: facts,
    headers: { ...noHints(chrome), 'user-agent': 'Mozilla' },
    hints: ['user-agent-short'],
    inapplicable: { 'client-hints-missing': 'unknownClient' },
  },
];

const socket = { own: true, https: true, http2: true, ip: '198.51.100.7' } as const;

/** Headers added by proxies, and by clients that imitate them. */
export const proxied: readonly HeaderSet[] = [
  {
    name: 'Chrome behind a company proxy that decrypts TLS and names itself',
    source: 'https://www.rfc-editor.org/rfc/rfc9110#section-7.6.3',
    headers: { ...chrome, via: '1.1 proxy.example' },
    context: { handshake: { ...unobserved.handshake, ja4: 't13d3112h2_e8f1e7e78f70_b26ce05bbdd6' } },
    hints: ['proxy-headers'],
    inapplicable: { 'tls-client-differs': 'proxied' },
  },
  {
    name: 'X-Forwarded-For with another address',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-For',
    headers: { ...chrome, 'x-forwarded-for': '203.0.113.80' },
    context: socket,
    hints: ['forwarded-address-differs'],
  },
  {
    name: 'The same address in every header and notation',
    source: 'https://www.rfc-editor.org/rfc/rfc7239#section-4',
    headers: {
      ...chrome,
      'x-forwarded-for': '198.51.100.7:51234',
      forwarded: 'for="[::ffff:198.51.100.7]:4711";proto=https',
      'x-real-ip': '::ffff:c633:6407',
      'true-client-ip': '198.51.100.7',
      'client-ip': ' 198.51.100.7 ',
      'x-client-ip': '"198.51.100.7"',
    },
    context: socket,
    hints: [],
  },
  {
    name: 'The same IPv6 address, written out',
    source: 'https://www.rfc-editor.org/rfc/rfc5952',
    headers: { ...chrome, 'x-forwarded-for': '[2001:DB8:0:0:0:0:0:17]:443', forwarded: 'For="[2001:db8::17]"' },
    context: { ...socket, ip: '2001:db8::17' },
    hints: [],
  },
  {
    name: 'What our own proxies appended, right of the address that connected',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-For',
    headers: { ...chrome, 'x-forwarded-for': '198.51.100.7, 192.0.2.200' },
    context: socket,
    hints: [],
  },
  {
    name: 'A forged entry left of the address that connected',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-For',
    headers: { ...chrome, 'x-forwarded-for': '203.0.113.80, 198.51.100.7' },
    context: socket,
    hints: ['forwarded-address-differs'],
  },
  {
    name: 'Forwarded with a quoted IPv6 address',
    source: 'https://www.rfc-editor.org/rfc/rfc7239#section-4',
    headers: { ...chrome, forwarded: 'by=203.0.113.43;for="[2001:db8:cafe::17]:4711", for=unknown, for=_hidden' },
    context: socket,
    hints: ['forwarded-address-differs'],
  },
  {
    name: 'Each of the headers with one address, and Via with the address of the proxy',
    source: 'https://www.rfc-editor.org/rfc/rfc9110#section-7.6.3',
    headers: {
      ...chrome,
      'x-real-ip': '203.0.113.1',
      'true-client-ip': '203.0.113.2',
      'client-ip': '203.0.113.3',
      'x-client-ip': '203.0.113.4',
      via: '1.1 203.0.113.5:3128 (squid)',
    },
    context: socket,
    hints: ['forwarded-address-differs', 'proxy-headers'],
  },
  {
    name: 'A private address and the one that connected: a company proxy',
    source: 'https://www.rfc-editor.org/rfc/rfc1918',
    headers: { ...chrome, 'x-forwarded-for': '192.168.7.7, 198.51.100.7' },
    context: socket,
    hints: ['forwarded-address-private'],
  },
  {
    name: 'No addresses at all in a forwarding header',
    source: 'https://www.rfc-editor.org/rfc/rfc7239#section-6',
    headers: { ...chrome, 'x-forwarded-for': 'unknown, localhost, 1.2.3, 300.1.1.1, ::1::, -', forwarded: 'for=_x' },
    context: socket,
    hints: [],
  },
  {
    name: 'Opera Mini, whose proxy connects and names the user',
    source: 'https://dev.opera.com/articles/opera-mini-request-headers/',
    headers: { ...chrome, 'x-operamini-phone-ua': 'x', 'x-forwarded-for': '203.0.113.80' },
    context: socket,
    hints: [],
    inapplicable: { 'forwarded-address-differs': 'ownProxy' },
  },
  {
    name: 'A given set with a forwarded address: nothing to compare it with',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-For',
    headers: { ...chrome, 'x-forwarded-for': '203.0.113.80' },
    hints: ['forwarded-address-unverified'],
    inapplicable: { 'forwarded-address-differs': 'noAddress' },
  },
  {
    name: 'Proxy-Connection and the headers of filtering proxies',
    source: 'https://www.rfc-editor.org/rfc/rfc9112#appendix-C.2.2',
    headers: {
      ...chrome,
      'proxy-connection': 'keep-alive',
      'x-proxy-id': '1',
      'x-bluecoat-via': 'a1',
      'x-imforwards': '20',
    },
    hints: ['proxy-headers'],
  },
  {
    name: "Via of the server's own side",
    source: 'https://docs.cloud.google.com/load-balancing/docs/https',
    headers: { ...chrome, via: '1.1 google, 2.0 a1b2.cloudfront.net (CloudFront), 1.1 Caddy' },
    hints: [],
  },
  {
    name: 'A signed agent under a Chrome User-Agent',
    source: 'https://datatracker.ietf.org/doc/draft-meunier-web-bot-auth-architecture/',
    headers: {
      ...chrome,
      'signature-agent': '"https://chatgpt.com"',
      'signature-input': 'sig1=("@authority" "signature-agent");created=1763700000;tag="web-bot-auth"',
      signature: 'sig1=:AAAA:',
    },
    hints: ['signed-agent'],
  },
];

const onlyBrowsers = {
  'accept-any': 'notBrowser',
  'client-hints-missing': 'notBrowser',
  'fetch-metadata-missing': 'notBrowser',
  'firefox-rv-differs': 'notBrowser',
  'version-behind': 'notBrowser',
} as const satisfies Record<string, Inapplicable>;

const client = (name: string, source: string, headers: Record<string, string>): HeaderSet => ({
  name,
  source,
  headers,
  context: socket,
  hints: 'accept-language' in headers ? [] : ['accept-language-missing info'],
  inapplicable: onlyBrowsers,
});

const mcp = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-11-25',
};

/** Clients that identify themselves. */
export const machines: readonly HeaderSet[] = [
  {
    name: 'A fetch by Claude Code under another name',
    source: facts,
    headers: { ...chrome, 'x-claude-code-session-id': '00000000-0000-4000-8000-000000000000' },
    hints: ['agent-session'],
  },
  client('curl', 'https://curl.se/docs/manpage.html#-A', { 'user-agent': 'curl/8.17.0', accept: '*/*' }),
  client('Wget', 'https://www.gnu.org/software/wget/manual/', {
    'user-agent': 'Wget/1.25.0',
    accept: '*/*',
    'accept-encoding': 'identity',
  }),
  client('HTTPie', 'https://httpie.io/docs/cli/default-request-headers', {
    'user-agent': 'HTTPie/3.2.4',
    accept: '*/*',
  }),
  client('python-requests', 'https://requests.readthedocs.io/', {
    'user-agent': 'python-requests/2.32.5',
    accept: '*/*',
    connection: 'keep-alive',
  }),
  client('Go', 'https://pkg.go.dev/net/http', { 'user-agent': 'Go-http-client/2.0', 'accept-encoding': 'gzip' }),
  client('okhttp', 'https://square.github.io/okhttp/', { 'user-agent': 'okhttp/5.3.0', 'accept-encoding': 'gzip' }),
  client('axios', 'https://axios-http.com/', {
    'user-agent': 'axios/1.13.2',
    accept: 'application/json, text/plain, */*',
  }),
  client('undici, whose fetch sends one Fetch Metadata header', 'https://undici.nodejs.org/', {
    'user-agent': 'undici',
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
  }),
  client(
    'Googlebot, which renders with Chrome and sends no Fetch Metadata',
    'https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers',
    {
      'user-agent':
        'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.7871.46 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      accept: chromeAccept,
    },
  ),
  client('bingbot', 'https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0', {
    'user-agent':
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
    accept: '*/*',
  }),
  client('GPTBot', 'https://platform.openai.com/docs/bots', {
    'user-agent':
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot',
    accept: '*/*',
  }),
  client('ChatGPT-User', 'https://platform.openai.com/docs/bots', {
    'user-agent':
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
    accept: plainAccept,
  }),
  client('ClaudeBot', 'https://support.claude.com/en/articles/8896518', {
    'user-agent':
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
    accept: '*/*',
  }),
  client('Claude-User', 'https://support.claude.com/en/articles/8896518', {
    'user-agent':
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
    accept: '*/*',
  }),
  client('PerplexityBot', 'https://docs.perplexity.ai/guides/bots', {
    'user-agent':
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
    accept: '*/*',
  }),
  client('facebookexternalhit', 'https://developers.facebook.com/docs/sharing/webmasters/web-crawlers', {
    'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    accept: '*/*',
    'accept-encoding': 'deflate, gzip',
  }),
  client('UptimeRobot', 'https://uptimerobot.com/help/locations/', {
    'user-agent': 'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
    accept: '*/*',
  }),
  client(
    'kube-probe',
    'https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/',
    {
      'user-agent': 'kube-probe/1.34',
      accept: '*/*',
    },
  ),
  client('A short name that is known', 'https://curl.se/', { 'user-agent': 'curl/8.9', accept: '*/*' }),
  client('An MCP client on undici', 'https://modelcontextprotocol.io/specification/2025-11-25/basic/transports', {
    ...mcp,
    'user-agent': 'undici',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
  }),
  {
    name: 'A connector of an AI assistant without User-Agent',
    source: 'https://github.com/anthropics/claude-ai-mcp/issues/923',
    headers: mcp,
    context: socket,
    hints: ['user-agent-missing info', 'accept-language-missing info'],
    inapplicable: { 'client-hints-missing': 'noUserAgent' },
  },
  {
    name: 'An MCP client with a short name',
    source: 'https://modelcontextprotocol.io/specification/2025-11-25/basic/transports',
    headers: { ...mcp, 'user-agent': 'agent' },
    context: socket,
    hints: ['user-agent-short info', 'accept-language-missing info'],
  },
  {
    name: 'A webhook without User-Agent',
    source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1', 'webhook-timestamp': '1763700000' },
    hints: ['user-agent-missing info', 'accept-language-missing info'],
  },
  {
    name: 'No User-Agent, and hints with nothing to hold them against',
    source: facts,
    headers: { accept: '*/*', 'sec-ch-ua': chromeBrands[150] },
    hints: ['user-agent-missing', 'accept-language-missing info'],
    inapplicable: { 'client-hints-unexpected': 'noUserAgent' },
  },
  { name: 'No headers', source: facts, headers: {}, hints: ['user-agent-missing', 'accept-language-missing info'] },
  {
    name: 'A User-Agent that names nothing',
    source: facts,
    headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)', accept: '*/*' },
    hints: ['accept-language-missing info'],
    inapplicable: { 'accept-any': 'unknownClient' },
  },
];
