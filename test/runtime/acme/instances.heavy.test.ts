/** Three instances of one service behind HAProxy, with a real store and a real certificate authority: one of them orders, all serve. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { Bounds } from '../../../src/edges/node/limits/bounds.ts';
import { readFleetFile } from '../../deploy/fleet-files.ts';
import { type RedisServer, skipWithoutRedis, startDocumentedRedis } from '../../edges/node/store/redis-server.ts';
import { findFreePort } from '../../free-port.ts';
import { folder, type Started, start, stop } from '../../service-process.ts';
import { until } from '../../until.ts';
import { type Authority, type AuthorityOptions, skip, startAuthority } from './authority.ts';

const skipAll =
  skip || skipWithoutRedis || (spawnSync('haproxy', ['-v']).status !== 0 && !process.env.CI && 'needs haproxy');

/**
 * A busy machine neither loses the lease nor finds the store slow. A request that waits longer than its limit until the whole fleet has started is
 * soon sent again.
 */
const quick: Partial<Bounds> = {
  acmeCheckMs: 100,
  acmeRetryMs: 1_000,
  acmeFollowMs: 100,
  acmePollMs: 20,
  acmeLeaseMs: 6_000,
  acmeAnnounceMs: 60_000,
  storeRetryMs: 100,
  storeConnectMs: 10_000,
};

const root = new URL('../../../', import.meta.url);
const moduleUrl = (path: string): string => new URL(path, root).href;
const importOf = (code: string): string => `--import=data:text/javascript,${encodeURIComponent(code)}`;
const bounding = importOf(
  `import { bounds } from ${JSON.stringify(moduleUrl('src/edges/node/limits/bounds.ts'))};
  Object.assign(bounds, ${JSON.stringify(quick)});`,
);

/** Ends the first process whose order has come to the response to this request. */
const killingAt = (path: string, marker: string): string =>
  importOf(
    `import acme from ${JSON.stringify(moduleUrl('node_modules/acme-client/src/index.js'))};
    import { mkdtempSync, writeFileSync } from 'node:fs';
    acme.axios.interceptors.response.use((response) => {
      if (!response.config.url.includes(${JSON.stringify(path)})) return response;
      try {
        writeFileSync(${JSON.stringify(marker)}, String(process.pid), { flag: 'wx' });
      } catch {
        return response;
      }
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    });`,
  );

interface Fleet {
  readonly authority: Authority;
  readonly redis: RedisServer;
  readonly instances: readonly Started[];
  /** Of HAProxy. */
  readonly httpPort: number;
  startInstance(dataDir: string): Promise<Started>;
  /** Of an instance that another one has replaced. */
  restart(at: number, dataDir?: string): Promise<Started>;
}

const isRunning = ({ child }: Started): boolean => child.exitCode === null && child.signalCode === null;
const portOf = (started: Started, scheme: string): string =>
  new RegExp(`${scheme}://\\S*?:(\\d+)`).exec(started.printed())?.[1] ?? '';

const metricsPortOf = (started: Started): string => /http:\/\/\S*?:(\d+)\/metrics/.exec(started.printed())?.[1] ?? '';

const newFolder = (): string => mkdtempSync(join(folder, 'acme-'));

interface FleetOptions {
  readonly preload?: string;
  /** Settings of each instance. */
  readonly changed?: Readonly<Record<string, string>>;
  readonly configure?: ConfigureProxy;
}

async function startFleet(
  t: TestContext,
  options: AuthorityOptions = {},
  { preload = '', changed = {}, configure = relay }: FleetOptions = {},
): Promise<Fleet> {
  // An instance orders as soon as it runs, but the authority validates it through the proxy, which is started last.
  const authority = await startAuthority({ ...options, waits: true });
  t.after(authority.end);
  authority.names.add('a.example');
  const redis = await startDocumentedRedis(t, await findFreePort());
  const startInstance = async (dataDir: string): Promise<Started> => {
    const started = await start('', {
      changed: {
        TLS_PORT: '0',
        CONNECTION_RATE: '0',
        DATA_DIR: dataDir,
        ACME_DOMAIN: 'a.example',
        ACME_TERMS_AGREED: 'on',
        ACME_DIRECTORY: authority.directoryUrl,
        RATE_LIMIT_STORE: redis.url,
        RATE_LIMIT_SECRET: 'a secret that is long enough to be one',
        NODE_EXTRA_CA_CERTS: authority.caFile,
        NODE_OPTIONS: `${bounding} ${preload}`,
        ...changed,
      },
    });
    t.after(() => isRunning(started) && stop(started));
    return started;
  };
  const dataDirs = [newFolder(), newFolder(), newFolder()];
  const instances = await Promise.all(dataDirs.map(startInstance));
  const httpPort = await startProxy(t, instances, configure);
  authority.http.leadTo(httpPort);
  authority.connect(true);
  return {
    authority,
    redis,
    instances,
    httpPort,
    startInstance,
    async restart(at, dataDir = dataDirs[at] ?? '') {
      const before = instances[at] as Started;
      if (isRunning(before)) await stop(before);
      instances[at] = await startInstance(dataDir);
      return instances[at];
    },
  };
}

type ConfigureProxy = (port: number, instances: readonly Started[]) => string;

/** Notices an instance that ends immediately. */
const relay: ConfigureProxy = (port, instances) => `defaults
  mode tcp
  balance roundrobin
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  retries 3
  option redispatch 1
  default-server check inter 100ms fall 1 rise 1
listen http
  bind 127.0.0.1:${port}
${instances.map((each, at) => `  server seenby-${at} 127.0.0.1:${portOf(each, 'http')}`).join('\n')}
`;

/** The address from which HAProxy connects, so that only it is trusted. */
const proxyAddress = '127.0.0.2';

/** The one of the fleet, which checks the metrics port and sends PROXY headers, with a third instance. */
const fleetRelay: ConfigureProxy = (port, instances) => {
  const [beforeHttp = ''] = readFleetFile('haproxy.cfg').split('listen https');
  const serverOf = (each: Started, at: number): string =>
    `  server seenby-${at + 1} 127.0.0.1:${portOf(each, 'http')} port ${metricsPortOf(each)} source ${proxyAddress}`;
  const [beforeServers = ''] = beforeHttp.replace('bind :::8080 v4v6', `bind 127.0.0.1:${port}`).split(/^ {2}server /m);
  return `${beforeServers}${instances.map(serverOf).join('\n')}\n`;
};

/** Distributes connections over the instances that run; returns the port. */
async function startProxy(
  t: TestContext,
  instances: readonly Started[],
  configure: ConfigureProxy = relay,
): Promise<number> {
  const port = await findFreePort();
  const file = join(folder, `haproxy-${port}.cfg`);
  writeFileSync(file, configure(port, instances));
  const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  t.after(async () => {
    const exited = once(proxy, 'exit');
    proxy.kill();
    await exited;
  });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/ip`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return port;
}

async function servedBy(started: Started): Promise<X509Certificate> {
  const port = Number(portOf(started, 'https'));
  const socket = connect({ host: '127.0.0.1', port, servername: 'a.example', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  assert.ok(certificate);
  return certificate;
}

/** Resolves with the serial number of the certificate that all instances serve, when it is one of the authority's and not `before`. */
async function servedByAll({ instances }: Pick<Fleet, 'instances'>, before = ''): Promise<string> {
  let serials = new Set<string>();
  await until(async () => {
    // Each look takes a handshake of each instance.
    await delay(200);
    const served = await Promise.all(instances.filter(isRunning).map(servedBy));
    const isAll = served.every((each) => /Pebble/.test(each.issuer) && each.serialNumber !== before);
    serials = new Set(served.map(({ serialNumber }) => serialNumber));
    return isAll && serials.size === 1;
  });
  return [...serials].join();
}

const lines = ({ instances }: Fleet, pattern: RegExp): number =>
  instances.flatMap((each) => each.printed().match(new RegExp(pattern, 'gm')) ?? []).length;

/** The store has neither names nor keys that it could read. */
async function assertUnreadable({ command }: RedisServer): Promise<void> {
  const names = (await command('KEYS', 'seenby:acme:*')).match(/seenby:acme:\S+/g) ?? [];
  assert.ok(names.length >= 2);
  for (const name of names) {
    assert.doesNotMatch(name, /example/);
    assert.doesNotMatch(await command('GET', name), /PRIVATE|BEGIN|example|keyAuthorization/);
  }
}

// Concurrently, because each of these waits for most of its time: for the renewal, or the end of a lease.
describe('three instances with ACME_DOMAIN and a store', { skip: skipAll, concurrency: 3 }, () => {
  test('order one certificate behind the HAProxy of the fleet, and renew it once', async (t) => {
    const changed = { METRICS_PORT: '0', TRUST_PROXY: proxyAddress, PROXY_PROTOCOL: 'on' };
    const fleet = await startFleet(t, { validitySeconds: 45 }, { changed, configure: fleetRelay });
    const { authority } = fleet;
    assert.equal(await (await fetch(`http://127.0.0.1:${fleet.httpPort}/ip`)).text(), '127.0.0.1\n');
    const first = await servedByAll(fleet);
    assert.deepEqual([authority.orders(), authority.accounts()], [1, 1]);
    assert.equal(lines(fleet, /^using the certificate of another instance for a\.example, valid until/), 2);
    const failures = lines(fleet, /no certificate/);
    await servedByAll(fleet, first);
    assert.deepEqual([authority.orders(), authority.accounts()], [2, 1]);
    assert.equal(lines(fleet, /no certificate/), failures);
  });

  test('keep it when instances, their folders or the store are lost', async (t) => {
    const fleet = await startFleet(t);
    const serial = await servedByAll(fleet);
    await assertUnreadable(fleet.redis);
    // Another machine.
    await fleet.restart(0, newFolder());
    assert.equal((await servedBy(fleet.instances[0] as Started)).serialNumber, serial);
    // The store starts anew, without its data, and gets them again.
    const keys = async (): Promise<string> => fleet.redis.command('KEYS', 'seenby:acme:*:certificate');
    await fleet.redis.kill();
    const alone = await fleet.restart(1);
    assert.equal((await servedBy(alone)).serialNumber, serial);
    await alone.prints(
      /^store not available \(ECONNREFUSED\); no certificate is ordered until it is, and the one in use stays$/m,
    );
    await fleet.redis.start();
    await until(async () => (await keys()).includes(':certificate'));
    await fleet.restart(2, newFolder());
    assert.equal(await servedByAll(fleet), serial);
    assert.equal(fleet.authority.orders(), 1);
  });

  test('order nothing while the store is not available, and then one certificate', async (t) => {
    const fleet = await startFleet(t);
    await servedByAll(fleet);
    await Promise.all(fleet.instances.map(stop));
    await fleet.redis.kill();
    for (const at of [0, 1, 2]) await fleet.restart(at, newFolder());
    for (const instance of fleet.instances) await instance.prints(/^store not available/m);
    assert.match((await servedBy(fleet.instances[0] as Started)).subject, /localhost/);
    assert.equal(fleet.authority.orders(), 1);
    fleet.authority.http.leadTo(await startProxy(t, fleet.instances));
    await fleet.redis.start();
    await servedByAll(fleet);
    assert.equal(fleet.authority.orders(), 2);
  });

  for (const [step, path, orders] of [
    ['account', '/sign-me-up', 1],
    ['order', '/order-plz', 2],
    ['challenge', '/chalZ/', 2],
    ['finalization', '/finalize-order/', 2],
    ['certificate', '/certZ/', 2],
  ] as const)
    test(`replace the one that is killed at the step ${step}`, async (t) => {
      const marker = join(folder, `killed-${step}`);
      const fleet = await startFleet(t, {}, { preload: killingAt(path, marker) });
      await until(() => fleet.instances.some((each) => !isRunning(each)));
      await servedByAll(fleet);
      assert.equal(fleet.instances.filter(isRunning).length, 2);
      assert.deepEqual([fleet.authority.orders(), fleet.authority.accounts()], [orders, 1]);
    });

  test('use the certificate of one that is killed when the store has it', async (t) => {
    const fleet = await startFleet(t);
    await until(async () => (await fleet.redis.command('KEYS', '*:certificate')).includes('acme'));
    const isLeader = (each: Started): boolean => /obtained a certificate/.test(each.printed());
    await until(() => fleet.instances.some(isLeader));
    fleet.instances.find(isLeader)?.child.kill('SIGKILL');
    await until(() => fleet.instances.some((each) => !isRunning(each)));
    await servedByAll(fleet);
    assert.equal(fleet.authority.orders(), 1);
  });
});
