/** The command line prints one clear line, or serves. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { product } from '../../src/core/product.ts';
import { escapeControls, replaceControlsOfLines } from '../../src/core/text.ts';
import type { Info } from '../../src/resources/info.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { nestedOslo, writeMmdb } from '../mmdb.ts';
import { runWith } from './run-with.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-cli-'));
after(() => rm(folder, { recursive: true }));
const asnFile = join(folder, 'asn.mmdb');
writeFileSync(asnFile, writeMmdb({ databaseType: 'ASN', ipVersion: 4, networks: {} }));
const quiet = { PORT: '0', TLS_PORT: 'off', HOST: '127.0.0.1', DATA_DIR: folder, GEOIP_ASN: asnFile };

test('prints the version of the product', async () => {
  const { outcome, out } = await runWith(['--version']);
  assert.deepEqual([outcome, out], [{ exitCode: 0 }, `${product.name} ${product.version}\n`]);
});

test('prints the help', async () => {
  const golden = new URL('../golden/help.txt', import.meta.url);
  for (const flag of ['--help', '-h']) {
    const { outcome, out, err } = await runWith([flag], { PORT: 'wrong' });
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, out);
    assert.deepEqual(outcome, { exitCode: 0 });
    assert.ok(out === readFileSync(golden, 'utf8'), 'test/golden/help.txt is stale: UPDATE_GOLDEN=1 npm run check');
    assert.equal(err, '');
  }
});

test('prints a help of at most 40 lines of 80 columns', async () => {
  const lines = (await runWith(['--help'])).out.trimEnd().split('\n');
  assert.ok(lines.length <= 40, `${lines.length} lines`);
  assert.deepEqual(
    lines.filter(({ length }) => length > 80),
    [],
  );
});

const refusals: readonly [
  exitCode: 1 | 2,
  args: readonly string[],
  environment: Record<string, string>,
  line: RegExp,
][] = [
  [2, ['--prot', '80'], {}, /--prot/],
  [2, ['dns', 'example.com', '--jsn'], {}, /^seenby: Unknown option '--jsn'; did you mean --json\?$/],
  [2, ['dns', 'example.com', '--shrot'], {}, /; did you mean --short\?$/],
  // Options of dig, not mistyped ones.
  [2, ['dns', '-c', 'IN', 'example.com'], {}, /; type: \.\/seenby dns example\.com$/],
  [2, ['ip', '8.8.8.8', '--fail-belo', 'B'], {}, /^seenby: Unknown option '--fail-belo'; see --help$/],
  [2, ['grade', 'a.example', '--fail-belo', 'B'], {}, /; did you mean --fail-below\?$/],
  [2, ['8.8.8.8', '--jsno'], {}, /; did you mean --json\?$/],
  [2, ['--port'], {}, /^seenby: --port: its value is missing; type --port=<port>$/],
  [2, ['whois', 'a.example', '--expires-within'], {}, /^seenby: --expires-within: its value is missing; .*=<days>$/],
  [2, ['--tls-cert', '--tls-key', 'a.pem'], {}, /^seenby: --tls-cert: its value is missing; type --tls-cert=<file>$/],
  [2, ['--tls-cert', '--port=1'], {}, /^seenby: --tls-cert: its value is missing; /],
  [2, ['--tls-cert', '-h'], {}, /^seenby: --tls-cert: its value is missing; /],
  [2, ['--tls-cert', '--'], {}, /^seenby: --tls-cert: its value is missing; /],
  [
    2,
    ['--tls-cert', '-x'],
    {},
    /^seenby: --tls-cert: a value that begins with a hyphen must follow an equals sign; type --tls-cert=-x$/,
  ],
  // The form without a value that would fail next.
  [2, ['--port', '-1'], {}, / equals sign; type --port=<port>$/],
  [2, ['--threads', '-1'], {}, / equals sign; type --threads=<count\|auto>$/],
  // A header name may begin with a hyphen.
  [2, ['--trust-proxy-header', '-x'], {}, / equals sign; type --trust-proxy-header=-x$/],
  // Without the values: they are secrets, or contain them.
  [2, ['--acme-eab-hmac-key', '-secret'], {}, / equals sign; type --acme-eab-hmac-key=<key>$/],
  [2, ['grade', 'a.example', '--header', '-secret'], {}, / equals sign; type --header=<line>$/],
  [2, ['--tls.cert', 'a.pem'], {}, /^seenby: Unknown option '--tls\.cert'; did you mean --tls-cert\?$/],
  [2, ['-v'], {}, /^seenby: Unknown option '-v'; did you mean --version\?$/],
  [2, ['grade', 'a.example', '-H', 'X-A: b'], {}, /; did you mean --header\?$/],
  [2, ['ip', '8.8.8.8', '-H', 'X-A: b'], {}, /^seenby: Unknown option '-H'; see --help$/],
  [2, ['--help=yes'], {}, /--help/],
  [2, ['--port', 'http'], {}, /^seenby: --port: must be a port .*, not "http"$/],
  [2, [], { PORT: 'http' }, /^seenby: PORT: must be a port .*, not "http"$/],
  [2, [], { RATE_LIMIT_GENERAL: '-1' }, /^seenby: RATE_LIMIT_GENERAL: must be a whole number .*, not "-1"$/],
  [2, ['sevre'], {}, /^seenby: unknown command "sevre"; did you mean "serve"\?$/],
  [2, ['nslookup', 'a.example'], {}, /^seenby: unknown command "nslookup"; did you mean "dns"\?$/],
  [2, [''], {}, /^seenby: the first argument is empty; set the variable that it comes from, or omit it$/],
  [
    2,
    ['9000'],
    {},
    /^seenby: 9000 is not a command; type AS9000 for a network, port 9000 .*, or --port 9000 to serve /,
  ],
  [2, ['mx', 'a.example'], {}, /^seenby: unknown command "mx"; for DNS records, type: dns mx a\.example$/],
  [2, ['trace'], {}, /^seenby: unknown command "trace"; the commands are serve, .*, help$/],
  [2, ['help', 'trace'], {}, /^seenby: unknown command "trace"; the commands are serve, .*, help$/],
  [2, ['geo'], {}, /^seenby: geo: use "geo update" or "geo build"$/],
  [2, ['geo', 'update', 'now'], {}, /^seenby: geo update: wrong number of arguments; Usage: \.\/seenby geo update$/],
  [2, ['whois'], {}, /^seenby: whois: wrong number of arguments; Usage: \.\/seenby whois <domain\|ip\|AS\.\.\.>$/],
  [2, ['grade', 'https://a.example/', '--fail-below', 'G'], {}, /^seenby: --fail-below: must be a grade .*, not "G"$/],
  [2, ['--fail-below', 'B'], {}, /^seenby: --fail-below: not a flag of serve; the commands with it are grade$/],
  [2, ['ip', '8.8.8.8', '--fail-below', 'B'], {}, /^seenby: --fail-below: not a flag of ip;/],
  [
    2,
    ['ua', 'curl/8', '--port', '1'],
    {},
    /^seenby: --port: not a flag of ua; the commands with it are serve, dev, me, ip, port$/,
  ],
  [
    2,
    ['geo', 'build', '--doh-url', 'https://a.example/'],
    {},
    /not a flag of geo build; .* serve, dev, zone check, ip, domain, dns, cert$/,
  ],
  [2, ['ip', '--short', '--json'], {}, /^seenby: --short and --json: only one form of output is possible$/],
  [
    2,
    ['grade', 'a.example', '--format', 'junit', '--json'],
    {},
    /^seenby: --(?:format|json) and --(?:json|format): only one/,
  ],
  [2, ['zone', 'check'], {}, /^seenby: DNS_ZONE: set the zone to check, or use --dns-zone$/],
  [
    2,
    ['geo', 'build', '--json'],
    {},
    /^seenby: --json: .* geo build; .* me, ip, port, domain, whois, dns, grade, cert, ua$/,
  ],
  [2, ['me', 'not a url'], {}, /^seenby: me not a url: Send the URL of a running service/],
  [2, ['me', 'ftp://seenby.example'], {}, /^seenby: me ftp:\/\/seenby\.example: /],
  [1, ['ip', '10.0.0.1'], {}, /private or reserved/],
  [2, ['ip', 'x'], {}, /^seenby: ip x: This is not an IP address; send one, such as 8\.8\.8\.8\.$/],
  [
    2,
    ['ip', 'a.example'],
    {},
    /^seenby: ip a\.example: This is not an IP address; for a domain, type: domain a\.example$/,
  ],
  [2, ['ip', 'xn--e1afmkfd.xn--p1ai'], {}, /; for a domain, type: domain xn--e1afmkfd\.xn--p1ai$/],
  [2, ['ip', 'пример.рф.'], {}, /; for a domain, type: domain пример\.рф\.$/],
  // Its top-level domain contains a vowel sign, which is no letter.
  [2, ['ip', 'उदाहरण.भारत'], {}, /; for a domain, type: domain उदाहरण\.भारत$/],
  [2, ['ip', '例え。テスト'], {}, /; for a domain, type: domain 例え。テスト$/],
  [2, ['ip', '1.2.3.4.5'], {}, /; send one, such as 8\.8\.8\.8\.$/],
  [2, ['ip', '1.2.3.0x7f'], {}, /; send one, such as 8\.8\.8\.8\.$/],
  [2, ['ip', 'localhost.'], {}, /; send one, such as 8\.8\.8\.8\.$/],
  [2, ['domain', '8.8.8.8'], {}, /^seenby: domain 8\.8\.8\.8: name is an IP address; use a domain name such as /],
  [2, ['whois', 'a b'], {}, /^seenby: whois a b: Send one name or address, without spaces\.$/],
  [2, ['whois', 'a.example,b.example'], {}, /^seenby: whois a\.example,b\.example: .* by spaces, not by commas\.$/],
  [2, ['whois', 'a.example,', 'b.example'], {}, /^seenby: whois a\.example,: .* by spaces, not by commas\.$/],
  [2, ['grade', 'a.example,b.example'], {}, /"a\.example,b\.example" is not a valid host name; .* not by commas\.$/],
  [2, ['cert', 'a.example,b.example:8443'], {}, /^seenby: cert a\.example,b\.example:8443: .* not by commas\.$/],
  [2, ['8.8.8.8,1.1.1.1'], {}, /^seenby: 8\.8\.8\.8,1\.1\.1\.1: .* not by commas\.$/],
  // A comma of a URL, a command with one argument, and a list with a member that is not valid.
  [2, ['grade', 'ftp://a.example/?x=1,2'], {}, /: Send an http or https URL; ftp: is not supported\.$/],
  [
    2,
    ['grade', 'https://u:p@a.example/1,2'],
    {},
    /: Send the URL without user name and password: try https:\/\/a\.example\/\.$/,
  ],
  [2, ['a.example:99999/1,2'], {}, /^seenby: a\.example:99999\/1,2: [^;]+; use [^;]+\.$/],
  [2, ['me', 'ftp://a.example/1,2'], {}, /: Send the URL of a running service, [^.]+\.example\.$/],
  [2, ['whois', 'a.example,b c'], {}, /: Send one name or address, without spaces\.$/],
  [2, ['grade', 'ftp://a.example/'], {}, /^seenby: grade ftp:\/\/a\.example\/: .*ftp: is not supported/],
  [1, ['grade', 'http://127.0.0.1/'], {}, /private or reserved/],
  [1, ['grade', 'http://[::ffff:7f00:1]/'], {}, /private or reserved/],
  [
    1,
    ['me', 'http://127.0.0.1:1'],
    {},
    /^seenby: no response from http:\/\/127\.0\.0\.1:1: fetch\(\) blocks this port, /,
  ],
  [1, ['me', '-k', 'https://127.0.0.1:1'], {}, /^seenby: no response from .*: fetch\(\) blocks this port, /],
  [2, ['dns', 'example.com', 'NOPE'], {}, /\bA, /],
  [2, [], { TLS_CERT: 'a.pem' }, /^seenby: TLS_KEY: /],
  [2, [], { DNS_ZONE: 'dns.a.example' }, /^seenby: DNS_NAME_SERVERS: set the names from the NS records /],
  [
    1,
    [],
    { TLS_PORT: '0', TLS_CERT: join(folder, 'none'), TLS_KEY: join(folder, 'none') },
    /^seenby: TLS_CERT: cannot read/,
  ],
  [2, [], { MAX_MEMORY: '70' }, /^seenby: MAX_MEMORY: must be at least 7\d, .*, not "70"$/],
  [2, [], { MAX_MEMORY: '160', THREADS: '3' }, /^seenby: MAX_MEMORY: must be at least 16\d, .*, not "160"$/],
  [
    2,
    [],
    { THREADS: String(4 * availableParallelism() + 1), MAX_MEMORY: '0' },
    /^seenby: THREADS: must be at most \d+, because the service may use \w+ processors?, not "\d+"$/,
  ],
  [
    2,
    [],
    { TLS_GROUPS: 'X25519,P-999' },
    /^seenby: TLS_GROUPS: OpenSSL \S+ does not know the group "P-999"; use names such as X25519 and P-256$/,
  ],
  [2, [], { DOH_URL: 'http://192.0.2.1' }, /^seenby: DOH_URL: must be https URLs, or http URLs of this machine, not /],
  [
    1,
    [],
    { DATA_DIR: join(asnFile, 'data') },
    /^seenby: DATA_DIR: cannot write to ".*" \(ENOTDIR\); use a writable folder$/,
  ],
  [1, [], { GEOIP_CITY: join(folder, 'none') }, /^seenby: GEOIP_CITY: cannot read/],
  [1, [], { GEOIP_ASN: folder }, /^seenby: GEOIP_ASN: cannot read/],
  [1, [], { HOST: '192.0.2.1' }, /^seenby: HOST: cannot listen on "192\.0\.2\.1"/],
];
for (const [exitCode, args, environment, line] of refusals) {
  test(`ends with one line that names what is wrong: ${[...args, ...Object.keys(environment)].join(' ')}`, async () => {
    const { outcome, out, err } = await runWith(args, { ...quiet, ...environment });
    assert.deepEqual(outcome, { exitCode });
    assert.equal(out, '');
    assert.match(err, /^[^\n]+\n$/);
    assert.match(err.trimEnd(), line);
  });
}

test('prints the help of one command', async () => {
  for (const args of [
    ['help', 'grade'],
    ['grade', '--help'],
  ]) {
    const { outcome, out } = await runWith(args);
    assert.deepEqual(outcome, { exitCode: 0 });
    assert.match(out, /^Usage: \.\/seenby grade <url\.\.\.>\n\n(?:.*\n)+ {2}--fail-below <grade> /);
  }
});

test('prints the help of the subcommands', async () => {
  for (const args of [
    ['help', 'geo'],
    ['geo', '--help'],
  ]) {
    const { outcome, out } = await runWith(args);
    assert.deepEqual(outcome, { exitCode: 0 });
    assert.match(out, /^Usage: \.\/seenby geo update\n.*^Usage: \.\/seenby geo build\n/ms);
  }
});

test('parses a User-Agent, as text, in color on a terminal without NO_COLOR, and as JSON', async () => {
  const { out } = await runWith(['ua', 'curl/8.16.0']);
  assert.match(out, /^Looks like {4}a command-line tool$/m);
  assert.match(out, /^Name {10}curl 8\.16\.0$/m);
  assert.ok(
    (await runWith(['ua', 'curl/8.16.0'], {}, { isTTY: true })).out.includes(
      '\x1b[36mLooks like    \x1b[39ma command-line tool\n',
    ),
  );
  assert.equal((await runWith(['ua', 'curl/8.16.0'], { NO_COLOR: '1' }, { isTTY: true })).out, out);
  assert.equal(JSON.parse((await runWith(['ua', 'curl/8.16.0', '--json'], {}, { isTTY: true })).out).kind, 'cli');
});

test('looks up an IP address without a name if DNS fails', async () => {
  const environment = { ...quiet, DOH_URL: 'http://127.0.0.1:1' };
  const { outcome, out, err } = await runWith(['ip', '81.2.69.142', '--json'], environment);
  assert.deepEqual([outcome, err], [{ exitCode: 0 }, '']);
  const { country, hostname } = JSON.parse(out);
  assert.deepEqual([country, hostname], ['GB', null]);
});

test('prints PUBLIC_URL after the start, curl -k only for the certificate for localhost, and the header of the PROXY protocol if it is on', async () => {
  const { cert, key } = await createLocalhostCertificate();
  const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
  writeFileSync(files.TLS_CERT, cert);
  writeFileSync(files.TLS_KEY, key);
  for (const [environment, commands] of [
    [{}, [/^curl http:.*[^n]$/, /^curl http:.*\/json$/, /^curl -k --http2 https:.*\/json$/]],
    [files, [/^curl http:.*[^n]$/, /^curl http:.*\/json$/]],
    [
      { PROXY_PROTOCOL: 'on', TRUST_PROXY: '127.0.0.0/8,::1', TLS_PORT: 'off' },
      [
        /^curl --haproxy-protocol http:.*[^n]$/,
        /^curl --haproxy-protocol http:.*\/json$/,
        /^curl --haproxy-protocol http:.*\/headers$/,
      ],
    ],
    [
      { PUBLIC_URL: 'https://seenby.example' },
      [/^curl https:\/\/seenby\.example$/, /^curl https:\/\/seenby\.example\/json$/],
    ],
  ] as const) {
    const { outcome, out } = await runWith([], { ...quiet, TLS_PORT: '0', ...environment });
    assert.ok('service' in outcome);
    await outcome.service.close();
    const printed = out.split('\n').map((line) => line.trim());
    const found = printed.filter((line) => line.startsWith('curl '));
    assert.equal(found.length, commands.length, out);
    for (const [at, command] of commands.entries()) assert.match(found[at] ?? '', command);
  }
});

test('states at the start that HTTPS_PROXY is not used', async () => {
  for (const name of ['HTTPS_PROXY', 'all_proxy']) {
    const { outcome, out, err } = await runWith([], { ...quiet, [name]: 'http://127.0.0.1:1' });
    assert.ok('service' in outcome);
    await outcome.service.close();
    assert.match(
      out + err,
      /^HTTPS_PROXY is not used for DNS, RDAP, header checks and ACME, .*#behind-a-company-proxy$/m,
    );
  }
});

test('shows what a running service observes: at a URL, at PUBLIC_URL, or on localhost', async () => {
  const { outcome } = await runWith([], quiet);
  assert.ok('service' in outcome);
  const url = String(outcome.service.http);
  try {
    for (const [args, environment] of [
      [['me', url], {}],
      [['me'], { PUBLIC_URL: url }],
      [['me'], { PORT: new URL(url).port }],
    ] as const) {
      const { out, err } = await runWith([...args, '--json'], environment);
      assert.equal(err, '');
      assert.equal(JSON.parse(out).ip, '127.0.0.1');
    }
  } finally {
    await outcome.service.close();
  }
});

test('accepts every setting as a variable, and as a flag of the commands that it affects', async () => {
  const environment = { PORT: '1', DOH_URL: 'https://a.example/' };
  assert.deepEqual((await runWith(['ua', 'curl/8'], environment)).outcome, { exitCode: 0 });
  const args = ['ip', '10.0.0.1', '--doh-url', 'https://a.example/', '--data-dir', folder];
  const { outcome, err } = await runWith(args, { GEOIP_ASN: asnFile });
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.match(err, /private or reserved/);
});

test('runs with invalid or contradicting variables of settings that do not affect the command', async () => {
  for (const environment of [
    { LOG_LEVEL: 'debug' },
    { PORT: '8443' },
    { METRICS_PORT: 'tcp://10.0.0.1:9090' },
    { PUBLIC_URL: 'seenby', REDIRECT_HTTPS: 'on' },
  ]) {
    const { outcome, err } = await runWith(['ua', 'curl/8'], environment);
    assert.deepEqual([outcome, err], [{ exitCode: 0 }, '']);
  }
});

test('names the scheme for a service without TLS', async () => {
  const { outcome } = await runWith([], quiet);
  assert.ok('service' in outcome);
  const { host } = new URL(String(outcome.service.http));
  try {
    const { outcome: failed, err } = await runWith(['me', host]);
    assert.deepEqual(failed, { exitCode: 1 });
    assert.equal(err, `seenby: https://${host} does not use TLS; use http://${host}\n`);
  } finally {
    await outcome.service.close();
  }
});

test('says that a service with an untrusted certificate responds', async () => {
  const { outcome } = await runWith([], { ...quiet, TLS_PORT: '0' });
  assert.ok('service' in outcome);
  try {
    const { outcome: failed, err } = await runWith(['me', String(outcome.service.https)]);
    assert.deepEqual(failed, { exitCode: 1 });
    assert.match(err, /^seenby: https:\/\/\S+ responds, but its certificate is not trusted \([^;]+\); use its http:/);
  } finally {
    await outcome.service.close();
  }
});

test('replaces control characters that other servers send', () => {
  assert.equal(replaceControlsOfLines('a\x1b[31mb\r\nc\u009b'), 'a [31mb \nc ');
});

test('escapes control characters in JSON without a change of its value', () => {
  const value = { name: 'a\x1b[31m\u009b31m\x7fé\u0085' };
  const json = escapeControls(JSON.stringify(value));
  assert.doesNotMatch(json, /[^\P{Cc}\n]/u);
  assert.deepEqual(JSON.parse(json), value);
});

test('serves with simulated network fields on dev', async () => {
  const { outcome } = await runWith(['dev'], { ...quiet });
  assert.ok('service' in outcome);
  try {
    const { meta, network } = (await (await fetch(`${outcome.service.http}/json`)).json()) as Info;
    assert.deepEqual([meta.simulated, network.asn], [true, 64496]);
  } finally {
    await outcome.service.close();
  }
});

test('names the setting of a port in use', async () => {
  const taken = createTcpServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const port = String((taken.address() as AddressInfo).port);
  try {
    for (const [variable, flag] of [
      ['PORT', 'port'],
      ['TLS_PORT', 'tls-port'],
      ['METRICS_PORT', 'metrics-port'],
    ] as const) {
      const { outcome, err } = await runWith([], { ...quiet, [variable]: port });
      assert.deepEqual(outcome, { exitCode: 1 });
      assert.equal(err, `seenby: ${variable}: port ${port} is in use; choose another with --${flag}\n`);
    }
  } finally {
    taken.close();
  }
});

test('prints its addresses and three lines to try, and serves', async () => {
  const ports: readonly (readonly [port: string, tlsPort: string, metricsPort: string, addresses: number])[] = [
    ['0', '0', '0', 3],
    ['0', 'off', 'off', 1],
    ['off', '0', 'off', 1],
  ];
  for (const [PORT, TLS_PORT, METRICS_PORT, count] of ports) {
    const { outcome, out, err } = await runWith(['serve'], { ...quiet, PORT, TLS_PORT, METRICS_PORT });
    assert.ok('service' in outcome, err);
    const { service } = outcome;
    try {
      const addresses = [service.http, service.https, service.metrics].filter((address) => address !== null);
      assert.equal(addresses.length, count);
      for (const address of addresses) assert.ok(out.includes(`  ${address}\n`), out);
      assert.equal(out.match(/^ {2}curl .+$/gm)?.length, 3, out);
      assert.equal(err, '');
      if (service.http !== null) assert.equal(await (await fetch(`${service.http}/ip`)).text(), '127.0.0.1\n');
    } finally {
      await service.close();
    }
  }
});

test('logs one JSON object for each event with LOG_FORMAT=json, and nothing below LOG_LEVEL', async () => {
  const json = { ...quiet, LOG_FORMAT: 'json' };
  const { outcome, out, err } = await runWith([], json, { isTTY: true });
  assert.ok('service' in outcome, err);
  const { http, close } = outcome.service;
  await close();
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ event }) => event),
    ['databases_old', 'listening'],
  );
  assert.deepEqual([events.at(-1).http, events.at(-1).https], [http, null]);
  const { outcome: started, out: nothing } = await runWith([], { ...quiet, LOG_LEVEL: 'error' }, { isTTY: true });
  assert.ok('service' in started);
  await started.service.close();
  assert.equal(nothing, '');
  const failed = await runWith([], { ...json, HOST: '192.0.2.1' });
  assert.deepEqual(failed.outcome, { exitCode: 1 });
  assert.equal(JSON.parse(failed.err).event, 'start_failed');
});

test('warns once about settings that have no effect', async () => {
  const unused = { TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem', ACME_EMAIL: 'ops@seenby.example' };
  const { outcome, out, err } = await runWith([], { ...quiet, ...unused });
  assert.ok('service' in outcome, err);
  await outcome.service.close();
  const warning =
    'TLS_CERT has no effect, because TLS_PORT is off; ACME_EMAIL has no effect, because ACME_DOMAIN is not set';
  assert.deepEqual(out.match(/^.* has no effect.*$/gm), [warning]);
});

test('geo update downloads both databases and prints where they are', async () => {
  const city = writeMmdb({ databaseType: 'DBIP-City-Lite', ipVersion: 6, networks: { '127.0.0.0/8': nestedOslo } });
  const networks = { '127.0.0.0/8': { autonomous_system_number: 2119 } };
  const asn = writeMmdb({ databaseType: 'DBIP-ASN-Lite', ipVersion: 6, networks });
  const server = createServer(({ url }, response) => response.end(gzipSync(url?.includes('city') ? city : asn)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dataDir = join(folder, 'data');
  const environment = { DATA_DIR: dataDir, GEOIP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  try {
    for (const isTTY of [false, true]) {
      const { outcome, out, err } = await runWith(['geo', 'update'], environment, { isTTY });
      assert.deepEqual([outcome, err], [{ exitCode: 0 }, '']);
      for (const kind of ['city', 'asn'])
        assert.ok(out.includes(`wrote ${join(dataDir, `dbip-${kind}-lite.mmdb`)}\n`), out);
      assert.equal(out.includes('\r'), isTTY);
    }
    const GEOIP_CITY = relative('', join(dataDir, 'dbip-city-lite.mmdb'));
    const named = await runWith(['geo', 'update'], { ...environment, GEOIP_CITY, GEOIP_ASN: asnFile });
    assert.match(named.out, /^wrote \S+city-lite\.mmdb$/m);
    assert.match(named.out, /^wrote \S+asn-lite\.mmdb, which is not used: GEOIP_ASN names another$/m);
    server.removeAllListeners('request').on('request', (_, response) => response.writeHead(503).end());
    const { outcome, err } = await runWith(['geo', 'update'], environment);
    assert.deepEqual(outcome, { exitCode: 1 });
    assert.match(
      err,
      /^seenby: could not update the city database from http:\/\/[^ ]+: the server responded with status 503; the city database in use stays\n$/,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
