/** The running Node edge: ports, reloads, metrics, measurements, privacy. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { http1Client, http2Client } from '../acceptance/client.ts';
import { rawClient } from '../ingress/raw-client.ts';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';
import { closed } from '../sockets.ts';
import { until } from '../until.ts';
import { logbook } from './logbook.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'seenby-'));
});
after(() => rmSync(folder, { recursive: true }));

const quickWatch = { watchIntervalMs: 20 };

/** Writes a new file and renames it, as tools that replace files do. */
function replace(file: string, content: string | Buffer): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

test('listens on IPv6 and IPv4, and reports the address without wrapping', async (context) => {
  const service = await startNode();
  const portOf = (origin: string | null): string => new URL(origin ?? '').port;
  assert.equal((await http1Client(`http://127.0.0.1:${portOf(service.http)}`).request('/ip')).body, '127.0.0.1\n');
  assert.equal((await http2Client(`https://127.0.0.1:${portOf(service.https)}`).request('/ip')).body, '127.0.0.1\n');
  if (await hasIpv6()) {
    const { body } = await http1Client(`http://[::1]:${portOf(service.http)}`).request('/json');
    assert.deepEqual([JSON.parse(body).ip, JSON.parse(body).ipVersion], ['::1', 6]);
  } else context.diagnostic('this machine has no IPv6 loopback');
  await service.close();
});

async function hasIpv6(): Promise<boolean> {
  const probe = createServer().listen(0, '::1');
  const [event] = await Promise.race([once(probe, 'listening').then(() => ['listening']), once(probe, 'error')]);
  probe.close();
  return event === 'listening';
}

test('measures the TCP RTT on every protocol if the kernel reports it, never 0', async () => {
  const service = await startNode({ host: '127.0.0.1' });
  for (const client of [
    http1Client(`${service.http}`),
    http1Client(`${service.https}`),
    http2Client(`${service.https}`),
  ]) {
    const { network } = JSON.parse((await client.request('/json')).body);
    if (process.platform === 'linux') assert.ok(network.clientTcpRttMs > 0 && network.clientTcpRttMs < 1000);
    else assert.equal(network.clientTcpRttMs, null);
    assert.notEqual(network.deliveryRateBps, 0);
    assert.equal(network.clientQuicRttMs, null);
  }
  await service.close();
});

test('reloads the certificate when it changes, and keeps it if the new one is broken', async () => {
  const tlsCert = join(folder, 'cert.pem');
  const tlsKey = join(folder, 'key.pem');
  const write = ({ cert, key }: { cert: string; key: string }): void => {
    replace(tlsKey, key);
    replace(tlsCert, cert);
  };
  const first = await createLocalhostCertificate();
  write(first);
  const { log, line } = logbook();
  const service = await startNode({ host: '127.0.0.1', tlsCert, tlsKey }, quickWatch, log);
  assert.equal(await certificateOf(service.https), fingerprintOf(first.cert));

  replace(tlsCert, 'no certificate');
  assert.match(await line(/kept the certificate/), /TLS_CERT: ".*" is not a PEM certificate/);
  assert.equal(await certificateOf(service.https), fingerprintOf(first.cert));

  const second = await createLocalhostCertificate();
  write(second);
  await until(async () => (await certificateOf(service.https)) === fingerprintOf(second.cert));
  assert.equal((await http2Client(`${service.https}`).request('/ip')).status, 200);
  assert.equal(await cipherOf(service.https, aes128), aes128);
  await service.close();
});

const aes128 = 'TLS_AES_128_GCM_SHA256';
const aes256 = 'TLS_AES_256_GCM_SHA384';
const chacha = 'TLS_CHACHA20_POLY1305_SHA256';

/** Connects with this preferred cipher suite and two others, and returns the negotiated one. */
async function cipherOf(origin: string | null, preferred: string): Promise<string> {
  const { hostname: host, port } = new URL(origin ?? '');
  const ciphers = [...new Set([preferred, aes256, chacha, aes128])].join(':');
  const socket = connect({ host, port: Number(port), ciphers, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { name } = socket.getCipher();
  socket.destroy();
  return name;
}

test('negotiates the cipher suite that the client prefers', async () => {
  const service = await startNode({ host: '127.0.0.1', port: null });
  for (const suite of [aes128, aes256, chacha]) assert.equal(await cipherOf(service.https, suite), suite);
  await service.close();
});

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;

async function certificateOf(origin: string | null): Promise<string> {
  const { hostname: host, port } = new URL(origin ?? '');
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

describe('databases', () => {
  const city = (name: string): Buffer =>
    writeMmdb({ databaseType: 'city', ipVersion: 6, networks: { '127.0.0.0/8': { country_code: 'NO', city: name } } });

  test('are reloaded when they change, and kept if the new one is broken', async () => {
    const file = join(folder, 'city.mmdb');
    writeFileSync(file, city('Oslo'));
    const { log, line } = logbook();
    const service = await startNode({ host: '127.0.0.1', geoipCity: [file] }, quickWatch, log);
    const seen = async () => JSON.parse((await http1Client(`${service.http}`).request('/geo')).body).city;
    assert.equal(await seen(), 'Oslo');
    replace(file, city('Bergen').subarray(0, 100));
    assert.match(await line(/kept the city database/), /GEOIP_CITY: ".*" is not a database in MaxMind's format/);
    assert.equal(await seen(), 'Oslo');
    replace(file, city('Bergen'));
    await line(/reloaded the city database/);
    assert.equal(await seen(), 'Bergen');
    await service.close();
  });

  test('are loaded from the data folder as soon as they exist', async () => {
    const { log, line } = logbook();
    const service = await startNode({ host: '127.0.0.1', dataDir: folder }, quickWatch, log);
    const seen = async () => JSON.parse((await http1Client(`${service.http}`).request('/geo')).body);
    assert.equal((await seen()).asn, null);
    const record = { autonomous_system_number: 64500, autonomous_system_organization: 'Example' };
    replace(
      join(folder, 'dbip-asn-lite.mmdb'),
      writeMmdb({ databaseType: 'DBIP-ASN-Lite', ipVersion: 6, networks: { '127.0.0.0/8': record } }),
    );
    await line(/reloaded the autonomous system database/);
    const { asn, asOrganization } = await seen();
    assert.deepEqual([asn, asOrganization], [64500, 'Example']);
    await service.close();
  });
});

test("counts responses by endpoint and status, unknown paths as one, health checks not at all, and exports the process's own metrics", async () => {
  const service = await startNode({ host: '127.0.0.1', metricsPort: 0 });
  const client = http1Client(`${service.http}`);
  for (const path of ['/ip', '/ip', '/json?format=xml', '/nope', '/other', '/healthz', '/readyz'])
    await client.request(path);
  const { port } = new URL(`${service.metrics}`);
  const { body, headers } = await http1Client(`http://127.0.0.1:${port}`).request('/metrics');
  assert.match(headers['content-type'] ?? '', /^text\/plain/);
  const rows = body.split('\n');
  assert.deepEqual(
    rows.filter((row) => row.startsWith('seenby_requests_total{')),
    [
      'seenby_requests_total{endpoint="/ip",status="200"} 2',
      'seenby_requests_total{endpoint="/json",status="400"} 1',
      'seenby_requests_total{endpoint="unknown",status="404"} 2',
    ],
  );
  assert.deepEqual(
    rows.filter((row) => row.startsWith('seenby_request_duration_seconds_count{')),
    [
      'seenby_request_duration_seconds_count{endpoint="/ip"} 2',
      'seenby_request_duration_seconds_count{endpoint="/json"} 1',
      'seenby_request_duration_seconds_count{endpoint="unknown"} 2',
    ],
  );
  for (const name of ['process_resident_memory_bytes', 'process_open_fds', 'nodejs_eventloop_lag_p99_seconds'])
    assert.ok(
      rows.some((row) => row.startsWith(`${name} `)),
      name,
    );
  await service.close();
});

test('writes nothing of a request to logs and metrics', async () => {
  const { log, lines } = logbook();
  const service = await startNode({ host: '127.0.0.1', metricsPort: 0, rateLimitGeneral: 3 }, {}, log);
  for (const client of [http1Client(`${service.http}`), http2Client(`${service.https}`)]) {
    for (const path of ['/marker', '/json?marker', '/ip', '/ua', '/geo?format=marker']) {
      await client.request(path, { headers: { 'user-agent': 'marker', 'x-marker': 'marker' } });
    }
  }
  const metrics = await http1Client(`${service.metrics}`.replace('/metrics', '')).request('/metrics');
  assert.doesNotMatch(metrics.body, /marker|127\.0\.0\.1/);
  assert.deepEqual(lines, []);
  await service.close();
});

test('serves no metrics by default', async () => {
  const service = await startNode({ host: '127.0.0.1' });
  assert.equal(service.metrics, null);
  await service.close();
});

test('closes while connections are open', async () => {
  const service = await startNode({ host: '127.0.0.1' }, { closeTimeoutMs: 50 });
  const { hostname: host, port } = new URL(`${service.https}`);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  socket.on('error', () => {}).resume();
  await once(socket, 'secureConnect');
  await Promise.all([service.close(), closed(socket)]);
  await assert.rejects(http1Client(`${service.https}`).request('/ip'));
});

test('nothing of a client is left in the tables of the rates when its windows have passed', async ({ mock }) => {
  const memories: SharedArrayBuffer[] = [];
  class Recorded extends SharedArrayBuffer {
    constructor(bytes?: number) {
      super(bytes);
      memories.push(this);
    }
  }
  mock.property(globalThis, 'SharedArrayBuffer', Recorded);
  mock.timers.enable({ apis: ['setInterval'] });
  const service = await startNode({ host: '127.0.0.1', rateLimitGeneral: 60, connectionRate: 50 });
  // They are created first.
  const rateTables = 12;
  const countUsed = (): number =>
    memories.slice(0, rateTables).filter((memory) => !Buffer.from(memory).equals(Buffer.alloc(memory.byteLength)))
      .length;
  const request = 'GET /ip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  assert.match(await rawClient(`${service.http}`, request).closed, /^HTTP\/1\.1 200/);
  const used = countUsed();
  mock.method(performance, 'now', () => 1e9);
  // A table each second, and again when those of a group have no more keys.
  mock.timers.tick(2 * rateTables * 1_000);
  const left = countUsed();
  await service.close();
  assert.deepEqual({ used, left }, { used: 2, left: 0 });
});
