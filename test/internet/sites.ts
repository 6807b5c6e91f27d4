/** The sites of the simulated internet, without its resolvers and registries: name, address, certificate and server. */
import { faults, forwardTo, redirect, respondWith, send, sendOctets } from './behaviors.ts';
import type { Site } from './site.ts';

const html = { 'content-type': 'text/html; charset=utf-8' };
const ok = respondWith(200, html, '<!doctype html><title>A page</title>');

/** Hosts below `.test` that resolve to addresses that are not public. */
export const privateNames: readonly string[] = [
  'private',
  'private-ipv6',
  'loopback',
  'link-local',
  'mapped',
  'translated',
  'mixed',
  'azure',
  'dns64-azure',
];

/** Notations of non-public addresses, as attacks use them in redirects. */
export const privateUrls: readonly string[] = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.0.0.1./',
  'http://①②⑦.⓪.⓪.①/',
  'http://0/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::10.0.0.5]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b:1::10.0.0.5]/',
  'http://[2002:a00:5::]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://10.0.0.5/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://private.test/',
  'http://metadata.google.internal/',
  'https://10.0.0.5/',
  'https://private.test/',
  '//10.0.0.5/',
];

export const sites: readonly Site[] = [
  {
    host: 'example.com',
    addresses: ['93.184.216.34', '93.184.216.35', '2606:2800:220:1:248:1893:25c8:1946'],
    behavior: ok,
    delegated: true,
  },
  { host: 'bare.test', behavior: ok },
  {
    host: 'well-kept.test',
    behavior: respondWith(
      200,
      {
        ...html,
        'content-security-policy': "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
        'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
        'set-cookie': ['__Host-session=1; Path=/; Secure; HttpOnly; SameSite=Lax'],
      },
      'kept',
    ),
  },
  {
    host: 'cookies.test',
    behavior: respondWith(200, {
      ...html,
      'set-cookie': ['session=1; Path=/', 'b=2; Secure', 'c=3; Expires=Wed, 21 Oct 2037 07:28:00 GMT', 'sid=4'],
    }),
  },
  {
    host: '200-cookies.test',
    behavior: respondWith(200, { ...html, 'set-cookie': Array.from({ length: 200 }, (_, n) => `c${n}=${n}; Secure`) }),
  },
  {
    host: 'repeated.test',
    behavior: sendOctets(
      'HTTP/1.1 200 OK\r\nX-Frame-Options: DENY\r\nX-Frame-Options: DENY\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    ),
  },
  {
    host: 'long-policy.test',
    http2: true,
    behavior: respondWith(200, { ...html, 'content-security-policy': `default-src ${"'self' ".repeat(4700)}` }),
  },
  /** 64 KB of headers. */
  {
    host: 'headers-64k.test',
    behavior: sendOctets(`HTTP/1.1 200 OK\r\n${manyHeaders()}Content-Length: 0\r\nConnection: close\r\n\r\n`),
  },
  {
    host: 'headers-64k-h2.test',
    http2: true,
    behavior: respondWith(200, Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`x-${n}`, 'x'.repeat(1010)]))),
  },
  { host: 'h2.test', http2: true, behavior: ok },
  { host: 'http-1.0.test', behavior: sendOctets('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold') },
  {
    host: 'latin1-header.test',
    behavior: sendOctets(Buffer.from('HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nContent-Length: 0\r\n\r\n', 'latin1')),
  },
  {
    host: 'utf8-header.test',
    behavior: sendOctets('HTTP/1.1 200 OK\r\nX-Name: café\r\nContent-Length: 0\r\n\r\n'),
  },
  {
    host: 'to-https.test',
    behavior: {
      http: (request, response) =>
        'encrypted' in request.socket
          ? send(response, 200, html, 'secure')
          : send(response, 301, { location: `https://to-https.test${request.url}` }, ''),
    },
  },
  /** /5 is five redirects away from /0. */
  {
    host: 'hops.test',
    behavior: {
      http: ({ url = '' }, response) => {
        const left = Number(url.slice(1));
        if (left > 0) send(response, 302, { location: `/${left - 1}` }, '');
        else send(response, 200, html, 'arrived');
      },
    },
  },
  /** Redirects to the parameter `to`, with the status `status`. */
  {
    host: 'redirect.test',
    behavior: {
      http: ({ url = '' }, response) => {
        const { searchParams } = new URL(url, 'http://redirect.test');
        const location = Buffer.from(searchParams.get('to') ?? '').toString('latin1');
        send(response, Number(searchParams.get('status') ?? 302), { location }, '');
      },
    },
  },
  /** Responds after half a second. */
  {
    host: 'late.test',
    behavior: { http: (_request, response) => void setTimeout(() => send(response, 200, html, 'late'), 500) },
  },
  { host: 'no-location.test', behavior: respondWith(302) },
  { host: 'empty-location.test', behavior: redirect('') },
  { host: 'malformed-location.test', behavior: redirect('http://[::1') },
  {
    host: 'two-locations.test',
    behavior: sendOctets(
      'HTTP/1.1 302 Found\r\nLocation: http://bare.test/\r\nLocation: http://10.0.0.5/\r\nContent-Length: 0\r\n\r\n',
    ),
  },
  { host: 'location-on-200.test', behavior: respondWith(200, { location: 'http://10.0.0.5/' }) },
  { host: '304.test', behavior: respondWith(304) },
  { host: 'expired.test', behavior: ok, certificate: 'expired' },
  { host: 'self-signed.test', behavior: ok, certificate: 'self-signed' },
  { host: 'other-name.test', behavior: ok, certificate: 'other-name' },
  /** Address of the service itself. */
  { host: 'seenby.test', behavior: null, addresses: ['203.0.114.10', '2a00:5eeb::10'] },
  /** Its name for clients that need an IPv4 address. */
  { host: 'v4.seenby.test', behavior: null, addresses: ['203.0.114.10'] },
  { host: 'checkip.dyndns.org', behavior: null, addresses: ['203.0.114.11'] },
  /** A provider of dynamic DNS. */
  { host: 'ddns.test', behavior: respondWith(200, {}, 'good\n') },
  /** A proxy that reaches the service under another name. */
  { host: 'alias.test', behavior: forwardTo('203.0.114.10', 8080) },
  { host: 'azure.test', behavior: null, addresses: ['168.63.129.16'] },
  { host: 'refused.test', behavior: null },
  { host: 'https-refused.test', behavior: ok, ports: [80] },
  { host: 'other-port.test', behavior: ok, ports: [80, 443, 22, 2375, 9000] },
  { host: 'no-connection.test', behavior: null, addresses: ['45.0.0.1'] },
  { host: 'no-connection-ipv6.test', behavior: null, addresses: ['2a00:45::1'] },
  { host: 'unreachable.test', behavior: null, addresses: ['46.0.0.1'] },
  { host: 'unreachable-ipv6.test', behavior: null, addresses: ['2a00:46::1'] },
  { host: 'prohibited.test', behavior: null, addresses: ['47.0.0.1'] },
  { host: 'ipv6-only.test', behavior: ok, addresses: ['2a00:5eeb::20'] },
  {
    host: 'ipv6-refused.test',
    behavior: ok,
    addresses: ['2a00:5eeb::21', '23.215.0.21'],
    listens: ['23.215.0.21'],
  },
  {
    host: 'ipv6-silent.test',
    behavior: ok,
    addresses: ['2a00:45::22', '23.215.0.22'],
    listens: ['23.215.0.22'],
  },
  { host: 'private.test', behavior: null, addresses: ['10.0.0.5'] },
  { host: 'private-ipv6.test', behavior: null, addresses: ['fd00:ec2::254'] },
  { host: 'loopback.test', behavior: null, addresses: ['127.0.0.1', '::1'] },
  { host: 'link-local.test', behavior: null, addresses: ['169.254.169.254'] },
  { host: 'mapped.test', behavior: null, addresses: ['::ffff:10.0.0.5'] },
  { host: 'translated.test', behavior: null, addresses: ['64:ff9b::a00:5'] },
  /** As DNS64 returns it; only the gateway's address leads to it. */
  {
    host: 'dns64.test',
    behavior: ok,
    addresses: ['23.215.0.24', '64:ff9b::17d7:18'],
    listens: ['64:ff9b::17d7:18'],
  },
  { host: 'dns64-azure.test', behavior: null, addresses: ['64:ff9b::a83f:8110'] },
  {
    host: 'mixed.test',
    behavior: ok,
    addresses: ['23.215.0.23', '10.0.0.5'],
    listens: ['23.215.0.23'],
  },
  { host: 'xn--bcher-kva.test', behavior: ok },
  ...Object.entries(faults).map(([name, behavior]) => ({ host: `${name}.test`, behavior })),
];

function manyHeaders(): string {
  return Array.from({ length: 64 }, (_, n) => `X-${n}: ${'x'.repeat(1010)}\r\n`).join('');
}
