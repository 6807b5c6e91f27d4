/** Real programs that expect another service, pointed at this one as docs/compatibility.md describes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { gotScraping } from 'got-scraping';
import { Impit } from 'impit';
import { publicIpv4, publicIpv6 } from 'public-ip';
import { prefixOf } from '../../src/core/address.ts';
import { wrapSimulation } from '../../src/edges/simulated.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { type DeployedProxy, isInstalled, proxies, startProxy } from '../acceptance/proxies.ts';
import { clientRows } from '../dialects/client-table.ts';
import { startNode } from '../node-service.ts';

const run = promisify(execFile);
/** The addresses of the simulated edge: some clients reject those of this machine. */
const ipv4 = '203.0.113.7';
const ipv6 = '2001:db8::7';

const folder = mkdtempSync(join(tmpdir(), 'seenby-dialects-'));
let service: Service;
let http: string;
let https: string;
before(async () => {
  service = await startNode({}, { prefaceGraceMs: 5000 }, () => {}, wrapSimulation);
  http = (service.http ?? '').replace('localhost', '127.0.0.1');
  https = service.https ?? '';
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Fails in CI if a program is missing, and skips the test elsewhere. */
function requires(context: TestContext, name: string, isAvailable: boolean): boolean {
  assert.ok(isAvailable || !process.env.CI, `${name} is not on this machine`);
  if (!isAvailable) context.skip(`${name} is not on this machine`);
  return isAvailable;
}

/** A server of a dynamic DNS provider that accepts every update; `updates` are the URLs requested. */
async function startProvider(): Promise<{
  readonly updates: string[];
  readonly host: string;
  readonly server: Server;
}> {
  const updates: string[] = [];
  const server = createServer((request, response) => {
    updates.push(request.url ?? '');
    response.end(`good ${ipv4}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { updates, server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const tested: string[] = [];
const programTest = (client: string, body: (context: TestContext) => Promise<void>) => {
  tested.push(client);
  test(`${client} reads its response`, body);
};

for (const path of ['/as/dyndns', '/as/plain', '/as/trace', '/as/ifconfig.me/ip', '/as/echoip/ip'])
  test(`ddclient updates the address that it finds at ${path}`, async (context) => {
    if (!requires(context, 'ddclient', isInstalled('ddclient'))) return;
    const { updates, host, server } = await startProvider();
    const name = path.replaceAll('/', '-');
    const file = join(folder, `ddclient${name}.conf`);
    const lines = ['ssl=no', 'protocol=dyndns2', `server=${host}`, 'login=u', 'password=p'];
    writeFileSync(file, `${[...lines, 'usev4=webv4', `webv4=${http}${path}`, 'host.example'].join('\n')}\n`, {
      mode: 0o600,
    });
    const files = ['-file', file, '-cache', join(folder, `cache${name}`), '-pid', join(folder, `pid${name}`)];
    await run('ddclient', ['-daemon=0', '-foreground', ...files], { timeout: 500_000 });
    server.close();
    assert.deepEqual(updates, [`/nic/update?system=dyndns&hostname=host.example&myip=${ipv4}`]);
  });
tested.push('ddclient');

for (const path of ['/as/plain', '/as/dyndns', '/as/trace', '/as/ifconfig.me/ip'])
  test(`inadyn, which speaks HTTP/1.0, updates the address that it finds at ${path}`, async (context) => {
    if (!requires(context, 'inadyn', isInstalled('inadyn'))) return;
    const { updates, host, server } = await startProvider();
    const cache = mkdtempSync(join(folder, 'inadyn-'));
    const file = join(cache, 'inadyn.conf');
    const settings = [
      ...['ssl = false', 'username = u', 'password = p', 'hostname = host.example'],
      ...[`checkip-server = ${new URL(http).host}`, `checkip-path = ${path}`, 'checkip-ssl = false'],
      ...[`ddns-server = ${host}`, 'ddns-path = "/update?myip=%i"'],
    ];
    writeFileSync(file, `period = 300\ncustom seenby {\n${settings.map((line) => `  ${line}\n`).join('')}}\n`);
    await run('inadyn', ['-n', '-1', '-f', file, `--cache-dir=${cache}`, '--no-pidfile'], { timeout: 500_000 });
    server.close();
    assert.deepEqual(updates, [`/update?myip=${ipv4}`]);
  });
tested.push('inadyn');

programTest('public-ip', async () => {
  const original = globalThis.fetch;
  // Its own services come first, and must not be requested from here: they fail, as without a way to the internet.
  globalThis.fetch = async (url, options) => {
    if (!String(url).startsWith(http)) throw new TypeError('fetch failed');
    return original(url, options);
  };
  try {
    for (const path of ['/as/plain', '/as/ipify', '/as/echoip', '/as/ifconfig.me/ip'])
      assert.equal(await publicIpv4({ onlyHttps: true, fallbackUrls: [http + path] }), ipv4, path);
    const loopback6 = http.replace('127.0.0.1', '[::1]');
    globalThis.fetch = async (url, options) => {
      if (!String(url).startsWith(loopback6)) throw new TypeError('fetch failed');
      return original(url, options);
    };
    assert.equal(await publicIpv6({ onlyHttps: true, fallbackUrls: [`${loopback6}/as/plain`] }), ipv6);
  } finally {
    globalThis.fetch = original;
  }
});

/** Debian's, which has Debian's modules; another one may come first on the PATH. */
const systemPython = '/usr/bin/python3';

/** Runs Python with the URL of the dialect as its argument, and returns what it prints, parsed. */
async function python(script: string, url: string): Promise<unknown> {
  const { stdout } = await run(systemPython, ['-c', script, url], { timeout: 500_000 });
  return JSON.parse(stdout);
}

const hasModule = (name: string): Promise<boolean> =>
  run(systemPython, ['-c', `import ${name}`]).then(
    () => true,
    () => false,
  );

for (const [module, certificates] of [
  ['requests', 'verify=False'],
  ['httpx', 'verify=False'],
] as const)
  programTest(`Python ${module}`, async (context) => {
    if (!requires(context, `python3-${module}`, await hasModule(module))) return;
    const script = `
import json, sys, warnings, ${module}
warnings.simplefilter('ignore')
get = lambda path: ${module}.get(sys.argv[1] + path, ${certificates}, headers={'X-Test': 'a'})
answer = get('/get?a=1&a=2&b=3').json()
print(json.dumps([
  get('/ip').json()['origin'], get('/user-agent').json()['user-agent'], get('/headers').json()['headers']['X-Test'],
  answer['args'], answer['headers']['Host'], answer['url']]))`;
    const [origin, agent, header, args, host, url] = (await python(script, `${https}/as/httpbin`)) as string[];
    assert.equal(origin, new URL(https).hostname === 'localhost' ? origin : ipv4);
    assert.ok([ipv4, ipv6].includes(origin ?? ''));
    assert.match(agent ?? '', new RegExp(`python-${module}/`));
    assert.deepEqual([header, args], ['a', { a: ['1', '2'], b: '3' }]);
    assert.deepEqual([host, url], [new URL(https).host, `${https}/as/httpbin/get?a=1&a=2&b=3`]);
  });

programTest('got-scraping', async () => {
  const options = { responseType: 'json', https: { rejectUnauthorized: false } } as const;
  const { body } = await gotScraping({ url: `${https}/as/httpbin/headers`, ...options });
  const { headers } = body as unknown as { headers: Record<string, string> };
  assert.match(headers['User-Agent'] ?? '', /^Mozilla\/5\.0/);
  const { body: peet } = await gotScraping({ url: `${https}/as/peet/api/all`, ...options });
  const { http_version: version, http2 } = peet as unknown as {
    http_version: string;
    http2: { sent_frames: object[] };
  };
  assert.equal(version, 'h2');
  assert.ok(http2.sent_frames.length >= 2);
});

programTest('impit', async () => {
  const client = new Impit({ browser: 'chrome', ignoreTlsErrors: true });
  const fetchJson = async (path: string) => (await client.fetch(https + path)).json();
  const all = await fetchJson('/as/peet/api/all');
  // It imitates Chrome 124: its cipher suites, and the order of its pseudo-headers.
  assert.match(all.tls.ja4, /^t13d\d{4}h2_8daaf6152771_/);
  assert.match(all.http2.akamai_fingerprint, /^[\d:;]+\|\d+\|0\|m,a,s,p$/);
  const frames: { frame_type: string }[] = all.http2.sent_frames;
  assert.deepEqual(
    frames.map(({ frame_type: type }) => type),
    ['SETTINGS', 'WINDOW_UPDATE', 'HEADERS'],
  );
  const leaks = await fetchJson('/as/browserleaks/json');
  assert.equal(leaks.akamai_text, all.http2.akamai_fingerprint);
  assert.equal(leaks.ja4, all.tls.ja4);
  assert.match(leaks.user_agent, /Chrome\//);
});

programTest('scripts with curl', async (context) => {
  if (!requires(context, 'curl', isInstalled('curl'))) return;
  const curl = async (path: string) =>
    (await run('curl', ['-s', '-k', '-4', https + path], { timeout: 500_000 })).stdout;
  for (const [path, expected] of [
    ['/as/ipinfo/ip', ipv4],
    ['/as/ipinfo/country', 'GB'],
    ['/as/ipinfo/org', 'AS64496 Example Network'],
    ['/as/ip-api/line/?fields=countryCode', 'GB\n'],
    ['/as/ifconfig.me', ipv4],
    ['/as/echoip', `${ipv4}\n`],
    ['/as/plain/', `${ipv4}\n`],
    ['/as/ipify?format=json', `{"ip":"${ipv4}"}`],
  ] as const)
    assert.equal(await curl(path), expected, path);
});

/** Without TLS: both of its ports are plain. */
const names: DeployedProxy = {
  ...proxies.nginx,
  file: 'nginx-names.conf',
  edits: (machine) => [
    ['listen 80;', `listen 127.0.0.1:${machine.http};`],
    ['listen [::]:80;', `listen 127.0.0.1:${machine.https};`],
    ['127.0.0.1:8080', `127.0.0.1:${machine.upstreamHttp}`],
  ],
};

test('nginx serves the names of other services to clients whose host name is fixed', async (context) => {
  if (!requires(context, 'nginx', isInstalled('nginx'))) return;
  const trusting = await startNode({ host: '127.0.0.1', tlsPort: null, trustProxy: [prefixOf('127.0.0.1')] });
  const front = await startProxy(names, trusting, { cert: '', key: '' });
  const as = async (host: string, path: string) =>
    (await run('curl', ['-s', '-H', `Host: ${host}`, front.http + path])).stdout;
  for (const [host, path, expected] of [
    ['checkip.dyndns.org', '/', /<body>Current IP Address: 127\.0\.0\.1<\/body>/],
    ['ifconfig.me', '/ip', /^127\.0\.0\.1$/],
    ['ifconfig.me', '/all.json', /"ip_addr":"127\.0\.0\.1".*"forwarded":""/],
    ['ip-api.com', '/line/?fields=query,status', /^fail\n127\.0\.0\.1\n$/],
    ['icanhazip.com', '/', /^127\.0\.0\.1\n$/],
    ['other.example', '/', /404 Not Found/],
  ] as const)
    assert.match(await as(host, path), expected, host + path);
  await front.close();
  front.remove();
  await trusting.close();
});

test('every program of the table has its test here', () => {
  const listed = clientRows.filter(({ program }) => program !== null).map(({ client }) => client);
  assert.deepEqual(tested.toSorted(), listed.sort());
});
