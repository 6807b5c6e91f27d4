/** Settings: flags, variables, defaults, and the problems of invalid values. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networks, prefixOf } from '../../src/core/address.ts';
import {
  describeUnused,
  flagOf,
  readSettings,
  type SettingName,
  settingNames,
  settings,
  variableOf,
} from '../../src/core/settings.ts';
import { ingressBounds } from '../../src/ingress/bounds.ts';

/** Two valid texts per setting and their values, so that flag and variable can differ. */
const valid: Readonly<Record<SettingName, readonly [text: string, value: unknown, text: string, value: unknown]>> = {
  host: ['::1', '::1', '0.0.0.0', '0.0.0.0'],
  port: ['0', 0, 'off', null],
  tlsPort: ['65535', 65_535, 'off', null],
  http3Port: ['8443', 8443, 'off', null],
  tlsCert: ['a.pem', 'a.pem', 'b.pem', 'b.pem'],
  tlsKey: ['a.key', 'a.key', 'b.key', 'b.key'],
  acmeDomain: [
    'A.example, b.a.example, 1.1.1.1',
    ['a.example', 'b.a.example', '1.1.1.1'],
    '2606:4700:0::1111,xn--4ca.example,[2606:4700::1111]',
    ['2606:4700::1111', 'xn--4ca.example'],
  ],
  acmeEmail: ['', null, 'ops@a.example', 'ops@a.example'],
  acmeEabKid: ['kid-1', 'kid-1', 'kid-2', 'kid-2'],
  acmeEabHmacKey: ['a'.repeat(43), 'a'.repeat(43), 'b'.repeat(22), 'b'.repeat(22)],
  acmeDirectory: [
    'https://ca.example/dir/',
    'https://ca.example/dir/',
    'https://[::1]:14000/dir',
    'https://[::1]:14000/dir',
  ],
  acmeProfile: ['', null, 'shortlived', 'shortlived'],
  acmeTermsAgreed: ['on', true, 'off', false],
  publicUrl: ['https://seenby.example/', 'https://seenby.example', 'http://[::1]:8080', 'http://[::1]:8080'],
  publicUrlV4: [
    'https://V4.seenby.example/',
    'https://v4.seenby.example',
    'http://127.0.0.1:8080',
    'http://127.0.0.1:8080',
  ],
  publicUrlV6: ['https://v6.seenby.example', 'https://v6.seenby.example', 'http://[::1]:8080', 'http://[::1]:8080'],
  redirectHttps: ['on', true, 'off', false],
  dnsZone: ['dns.Seenby.example', 'dns.seenby.example', 'a.bc', 'a.bc'],
  dnsPort: ['0', 0, '5353', 5353],
  dnsHost: ['192.0.2.1, 2001:DB8:0::1', ['192.0.2.1', '2001:db8::1'], '::,::', ['::']],
  dnsNameServers: ['NS.seenby.example', ['ns.seenby.example'], 'a.bc, d.ef', ['a.bc', 'd.ef']],
  dnsAddresses: ['192.0.2.1', ['192.0.2.1'], '192.0.2.1,2001:db8::1', ['192.0.2.1', '2001:db8::1']],
  stunPort: ['3478', 3478, 'off', null],
  stunHost: ['STUN.seenby.example', 'stun.seenby.example', '[2001:db8::1]', '2001:db8::1'],
  stunMappingTest: ['on', true, 'off', false],
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
  geoipAutoUpdate: ['monthly', 'monthly', 'off', null],
  rateLimitGeneral: ['0', 0, '1000000000', 1_000_000_000],
  rateLimitLookup: ['0', 0, '7', 7],
  tlsOldSuites: ['on', true, 'off', false],
  rateLimitTools: ['0', 0, '600', 600],
  rateLimitDocuments: ['0', 0, '64', 64],
  rateLimitDns: ['0', 0, '300', 300],
  rateLimitStun: ['0', 0, '20', 20],
  rateLimitStore: [
    'rediss://user:p%40ss@[::1]/2',
    { target: { host: '::1', port: 6379 }, isTls: true, user: 'user', password: 'p@ss', database: 2 },
    'unix:///run/valkey.sock',
    { target: { path: '/run/valkey.sock' }, isTls: false, user: null, password: null, database: 0 },
  ],
  rateLimitSecret: ['s'.repeat(32), 's'.repeat(32), 't'.repeat(40), 't'.repeat(40)],
  rdapBootstrapUrl: ['http://[::1]:1/rdap/', 'http://[::1]:1/rdap', 'https://mirror.example', 'https://mirror.example'],
  dohUrl: [
    'https://a/q',
    ['https://a/q'],
    'https://a/q, http://127.0.0.1:1/q',
    ['https://a/q', 'http://127.0.0.1:1/q'],
  ],
  wellKnownDir: ['', null, 'files', 'files'],
  colo: ['FRA', 'FRA', 'lhr', 'LHR'],
  tlsGroups: ['X25519', ['X25519'], 'P-256, P-521', ['P-256', 'P-521']],
  maxConnections: ['0', 0, '1', 1],
  maxConnectionsPerAddress: ['0', 0, '1', 1],
  connectionRate: ['0', 0, '50', 50],
  maxMemory: ['', null, '512', 512],
  maxOutbound: ['0', 0, '256', 256],
  portCheck: ['on', true, 'off', false],
  metricsPort: ['9090', 9090, '0', 0],
  metricsHost: ['::', '::', '0.0.0.0', '0.0.0.0'],
  drainDelay: ['3600', 3600, '0', 0],
  reusePort: ['on', true, 'off', false],
  logFormat: ['json', 'json', 'plain', 'plain'],
  threads: ['4', 4, 'auto', 'auto'],
  logLevel: ['error', 'error', 'warn', 'warn'],
};

/** Variables that a setting requires. */
const together: { readonly [Name in SettingName]?: Readonly<Record<string, string>> } = {
  tlsCert: { TLS_KEY: 'other.key' },
  tlsKey: { TLS_CERT: 'other.pem' },
  trustEdgeHeaders: { TRUST_PROXY: 'private' },
  proxyProtocol: { TRUST_PROXY: 'private' },
  redirectHttps: { PUBLIC_URL: 'https://seenby.example' },
  rateLimitStore: { RATE_LIMIT_SECRET: 's'.repeat(32) },
  rateLimitSecret: { RATE_LIMIT_STORE: 'redis://store' },
  acmeDomain: { ACME_TERMS_AGREED: 'on' },
  acmeEabKid: { ACME_EAB_HMAC_KEY: 'a'.repeat(43) },
  acmeEabHmacKey: { ACME_EAB_KID: 'kid-1' },
  dnsZone: { DNS_NAME_SERVERS: 'ns.seenby.example', DNS_ADDRESSES: '192.0.2.1' },
};

function readOne(name: SettingName, flags: Record<string, string>, environment: Record<string, string>): unknown {
  const read = readSettings(flags, { ...together[name], ...environment });
  return 'problem' in read ? read.problem : read[name];
}

test('uses the default if neither flag nor variable is set', () => {
  const defaults = Object.entries(settings).map(([name, { parse, default: text }]) => [name, parse(text)]);
  assert.deepEqual(readSettings({}, {}), Object.fromEntries(defaults));
  assert.deepEqual(readOne('port', {}, {}), 8080);
});

test('states the share of MAX_CONNECTIONS from which connections are replaced', () => {
  const percent = ingressBounds.crowdedShare * 100;
  assert.ok(settings.maxConnections.description.includes(`Above ${percent}% (`), `${percent}`);
});

test('treats an empty flag or variable as not set', () => {
  const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '']));
  assert.deepEqual(
    readSettings(empty(settingNames.map(flagOf)), empty(settingNames.map(variableOf))),
    readSettings({}, {}),
  );
});

test('derives flag and variable from the name of each setting', () => {
  assert.deepEqual(['port', 'tlsPort', 'maxConnectionsPerAddress'].map(variableOf), [
    'PORT',
    'TLS_PORT',
    'MAX_CONNECTIONS_PER_ADDRESS',
  ]);
  assert.deepEqual(['port', 'tlsPort', 'maxConnectionsPerAddress'].map(flagOf), [
    'port',
    'tls-port',
    'max-connections-per-address',
  ]);
});

describe('each setting', () => {
  for (const name of settingNames) {
    const variable = variableOf(name);
    const flag = flagOf(name);
    const [text, value, otherText, otherValue] = valid[name];
    test(`reads ${variable}, which --${flag} overrides`, () => {
      assert.deepEqual(readOne(name, {}, { [variable]: text }), value);
      assert.deepEqual(readOne(name, { [flag]: otherText }, { [variable]: text }), otherValue);
      assert.deepEqual(readOne(name, { [flag]: '' }, { [variable]: text }), value);
    });
  }
});

test('reads the address of a rate-limit store', () => {
  const readStore = (url: string) => readOne('rateLimitStore', {}, { RATE_LIMIT_STORE: url });
  const plain = { target: { host: 'store', port: 6379 }, isTls: false, user: null, password: null, database: 0 };
  for (const url of ['redis://store', 'valkey://store:6379/0', 'redis://store/', 'redis://@store', 'redis://:@store'])
    assert.deepEqual(readStore(url), plain, url);
  assert.deepEqual(readStore('valkeys://a-1.b:7000'), {
    ...plain,
    target: { host: 'a-1.b', port: 7000 },
    isTls: true,
  });
  assert.deepEqual(readStore('redis://:secret@store'), { ...plain, password: 'secret' });
});

test('reads URLs as browsers do, without repairing them', () => {
  const read = (url: string) => readSettings({}, { PUBLIC_URL_V4: url, GEOIP_URL: url });
  for (const [url, origin, whole] of [
    ['HTTPS://Seenby.Example:443', 'https://seenby.example', 'https://seenby.example'],
    ['http://seenby.example:80/', 'http://seenby.example', 'http://seenby.example'],
    ['https://[2001:DB8:0::1]:8443', 'https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
  ] as const) {
    assert.equal(readOne('publicUrlV4', {}, { PUBLIC_URL_V4: url }), origin);
    assert.equal(readOne('geoipUrl', {}, { GEOIP_URL: url }), whole);
  }
  for (const url of ['https:///a', 'https:a', 'https:\\\\a', 'https://a\t', ' https://a', 'https://@a', 'https://a%'])
    assert.ok('problem' in read(url), url);
});

test('reads a key of external account binding in Base64url, and never repeats it', () => {
  const problem = 'ACME_EAB_HMAC_KEY: must be a key in Base64url, as the certificate authority shows it';
  for (const key of ['short', `${'a'.repeat(42)}+`, `${'a'.repeat(42)} a`])
    assert.deepEqual(readSettings({}, { ACME_EAB_KID: 'kid-1', ACME_EAB_HMAC_KEY: key }), { problem });
});

test('requires store and secret together', () => {
  const problem = (missing: string) => ({
    problem: `${missing}: set both RATE_LIMIT_STORE and RATE_LIMIT_SECRET, or neither`,
  });
  assert.deepEqual(readSettings({}, { RATE_LIMIT_STORE: 'redis://store' }), problem('RATE_LIMIT_SECRET'));
  assert.deepEqual(readSettings({}, { RATE_LIMIT_SECRET: 's'.repeat(32) }), problem('RATE_LIMIT_STORE'));
});

test('repeats no invalid value that contains a secret', () => {
  const store =
    'must be redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path; percent-encode special characters';
  const secret = 'must have at least 32 characters, such as the output of: openssl rand -hex 32';
  for (const url of [
    'store:6379',
    'http://hunter2@store',
    'redis://',
    'redis://user:hunter2/@store',
    'redis://:hunter2@host:70000',
    'redis://store:0',
    'redis://store/database',
    'redis://store?password=hunter2',
    'redis://:%ff@store',
    'redis+sentinel://store',
    'unix://socket',
    'unix:///',
  ])
    assert.deepEqual(readSettings({}, { RATE_LIMIT_STORE: url }), { problem: `RATE_LIMIT_STORE: ${store}` }, url);
  for (const short of ['hunter2', 's'.repeat(31), ' '])
    assert.deepEqual(readSettings({}, { RATE_LIMIT_SECRET: short }), { problem: `RATE_LIMIT_SECRET: ${secret}` });
});

test('rejects a secret that nothing has expanded, without repeating it', () => {
  const rule = 'must be the value itself, not a variable or command that nothing has expanded';
  const variable = (text: string): string => `\${${text}}`;
  const missing = variable('RATE_LIMIT_SECRET:?append it to .env, see docs/deploy/fleet.md');
  for (const secret of [missing, variable('A'.repeat(30)), '$(cat /etc/seenby/rate-limit-secret)'])
    assert.deepEqual(readSettings({}, { RATE_LIMIT_SECRET: secret }), { problem: `RATE_LIMIT_SECRET: ${rule}` });
  for (const password of [variable('STORE_PASSWORD'), variable('STORE_PASSWORD:-')])
    assert.deepEqual(readSettings({}, { RATE_LIMIT_STORE: `redis://seenby:${password}@store` }), {
      problem: `RATE_LIMIT_STORE: ${rule}`,
    });
  for (const secret of [`\${ ${'s'.repeat(32)}}`, `$(${'s'.repeat(32)}`])
    assert.equal(readOne('rateLimitSecret', {}, { RATE_LIMIT_SECRET: secret }), secret);
});

test('names settings that have no effect without another one', () => {
  const read = readSettings({}, { TRUST_PROXY_HEADER: 'x-real-ip', ACME_TERMS_AGREED: 'on' });
  assert.deepEqual('problem' in read ? read : [...describeUnused(read)], [
    'ACME_TERMS_AGREED has no effect, because ACME_DOMAIN is not set',
    'TRUST_PROXY_HEADER has no effect, because TRUST_PROXY is not set',
  ]);
});

describe('an invalid value', () => {
  const port = 'must be a port from 0 to 65535, or off';
  const count = 'must be a whole number from 0 to 1000000000';
  const url = 'must be an http or https URL without a query';
  const proxies = 'must be addresses, CIDR blocks, loopback, private or cloudflare, comma-separated';
  const anyone =
    'must not cover most addresses: a trusted proxy can set any client address; list networks up to /8, or /7 of IPv6';
  const bad: readonly [rule: string, names: readonly SettingName[], values: readonly string[]][] = [
    [
      port,
      ['port', 'tlsPort', 'http3Port', 'metricsPort', 'stunPort'],
      ['65536', '-1', '80.5', '8080x', ' 80', '0x50', '1e3', 'on', '٣'],
    ],
    [
      count,
      [
        'rateLimitGeneral',
        'rateLimitLookup',
        'rateLimitTools',
        'rateLimitDocuments',
        'rateLimitDns',
        'rateLimitStun',
        'maxConnections',
        'maxConnectionsPerAddress',
        'connectionRate',
        'maxMemory',
        'maxOutbound',
      ],
      ['1000000001', '-1', '1.5', 'off', 'Infinity', 'NaN', '00000000001', ' '],
    ],
    [
      url,
      ['geoipUrl', 'rdapBootstrapUrl', 'dohUrl'],
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
      'must be https URLs, or http URLs of this machine',
      ['dohUrl'],
      [
        'http://dns.example/q',
        'https://a/q,http://192.0.2.1/q',
        'http://127.0.0.1.example/q',
        'http://localhost.example',
      ],
    ],
    [
      'must be an email address or an https URL without a query',
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
    [anyone, ['trustProxy'], ['0.0.0.0/0', 'loopback,::/0', '::ffff:0:0/96', '0.0.0.0/1,128.0.0.0/1', '::/1,8000::/1']],
    ['must be a whole number of seconds from 0 to 3600', ['drainDelay'], ['3601', '-1', '0.5', '5s', 'off']],
    ['must be a whole number from 1 to 256, or auto', ['threads'], ['0', '257', '-1', '1.5', 'all', 'AUTO']],
    ['must be plain or json', ['logFormat'], ['text', 'JSON', 'json ']],
    ['must be error, warn or info', ['logLevel'], ['debug', 'warning', 'INFO', '4']],
    [
      'must be on or off',
      ['proxyProtocol', 'redirectHttps', 'reusePort', 'acmeTermsAgreed', 'portCheck', 'stunMappingTest'],
      ['true', '1', 'ON', 'v2'],
    ],
    [
      'must be up to 100 domain names, comma-separated, without wildcards and IP addresses; international names begin with xn--',
      ['dnsNameServers'],
      [
        '192.0.2.1',
        '::1',
        'localhost',
        '*.a.example',
        'a.example,',
        Array(101)
          .fill('a.b')
          .map((name, at) => `${at}.${name}`)
          .join(','),
      ],
    ],
    [
      'must be up to 100 domain names and IP addresses, comma-separated, without wildcards and ports; international names begin with xn--',
      ['acmeDomain'],
      [
        'localhost',
        '*.a.example',
        '1.1.1.1:443',
        '1.1.1.0/24',
        '1.1.1.256',
        '[1.1.1.1]',
        'fe80::1%eth0',
        'é.example',
        'a..b',
        '-a.example',
        'a.example.',
        'a.example,',
      ].concat(
        ['https://a.example', 'a.example:443', 'a_b.example', `${'a'.repeat(64)}.example`],
        [Array.from({ length: 101 }, (_, index) => `a${index}.example`).join(',')],
      ),
    ],
    [
      'must be a host name or an IP address, without a port',
      ['stunHost'],
      ['a.example:3478', 'https://a.example', '-a', 'a b', '192.0.2.1/24', 'fe80::1%eth0'],
    ],
    ['must be a port from 0 to 65535', ['dnsPort'], ['65536', 'off', '53/udp']],
    [
      'must be IP addresses, comma-separated',
      ['dnsHost', 'dnsAddresses'],
      ['seenby.example', '192.0.2.1,', '192.0.2.0/24', '192.0.2.1:53', '[::1]', 'fe80::1%eth0', '1.2.3.256'],
    ],
    [
      'must be a domain name of at most 180 characters; international names begin with xn--',
      ['dnsZone'],
      ['localhost', 'dns.example.', '*.a.example', 'a.example,b.example', 'é.example', '192.0.2.1'].concat(
        `${'a.'.repeat(90)}b`,
      ),
    ],
    ['must be 1 to 256 visible ASCII characters', ['acmeEabKid', 'acmeProfile'], ['a b', 'a'.repeat(257), 'é']],
    ['must be an email address', ['acmeEmail'], ['ops', 'mailto:ops@a.example', 'ops@a.example,b@a.example']],
    [
      'must be an https URL without a query',
      ['acmeDirectory'],
      ['http://ca.example/dir', 'ca.example', 'https://ca.example/?a', 'https://', 'letsencrypt'],
    ],
    [
      'must be an http or https URL without a path',
      ['publicUrl', 'publicUrlV4', 'publicUrlV6'],
      ['seenby.example', 'ftp://a', 'https://', 'https://a/b', 'https://a?b', 'https://u:p@a', 'http://a:99999'],
    ],
    ['must be an IATA code of three letters, such as FRA', ['colo'], ['FR', 'FRA1', 'EDDF', 'F-A', '123', ' FRA']],
    ['must be a header name', ['trustProxyHeader'], ['x forwarded', 'a:b', 'a,b', 'é']],
    ['must be x-edge, cf or both, comma-separated', ['trustEdgeHeaders'], ['on', 'x-edge,', 'X-Edge', 'cf x-edge']],
  ];
  for (const [rule, badNames, values] of bad) {
    for (const name of badNames) {
      test(`is reported for ${variableOf(name)}`, () => {
        const variable = variableOf(name);
        const flag = flagOf(name);
        for (const value of values) {
          const problem = `${variable}: ${rule}, not "${value}"`;
          assert.deepEqual(readSettings({}, { [variable]: value }), { problem });
          assert.deepEqual(readSettings({ [flag]: value }, {}), { problem });
        }
      });
    }
  }

  test('requires certificate and key together', () => {
    const problem = (missing: string) => ({ problem: `${missing}: set both TLS_CERT and TLS_KEY, or neither` });
    assert.deepEqual(readSettings({}, { TLS_CERT: 'a' }), problem('TLS_KEY'));
    assert.deepEqual(readSettings({ 'tls-key': 'a' }, {}), problem('TLS_CERT'));
  });
});

test('requires trusted proxies for settings that apply to them', () => {
  for (const [variable, value] of [
    ['TRUST_EDGE_HEADERS', 'cf'],
    ['PROXY_PROTOCOL', 'on'],
  ] as const) {
    const problem = `TRUST_PROXY: set the proxies that ${variable} applies to`;
    assert.deepEqual(readSettings({}, { [variable]: value }), { problem });
  }
});

test('ignores the problems of settings that are not needed, and nothing else of them', () => {
  const environment = { ACME_DOMAIN: 'a.example', REDIRECT_HTTPS: 'on', METRICS_PORT: 'none', LOG_LEVEL: 'warn' };
  const read = readSettings({}, environment, ['publicUrl']);
  assert.ok(!('problem' in read), JSON.stringify(read));
  assert.deepEqual(
    [read.publicUrl, read.redirectHttps, read.metricsPort, read.logLevel],
    ['https://a.example', true, null, 'warn'],
  );
  assert.deepEqual(readSettings({}, { ...environment, PORT: '8443' }, ['port', 'tlsPort']), {
    problem: 'TLS_PORT: PORT is 8443 too; use different ports',
  });
  assert.match(JSON.stringify(readSettings({}, { PORT: 'none' }, ['port'])), /^{"problem":"PORT: must be a port/);
});

test('rejects settings without any port', () => {
  const read = readSettings({ port: 'off', 'tls-port': 'off' }, {});
  assert.deepEqual(read, { problem: 'PORT: PORT and TLS_PORT are both off; set one to a port' });
});

test('rejects two servers on one port, but not on ports that the system chooses', () => {
  for (const [environment, problem] of [
    [{ PORT: '8443' }, 'TLS_PORT: PORT is 8443 too; use different ports'],
    [{ METRICS_PORT: '8080' }, 'METRICS_PORT: PORT is 8080 too; use different ports'],
    [{ STUN_PORT: '8443', HTTP3_PORT: '8443' }, 'STUN_PORT: HTTP3_PORT is 8443 too; use different ports'],
    [
      { STUN_PORT: '8442', STUN_MAPPING_TEST: 'on', HTTP3_PORT: '8443' },
      'HTTP3_PORT: STUN_PORT + 1 is 8443 too; use different ports',
    ],
    [
      { STUN_PORT: '65535', STUN_MAPPING_TEST: 'on' },
      'STUN_PORT: set a port from 1 to 65534, because STUN_MAPPING_TEST uses the next one',
    ],
    [
      { STUN_PORT: '0', STUN_MAPPING_TEST: 'on' },
      'STUN_PORT: set a port from 1 to 65534, because STUN_MAPPING_TEST uses the next one',
    ],
  ] as const)
    assert.deepEqual(readSettings({}, environment), { problem });
  assert.ok(!('problem' in readSettings({}, { PORT: '0', TLS_PORT: '0', METRICS_PORT: '0' })));
});

describe('DNS_ZONE', () => {
  const on = { DNS_ZONE: 'dns.a.example', DNS_NAME_SERVERS: 'ns.a.example', DNS_ADDRESSES: '192.0.2.1' };
  const problemOf = (environment: Record<string, string>) => {
    const read = readSettings({}, { ...on, ...environment });
    return 'problem' in read ? read.problem : null;
  };

  test('requires name servers outside of it, and addresses', () => {
    assert.equal(problemOf({}), null);
    assert.equal(problemOf({ DNS_ADDRESSES: '', PUBLIC_URL: 'https://a.example' }), null);
    assert.equal(
      problemOf({ DNS_NAME_SERVERS: '' }),
      'DNS_NAME_SERVERS: set the names from the NS records of DNS_ZONE',
    );
    assert.match(
      problemOf({ DNS_NAME_SERVERS: 'ns.a.example,NS.dns.a.example' }) ?? '',
      /^DNS_NAME_SERVERS: ns\.dns\.a\.example lies in DNS_ZONE, .*; use a name outside of it$/,
    );
    assert.match(
      problemOf({ DNS_ADDRESSES: '' }) ?? '',
      /^DNS_ADDRESSES: set the public IP addresses of this service, or set PUBLIC_URL/,
    );
  });

  test('contains no host of the service', () => {
    const acme = { ACME_TERMS_AGREED: 'on', ACME_DOMAIN: 'a.example,www.dns.a.example' };
    assert.match(problemOf(acme) ?? '', /^ACME_DOMAIN: www\.dns\.a\.example lies in DNS_ZONE, .*; use another zone$/);
    for (const name of ['PUBLIC_URL', 'PUBLIC_URL_V4', 'PUBLIC_URL_V6'])
      assert.match(problemOf({ [name]: 'https://DNS.a.example:8443' }) ?? '', new RegExp(`^${name}: dns\\.a`, 'i'));
    assert.match(
      problemOf({ STUN_HOST: 'stun.dns.a.example' }) ?? '',
      /^STUN_HOST: stun\.dns\.a\.example lies in DNS_ZONE/,
    );
    assert.equal(problemOf({ PUBLIC_URL: 'https://otherdns.a.example' }), null);
  });

  test('has a port of its own, over UDP and TCP', () => {
    assert.equal(problemOf({ DNS_PORT: '8080' }), 'DNS_PORT: PORT is 8080 too; use different ports');
    assert.equal(problemOf({ HTTP3_PORT: '53' }), 'DNS_PORT: HTTP3_PORT is 53 too; use different ports');
    assert.equal(problemOf({ DNS_ZONE: '', HTTP3_PORT: '53' }), null);
  });

  test('is named by what has no effect without it', () => {
    const read = readSettings({}, { ...on, DNS_ZONE: '' });
    const unused = 'problem' in read ? [] : [...describeUnused(read)];
    assert.deepEqual(
      unused,
      ['DNS_NAME_SERVERS', 'DNS_ADDRESSES'].map((name) => `${name} has no effect, because DNS_ZONE is not set`),
    );
  });

  test('has an effect on other machines only if its server listens on an address that they reach', () => {
    const unusedOf = (environment: Record<string, string>): readonly string[] => {
      const read = readSettings({}, { ...on, ...environment });
      return 'problem' in read ? assert.fail(read.problem) : [...describeUnused(read)];
    };
    assert.deepEqual(unusedOf({ HOST: '::1' }), [
      'DNS_ZONE has no effect on other machines, because HOST is ::1; set DNS_HOST to the public addresses',
    ]);
    assert.deepEqual(unusedOf({ HOST: '::1', DNS_HOST: '192.0.2.1' }), []);
  });
});

test('requires an https PUBLIC_URL to redirect to', () => {
  const problem = 'PUBLIC_URL: set the https URL to which REDIRECT_HTTPS redirects';
  assert.deepEqual(readSettings({}, { REDIRECT_HTTPS: 'on' }), { problem });
  assert.deepEqual(readSettings({}, { REDIRECT_HTTPS: 'on', PUBLIC_URL: 'http://a.example' }), { problem });
  const on = { REDIRECT_HTTPS: 'on', PUBLIC_URL: 'HTTPS://a.example' };
  const unusedOf = (environment: Record<string, string>): readonly string[] => {
    const read = readSettings({}, environment);
    assert.ok(!('problem' in read));
    return [...describeUnused(read)];
  };
  assert.deepEqual(unusedOf(on), []);
  assert.deepEqual(unusedOf({ ...on, PORT: 'off' }), ['REDIRECT_HTTPS has no effect, because PORT is off']);
  const files = { TLS_CERT: 'a.pem', TLS_KEY: 'a.key' };
  assert.deepEqual(unusedOf(files), []);
  assert.deepEqual(unusedOf({ ...files, TLS_PORT: 'off' }), ['TLS_CERT has no effect, because TLS_PORT is off']);
});

test('STUN has an effect on pages if its host and its port are known', () => {
  const unusedOf = (environment: Record<string, string>): readonly string[] => {
    const read = readSettings({}, environment);
    return 'problem' in read ? assert.fail(read.problem) : [...describeUnused(read)];
  };
  const start = 'STUN_PORT has no effect on pages, because ';
  assert.deepEqual(unusedOf({ STUN_PORT: '3478', STUN_HOST: 'a.example' }), []);
  assert.deepEqual(unusedOf({ STUN_PORT: '3478' }), [`${start}its host is unknown; set STUN_HOST or PUBLIC_URL`]);
  assert.deepEqual(unusedOf({ STUN_PORT: '0', STUN_HOST: 'a.example' }), [
    `${start}the system chooses the port; set one`,
  ]);
  const stun = { STUN_PORT: '3478', STUN_HOST: 'a.example' };
  const reason = 'has no effect on other machines, because HOST is 127.0.0.1';
  const advice = `STUN_PORT ${reason}; leave HOST empty, and block the other ports in the firewall`;
  assert.deepEqual(unusedOf({ ...stun, HOST: '127.0.0.1' }), [advice]);
  assert.deepEqual(unusedOf({ ...stun, HOST: '192.0.2.1' }), []);
});

describe('ACME_DOMAIN', () => {
  const on = { ACME_DOMAIN: 'a.example,b.example', ACME_TERMS_AGREED: 'on' };
  const problemOf = (environment: Record<string, string>) => {
    const read = readSettings({}, { ...on, ...environment });
    return 'problem' in read ? read.problem : null;
  };

  test('sets the public URL to its first name, unless it is set', () => {
    const publicUrlOf = (environment: Record<string, string>) => {
      const read = readSettings({}, { ...on, ...environment });
      return 'problem' in read ? read.problem : read.publicUrl;
    };
    assert.equal(publicUrlOf({}), 'https://a.example');
    assert.equal(publicUrlOf({ PUBLIC_URL: 'https://b.example' }), 'https://b.example');
    assert.equal(publicUrlOf({ REDIRECT_HTTPS: 'on' }), 'https://a.example');
    assert.equal(publicUrlOf({ ACME_DOMAIN: '1.1.1.1,a.example' }), 'https://1.1.1.1');
    assert.equal(publicUrlOf({ ACME_DOMAIN: '2606:4700:0::1111' }), 'https://[2606:4700::1111]');
  });

  test("rejects addresses that Let's Encrypt cannot reach", () => {
    const staging = 'https://acme-staging-v02.api.letsencrypt.org/directory';
    for (const address of ['10.0.0.1', '127.0.0.1', '0.0.0.0', '192.0.2.1', '::', '::1', 'fd00::1', '::ffff:1.1.1.1'])
      for (const directory of [{}, { ACME_DIRECTORY: staging }])
        assert.match(
          problemOf({ ACME_DOMAIN: `a.example,${address}`, ...directory }) ?? '',
          /^ACME_DOMAIN: Let's Encrypt cannot reach \S+, a private or reserved address; use .*, or set ACME_DIRECTORY to a certificate/,
          address,
        );
    assert.equal(problemOf({ ACME_DOMAIN: '10.0.0.1,fd00::1', ACME_DIRECTORY: 'https://ca.example/dir' }), null);
    assert.equal(problemOf({ ACME_DOMAIN: 'a.example,1.1.1.1,2606:4700::1111' }), null);
  });

  test('requires consent to the terms, the HTTPS port, and no other certificate', () => {
    assert.match(
      problemOf({ ACME_TERMS_AGREED: 'off' }) ?? '',
      /^ACME_TERMS_AGREED: set it to on if you agree to .*terms/,
    );
    assert.match(problemOf({ TLS_PORT: 'off' }) ?? '', /^ACME_DOMAIN: TLS_PORT is off; /);
    assert.match(problemOf({ TLS_CERT: 'a', TLS_KEY: 'b' }) ?? '', /^ACME_DOMAIN: TLS_CERT is set too; /);
  });
});
