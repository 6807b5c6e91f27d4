/** Settings are read from flags and variables; a bad one is named. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import { networks } from '../../src/core/networks.ts';
import { flagOf, readSettings, type SettingName, settingNames, variableOf } from '../../src/core/settings.ts';

const names: Readonly<Record<SettingName, readonly [variable: string, flag: string]>> = {
  host: ['HOST', 'host'],
  port: ['PORT', 'port'],
  tlsPort: ['TLS_PORT', 'tls-port'],
  tlsCert: ['TLS_CERT', 'tls-cert'],
  tlsKey: ['TLS_KEY', 'tls-key'],
  publicUrl: ['PUBLIC_URL', 'public-url'],
  contact: ['CONTACT', 'contact'],
  trustProxy: ['TRUST_PROXY', 'trust-proxy'],
  trustProxyHeader: ['TRUST_PROXY_HEADER', 'trust-proxy-header'],
  trustEdgeHeaders: ['TRUST_EDGE_HEADERS', 'trust-edge-headers'],
  proxyProtocol: ['PROXY_PROTOCOL', 'proxy-protocol'],
  geoipCity: ['GEOIP_CITY', 'geoip-city'],
  geoipAsn: ['GEOIP_ASN', 'geoip-asn'],
  dataDir: ['DATA_DIR', 'data-dir'],
  geoipUrl: ['GEOIP_URL', 'geoip-url'],
  rateLimitGeneral: ['RATE_LIMIT_GENERAL', 'rate-limit-general'],
  rateLimitLookup: ['RATE_LIMIT_LOOKUP', 'rate-limit-lookup'],
  rdapBootstrapUrl: ['RDAP_BOOTSTRAP_URL', 'rdap-bootstrap-url'],
  dohUrl: ['DOH_URL', 'doh-url'],
  maxConnections: ['MAX_CONNECTIONS', 'max-connections'],
  maxConnectionsPerAddress: ['MAX_CONNECTIONS_PER_ADDRESS', 'max-connections-per-address'],
  metricsPort: ['METRICS_PORT', 'metrics-port'],
  metricsHost: ['METRICS_HOST', 'metrics-host'],
};

const defaults = {
  host: null,
  port: 8080,
  tlsPort: 8443,
  tlsCert: null,
  tlsKey: null,
  publicUrl: null,
  contact: null,
  trustProxy: [],
  trustProxyHeader: 'x-forwarded-for',
  trustEdgeHeaders: [],
  proxyProtocol: false,
  geoipCity: null,
  geoipAsn: null,
  dataDir: 'data',
  geoipUrl: 'https://download.db-ip.com/free',
  rateLimitGeneral: 60,
  rateLimitLookup: 10,
  rdapBootstrapUrl: 'https://data.iana.org/rdap',
  dohUrl: ['https://cloudflare-dns.com/dns-query', 'https://dns.google/dns-query'],
  maxConnections: 10_000,
  maxConnectionsPerAddress: 256,
  metricsPort: null,
  metricsHost: '127.0.0.1',
} as const;

/** What to give, what is read; two of each, so that flag and variable can differ. */
const given: Readonly<Record<SettingName, readonly [text: string, value: unknown, text: string, value: unknown]>> = {
  host: ['::1', '::1', '0.0.0.0', '0.0.0.0'],
  port: ['0', 0, 'off', null],
  tlsPort: ['65535', 65_535, 'off', null],
  tlsCert: ['a.pem', 'a.pem', 'b.pem', 'b.pem'],
  tlsKey: ['a.key', 'a.key', 'b.key', 'b.key'],
  publicUrl: ['https://seenby.example/', 'https://seenby.example', 'http://[::1]:8080/a//', 'http://[::1]:8080/a'],
  contact: [
    'first.last+more@mail.seenby.example',
    { email: 'first.last+more@mail.seenby.example' },
    'https://seenby.example/contact',
    { url: 'https://seenby.example/contact' },
  ],
  trustProxy: [
    '10.1.2.3/8, ::1',
    [prefixOf('10.0.0.0/8'), prefixOf('::1')],
    'loopback,::ffff:192.0.2.1',
    [...(networks.loopback ?? []), prefixOf('192.0.2.1')],
  ],
  trustProxyHeader: ['Forwarded', 'forwarded', 'X-Real-IP', 'x-real-ip'],
  trustEdgeHeaders: ['x-edge', ['x-edge'], 'x-edge, cf', ['x-edge', 'cf']],
  proxyProtocol: ['on', true, 'off', false],
  geoipCity: ['a.mmdb', ['a.mmdb'], '4.mmdb, 6.mmdb', ['4.mmdb', '6.mmdb']],
  geoipAsn: ['a.mmdb', ['a.mmdb'], '4.mmdb,6.mmdb', ['4.mmdb', '6.mmdb']],
  dataDir: ['/a b', '/a b', '.', '.'],
  geoipUrl: ['http://127.0.0.1:1', 'http://127.0.0.1:1', 'https://mirror.example/free/', 'https://mirror.example/free'],
  rateLimitGeneral: ['0', 0, '1000000000', 1_000_000_000],
  rateLimitLookup: ['0', 0, '7', 7],
  rdapBootstrapUrl: ['http://[::1]:1/rdap/', 'http://[::1]:1/rdap', 'https://mirror.example', 'https://mirror.example'],
  dohUrl: [
    'https://a/q',
    ['https://a/q'],
    'https://a/q, http://127.0.0.1:1/q',
    ['https://a/q', 'http://127.0.0.1:1/q'],
  ],
  maxConnections: ['0', 0, '1', 1],
  maxConnectionsPerAddress: ['0', 0, '1', 1],
  metricsPort: ['9090', 9090, '0', 0],
  metricsHost: ['::', '::', '0.0.0.0', '0.0.0.0'],
};

/** What must be given together with a setting. */
const together: { readonly [Name in SettingName]?: Readonly<Record<string, string>> } = {
  tlsCert: { TLS_KEY: 'other.key' },
  tlsKey: { TLS_CERT: 'other.pem' },
  trustEdgeHeaders: { TRUST_PROXY: 'private' },
  proxyProtocol: { TRUST_PROXY: 'private' },
};

function readOne(name: SettingName, flags: Record<string, string>, environment: Record<string, string>): unknown {
  const read = readSettings(flags, { ...together[name], ...environment });
  return 'problem' in read ? read.problem : read[name];
}

test('has the defaults of the help where nothing is given', () => {
  assert.deepEqual(readSettings({}, {}), defaults);
});

test('takes an empty flag and an empty variable for none', () => {
  const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '']));
  assert.deepEqual(readSettings(empty(settingNames.map(flagOf)), empty(settingNames.map(variableOf))), defaults);
});

test('names every setting as flag and as variable', () => {
  const named = Object.fromEntries(settingNames.map((name) => [name, [variableOf(name), flagOf(name)]]));
  assert.deepEqual(named, names);
});

describe('each setting', () => {
  for (const name of settingNames) {
    const [variable, flag] = names[name];
    const [text, value, otherText, otherValue] = given[name];
    test(`reads ${variable} from the variable, and --${flag} wins over it`, () => {
      assert.deepEqual(readOne(name, {}, { [variable]: text }), value);
      assert.deepEqual(readOne(name, { [flag]: otherText }, { [variable]: text }), otherValue);
      assert.deepEqual(readOne(name, { [flag]: '' }, { [variable]: text }), value);
    });
  }
});

describe('bad values', () => {
  const port = 'must be a port from 0 to 65535, or off';
  const count = 'must be a whole number from 0 to 1000000000';
  const url = 'must be an http or https address without a query';
  const proxies = 'must be addresses, CIDR blocks, loopback, private or cloudflare, with a comma between';
  const anyone = 'must leave somebody out: whoever is trusted may name any address as the caller';
  const bad: readonly [rule: string, names: readonly SettingName[], values: readonly string[]][] = [
    [port, ['port', 'tlsPort', 'metricsPort'], ['65536', '-1', '80.5', '8080x', ' 80', '0x50', '1e3', 'on', '٣']],
    [
      count,
      ['rateLimitGeneral', 'rateLimitLookup', 'maxConnections', 'maxConnectionsPerAddress'],
      ['1000000001', '-1', '1.5', 'off', 'Infinity', 'NaN', '00000000001', ' '],
    ],
    [
      url,
      ['publicUrl', 'geoipUrl', 'rdapBootstrapUrl', 'dohUrl'],
      [
        'seenby.example',
        'ftp://a',
        'https://',
        'https://a?b',
        'https://a/#b',
        'https://u:p@a',
        'http://1.2.3.999',
        'http://[:::]',
        'https://a b',
        'https://a/"><script>',
        '//a',
        'http://a:99999',
        'http://[',
        'javascript:alert(1)',
      ],
    ],
    [
      'must be an e-mail address or an https address without a query',
      ['contact'],
      [
        'ops',
        'ops@',
        '@seenby.example',
        'ops@localhost',
        'Ops <ops@a.example>',
        'mailto:ops@a.example',
        'a b@c.example',
      ].concat(['ops@a.example,b@a.example', 'http://a.example', 'https://a.example?q', 'https://a.example:99999']),
    ],
    [
      proxies,
      ['trustProxy'],
      ['proxy.example', '10.0.0.0/33', '10.0.0', '[::1]', '127.0.0.1:80', 'loopback,', ',', '*', 'true', 'toString'],
    ],
    [anyone, ['trustProxy'], ['0.0.0.0/0', 'loopback,::/0', '::ffff:0:0/96']],
    ['must be on or off', ['proxyProtocol'], ['true', '1', 'ON', 'v2']],
    ['must be the name of a header', ['trustProxyHeader'], ['x forwarded', 'a:b', 'a,b', 'é']],
    [
      'must be x-edge, cf, or both with a comma between',
      ['trustEdgeHeaders'],
      ['on', 'x-edge,', 'X-Edge', 'cf x-edge'],
    ],
  ];
  for (const [rule, badNames, values] of bad) {
    for (const name of badNames) {
      test(`names ${names[name][0]} when it is wrong`, () => {
        const [variable, flag] = names[name];
        for (const value of values) {
          const problem = `${variable}: ${rule}, not "${value}"`;
          assert.deepEqual(readSettings({}, { [variable]: value }), { problem });
          assert.deepEqual(readSettings({ [flag]: value }, {}), { problem });
        }
      });
    }
  }

  test('wants certificate and key together', () => {
    const problem = (missing: string) => ({ problem: `${missing}: give TLS_CERT and TLS_KEY together, or neither` });
    assert.deepEqual(readSettings({}, { TLS_CERT: 'a' }), problem('TLS_KEY'));
    assert.deepEqual(readSettings({ 'tls-key': 'a' }, {}), problem('TLS_CERT'));
  });
});

test('wants to know which proxies are meant', () => {
  for (const [variable, value] of [
    ['TRUST_EDGE_HEADERS', 'cf'],
    ['PROXY_PROTOCOL', 'on'],
  ] as const) {
    const problem = `TRUST_PROXY: name the proxies that ${variable} is about`;
    assert.deepEqual(readSettings({}, { [variable]: value }), { problem });
  }
});

test('refuses to have no port at all', () => {
  const read = readSettings({ port: 'off', 'tls-port': 'off' }, {});
  assert.deepEqual(read, { problem: 'PORT: PORT and TLS_PORT are both off; open one' });
});
