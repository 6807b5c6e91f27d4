/**
 * Families of HTTP clients by the stable parts of their fingerprints. Last updated: 2026-11-21
 *
 * "captured": taken on that date from Debian 12's packages and the pinned Node by test/fingerprints. Published: JA4 by FoxIO
 * (https://github.com/FoxIO-LLC/ja4, README.md and test data), Safari and OkHttp by the reference values of curl_cffi
 * (https://github.com/lexiforest/curl_cffi) and tls-client (https://github.com/bogdanfinn/tls-client). Left out because a browser sends it
 * too: f57a46bbacb6 of Go 1.22 and later, which Apple's media player shares.
 */

export type Family =
  | 'Chromium'
  | 'Firefox'
  | 'Safari'
  | 'curl'
  | 'OpenSSL'
  | 'Go'
  | 'Node'
  | 'Python'
  | 'OkHttp'
  | 'nghttp'
  | 'Bun'
  | 'aioquic';

interface TlsTrait {
  /** Second part of JA4: the cipher suites, sorted, which neither resumption nor shuffled extensions change. */
  readonly ciphers: string;
  /** Last two characters of the first part of JA4: the first protocol of ALPN. */
  readonly alpn: readonly string[];
  /** Third part of JA4: extensions and signature algorithms, where all clients have the same cipher suites, as over QUIC. */
  readonly extensions?: string;
  readonly family: Family;
  readonly source: string;
}

export const tlsTraits: readonly TlsTrait[] = [
  { ciphers: '8daaf6152771', alpn: ['h2', 'h1'], family: 'Chromium', source: 'captured: Chromium 156; FoxIO' },
  { ciphers: '8daaf6152771', alpn: ['h2', 'h1'], family: 'OkHttp', source: 'tls-client: OkHttp 4 on Android' },
  { ciphers: '86a278354501', alpn: ['h2', 'h1'], family: 'Firefox', source: 'captured: Firefox 153' },
  { ciphers: '5b57614c22b0', alpn: ['h2', 'h1'], family: 'Firefox', source: 'FoxIO: tls12.pcap' },
  {
    ciphers: 'a09f3c656075',
    alpn: ['h2', 'h1'],
    family: 'Safari',
    source: 'FoxIO: README.md; curl_cffi: Safari 15 to 26',
  },
  { ciphers: 'e8f1e7e78f70', alpn: ['h2', 'h1'], family: 'curl', source: 'captured: curl 7.88 with OpenSSL 3.0' },
  { ciphers: 'e8f1e7e78f70', alpn: ['00'], family: 'OpenSSL', source: 'captured: openssl s_client 3.0' },
  { ciphers: 'e8f1e7e78f70', alpn: ['00'], family: 'Python', source: 'captured: Python 3.7 to 3.9 and Debian’s 3.11' },
  {
    ciphers: '85036bcba153',
    alpn: ['00', 'h1', 'h2'],
    family: 'Python',
    source: 'captured: Python 3.10 to 3.13; FoxIO',
  },
  { ciphers: '479067518aa3', alpn: ['00'], family: 'Python', source: 'captured: Python 3.6' },
  { ciphers: 'c7886603b240', alpn: ['h1', 'h2'], family: 'Python', source: 'captured: requests 2.28, httpx 0.23' },
  { ciphers: 'b262b3658495', alpn: ['00', 'h1', 'h2'], family: 'Node', source: 'captured: Node 26' },
  { ciphers: 'a33745022dd6', alpn: ['00', 'h1', 'h2'], family: 'Node', source: 'captured: Node 20' },
  { ciphers: '9dc949149365', alpn: ['00', 'h2'], family: 'Go', source: 'captured: Go 1.19' },
  { ciphers: 'ed40b14a4398', alpn: ['h2'], family: 'nghttp', source: 'captured: nghttp 1.52' },
  ...(
    [
      ['178839b6cec1', 'Chromium', 'captured: Chromium 156'],
      ['653d80c3fe9d', 'Chromium', 'captured: Chromium 156, with one extension less'],
      ['dc5437974b47', 'Firefox', 'captured: Firefox 153'],
      ['e01b5de7605b', 'curl', 'captured: curl 8.14 with ngtcp2'],
      ['1cecd519fee8', 'aioquic', 'captured: aioquic 1.2'],
      ['81193ba7c803', 'Bun', 'captured: Bun 1.4'],
    ] as const
  ).map(([extensions, family, source]) => ({ ciphers: '55b375c5d22e', alpn: ['h3'], extensions, family, source })),
];

interface Http2Trait {
  /** Akamai text: SETTINGS, WINDOW_UPDATE, PRIORITY frames and the order of pseudo-headers. */
  readonly akamai: string;
  readonly family: Family;
  readonly source: string;
}

export const http2Traits: readonly Http2Trait[] = [
  {
    akamai: '1:65536;2:0;4:6291456;6:262144|15663105|0|m,a,s,p',
    family: 'Chromium',
    source: 'captured: Chromium 156; curl_cffi issue 427',
  },
  {
    akamai: '1:65536;2:0;4:131072;5:16384|12517377|0|m,p,a,s',
    family: 'Firefox',
    source: 'captured: Firefox 153; curl_cffi issue 850',
  },
  { akamai: '2:0;4:2097152;3:100|10485760|0|m,s,p,a', family: 'Safari', source: 'curl_cffi: Safari 17 on iOS' },
  { akamai: '2:0;4:4194304;3:100|10485760|0|m,s,p,a', family: 'Safari', source: 'curl_cffi: Safari 15.6 to 18.0' },
  { akamai: '2:0;3:100;4:2097152;9:1|10420225|0|m,s,a,p', family: 'Safari', source: 'curl_cffi: Safari 18.4 to 26' },
  { akamai: '3:100;4:33554432;2:0|33488897|0|m,p,s,a', family: 'curl', source: 'captured: curl 7.88' },
  { akamai: '|00|0|p,m,a,s', family: 'Node', source: 'captured: node:http2 of Node 26' },
  { akamai: '2:0;4:262144|458753|0|a,m,p,s', family: 'Node', source: 'captured: fetch of Node 26' },
  { akamai: '2:0;4:4194304;6:10485760|1073741824|0|a,m,p,s', family: 'Go', source: 'captured: Go 1.19, Caddy 2.6' },
  {
    akamai: '1:4096;2:0;4:65535;5:16384;3:100;6:65536|16777216|0|m,a,s,p',
    family: 'Python',
    source: 'captured: httpx 0.23',
  },
  { akamai: '4:16777216|16711681|0|m,p,a,s', family: 'OkHttp', source: 'tls-client: OkHttp 4 on Android' },
  {
    akamai: '3:100;4:65535|00|3:0:0:201,5:0:0:101,7:0:0:1,9:0:7:1,11:0:3:1|m,p,s,a',
    family: 'nghttp',
    source: 'captured: nghttp 1.52',
  },
];

interface Http3Trait {
  /** SETTINGS without reserved ones, and the order of pseudo-headers. */
  readonly text: string;
  readonly family: Family;
  readonly source: string;
}

export const http3Traits: readonly Http3Trait[] = [
  { text: '1:65536;6:262144;7:100;51:1|m,a,s,p', family: 'Chromium', source: 'captured: Chromium 156' },
  {
    text: '1:65536;7:20;727725890:0;16765559:1;51:1;8:1|m,s,a,p',
    family: 'Firefox',
    source: 'captured: Firefox 153',
  },
  { text: '6:262144;1:4096;7:100|m,s,a,p', family: 'Bun', source: 'captured: Bun 1.4' },
];

/**
 * The families whose HTTP/1 requests begin with `Host`, in this case: Chromium 156 and Firefox 153, captured. Page scripts cannot set
 * that header.
 */
export const hostFirst: ReadonlySet<Family> = new Set(['Chromium', 'Firefox']);
