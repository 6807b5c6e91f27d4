/** The command line answers in one clear line, or serves. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { main } from '../src/cli.ts';
import type { Info } from '../src/resources/info.ts';
import { nestedOslo, writeMmdb } from './mmdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-cli-'));
after(() => rm(folder, { recursive: true }));
const quiet = { PORT: '0', TLS_PORT: 'off', HOST: '127.0.0.1', DATA_DIR: folder };

async function runWith(args: readonly string[], environment: Record<string, string> = {}, isTTY = false) {
  let out = '';
  let err = '';
  const outcome = await main(args, {
    environment,
    out: { write: (text) => (out += text), isTTY },
    err: { write: (text) => (err += text) },
  });
  return { outcome, out, err };
}

test('prints the help', async () => {
  const golden = new URL('golden/help.txt', import.meta.url);
  for (const flag of ['--help', '-h']) {
    const { outcome, out, err } = await runWith([flag], { PORT: 'wrong' });
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, out);
    assert.deepEqual(outcome, { exitCode: 0 });
    assert.equal(out, readFileSync(golden, 'utf8'));
    assert.equal(err, '');
  }
});

const refusals: readonly [args: readonly string[], environment: Record<string, string>, line: RegExp][] = [
  [['--prot', '80'], {}, /--prot/],
  [['--port'], {}, /--port/],
  [['--help=yes'], {}, /--help/],
  [['--port', 'http'], {}, /^seenby: PORT: must be a port .*, not "http"$/],
  [[], { RATE_LIMIT_GENERAL: '-1' }, /^seenby: RATE_LIMIT_GENERAL: must be a whole number .*, not "-1"$/],
  [['sevre'], {}, /"sevre"/],
  [['geo'], {}, /"geo"/],
  [['geo', 'update', 'now'], {}, /"geo update now"/],
  [[], { TLS_CERT: 'a.pem' }, /^seenby: TLS_KEY: /],
  [
    [],
    { TLS_PORT: '0', TLS_CERT: join(folder, 'none'), TLS_KEY: join(folder, 'none') },
    /^seenby: TLS_CERT: cannot read/,
  ],
  [[], { GEOIP_CITY: join(folder, 'none') }, /^seenby: GEOIP_CITY: cannot read/],
  [[], { GEOIP_ASN: folder }, /^seenby: GEOIP_ASN: cannot read/],
  [[], { HOST: '192.0.2.1' }, /^seenby: HOST: cannot listen on "192\.0\.2\.1"/],
];
for (const [args, environment, line] of refusals) {
  test(`ends with one line that names what is wrong: ${[...args, ...Object.keys(environment)].join(' ')}`, async () => {
    const { outcome, out, err } = await runWith(args, { ...quiet, ...environment });
    assert.deepEqual(outcome, { exitCode: 1 });
    assert.equal(out, '');
    assert.match(err, /^[^\n]+\n$/);
    assert.match(err.trimEnd(), line);
  });
}

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

test('geo update downloads both databases and says where they are', async () => {
  const database = (kind: string) =>
    writeMmdb({ databaseType: `DBIP-${kind}-Lite`, ipVersion: 6, networks: { '127.0.0.0/8': nestedOslo } });
  const server = createServer(({ url }, response) =>
    response.end(gzipSync(database(url?.includes('city') ? 'City' : 'ASN'))),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dataDir = join(folder, 'data');
  const environment = { DATA_DIR: dataDir, GEOIP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  try {
    for (const isTTY of [false, true]) {
      const { outcome, out, err } = await runWith(['geo', 'update'], environment, isTTY);
      assert.deepEqual([outcome, err], [{ exitCode: 0 }, '']);
      for (const kind of ['city', 'asn'])
        assert.ok(out.includes(`wrote ${join(dataDir, `dbip-${kind}-lite.mmdb`)}\n`), out);
      assert.equal(out.includes('\r'), isTTY);
    }
    server.removeAllListeners('request').on('request', (_, response) => response.writeHead(503).end());
    const { outcome, err } = await runWith(['geo', 'update'], environment);
    assert.deepEqual(outcome, { exitCode: 1 });
    assert.match(
      err,
      /^seenby: the city database was not updated from http:\/\/[^ ]+: it answered 503; what was there is kept\n$/,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
