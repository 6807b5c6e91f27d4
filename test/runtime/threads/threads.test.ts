/** Several threads serve as one: the same ports, limits, certificate, databases and metrics. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { prefixOf } from '../../../src/core/address.ts';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';
import type { Service } from '../../../src/runtime/serve.ts';
import { http1Client } from '../../acceptance/client.ts';
import { type RawClient, rawClient } from '../../ingress/raw-client.ts';
import { writeMmdb } from '../../mmdb.ts';
import { startNode } from '../../node-service.ts';
import { until } from '../../until.ts';

const request = 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n';
const threads = 3;

async function statusOf({ socket }: RawClient): Promise<string> {
  const [chunk] = await once(socket, 'data');
  return String(chunk).slice(9, 12);
}

describe('three threads', { skip: process.platform !== 'linux' && 'one port for several threads needs Linux' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-threads-'));
  const write = (name: string, content: string | Buffer): string => {
    const file = join(folder, name);
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
    return file;
  };
  const city = (name: string): Buffer =>
    writeMmdb({ databaseType: 'city', ipVersion: 6, networks: { '127.0.0.0/8': { country_code: 'NO', city: name } } });
  const lines: string[] = [];
  let service: Service;
  let first: Awaited<ReturnType<typeof createLocalhostCertificate>>;

  before(async () => {
    first = await createLocalhostCertificate();
    const files = { tlsCert: write('cert.pem', first.cert), tlsKey: write('key.pem', first.key) };
    const geoipCity = [write('city.mmdb', city('Oslo'))];
    const limits = { rateLimitGeneral: 60, maxConnectionsPerAddress: 40 };
    service = await startNode(
      { host: '127.0.0.1', threads, metricsPort: 0, geoipCity, ...files, ...limits },
      { watchIntervalMs: 600_000 },
      (line) => lines.push(line),
    );
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test('allow exactly 60 of 1,000 concurrent requests of one address', async () => {
    const clients = Array.from({ length: 40 }, () => rawClient(`${service.http}`, request.repeat(25)));
    const received = await Promise.all(
      clients.map(async ({ socket }) => {
        let text = '';
        for await (const chunk of socket) {
          text += chunk;
          if ((text.match(/^HTTP/gm)?.length ?? 0) === 25 && text.endsWith('\n')) break;
        }
        return text;
      }),
    );
    const statuses = received.flatMap((text) => text.match(/(?<=^HTTP\/1\.1 )\d+/gm) ?? []);
    assert.equal(statuses.length, 1000);
    assert.equal(statuses.filter((status) => status === '200').length, 60);
    assert.equal(statuses.filter((status) => status === '429').length, 940);
  });

  test('report the requests of all of them', async () => {
    const text = await (await fetch(`${service.metrics}`)).text();
    assert.match(text, /^seenby_requests_total\{endpoint="\/ip",status="200"\} 60$/m);
    assert.match(text, /^seenby_requests_total\{endpoint="\/ip",status="429"\} 940$/m);
    assert.equal(text.match(/^process_resident_memory_bytes \d/gm)?.length, 1);
    assert.match(text, /^nodejs_heap_size_used_bytes \d/m);
  });

  test('accept exactly MAX_CONNECTIONS_PER_ADDRESS connections, and as many again as are closed', async () => {
    const openMany = async (count: number): Promise<RawClient[]> => {
      const clients = Array.from({ length: count }, () => rawClient(`${service.http}`, request));
      const isOpen = await Promise.all(
        clients.map((client) =>
          Promise.race([
            statusOf(client).then(
              () => true,
              () => false,
            ),
            client.closed.then(() => false),
          ]),
        ),
      );
      return clients.filter((_, at) => isOpen[at]);
    };
    // Those of other tests may still be closing.
    let clients = await openMany(60);
    for (let tries = 0; clients.length < 40 && tries < 100; tries += 1) clients = [...clients, ...(await openMany(60))];
    assert.equal(clients.length, 40);
    const closing = clients.slice(0, 10).map(({ socket, closed }) => {
      socket.destroy();
      return closed;
    });
    await Promise.all(closing);
    clients = clients.slice(10);
    for (let tries = 0; clients.length < 40 && tries < 100; tries += 1) clients = [...clients, ...(await openMany(20))];
    assert.equal(clients.length, 40);
    for (const { socket } of clients) socket.destroy();
    await Promise.all(clients.map(({ closed }) => closed));
  });

  test('use a new certificate and database after one reload', async () => {
    const second = await createLocalhostCertificate();
    write('key.pem', second.key);
    write('cert.pem', second.cert);
    write('city.mmdb', city('Bergen'));
    await service.reload();
    assert.deepEqual(lines.filter((line) => line.startsWith('reloaded the c')).sort(), [
      'reloaded the certificate',
      'reloaded the city database',
    ]);
    const { port } = new URL(`${service.https}`);
    const fingerprint = new X509Certificate(second.cert).fingerprint256;
    // Enough connections to reach each thread.
    for (let each = 0; each < 20; each += 1) {
      const socket = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      assert.equal(socket.getPeerCertificate().fingerprint256, fingerprint);
      socket.destroy();
      // Of another address, whose limit is not used up.
      const { body } = await http1Client(`${service.http}`, '127.0.0.2').request('/city');
      assert.equal(body.trim(), 'Bergen');
    }
  });

  test('keep other services off their ports', async () => {
    const port = Number(new URL(`${service.http}`).port);
    await assert.rejects(startNode({ host: '127.0.0.1', threads: 2, port, tlsPort: null }), {
      message: `PORT: port ${port} is in use; choose another with --port`,
    });
  });

  test('respond to a ping, and report at /readyz that the service stops', async () => {
    await service.ping();
    service.drain();
    await service.ping();
    for (let each = 0; each < 12; each += 1)
      assert.equal((await http1Client(`${service.http}`).request('/readyz')).status, 503);
  });
});

test('several threads replace connections of each other above MAX_CONNECTIONS, and finish open requests', async () => {
  const service = await startNode({ host: '127.0.0.1', threads: 2, tlsPort: null, maxConnections: 5 });
  const clients: RawClient[] = [];
  for (let each = 0; each < 30; each += 1) {
    const client = rawClient(`${service.http}`, request);
    clients.push(client);
    assert.equal(await statusOf(client), '200');
  }
  const isOpen = ({ socket }: RawClient): boolean => !socket.destroyed;
  // Connections that are asked to send no more are closed after some time.
  await until(() => clients.filter(isOpen).length <= 5);
  const open = clients.findLast(isOpen) as RawClient;
  const rest = 'GET /ip HTTP/1.1\r\nHost: ';
  open.socket.write(rest);
  const closed = service.close();
  open.socket.write('a\r\n\r\n');
  await closed;
  assert.equal((await open.closed).match(/^HTTP\/1\.1 200/gm)?.length, 2);
});

test('one client that needs room makes every thread hold a network to its part', async () => {
  const max = 120;
  const trustProxy = [prefixOf('127.0.0.1')];
  const settings = {
    host: '127.0.0.1',
    threads: 2,
    tlsPort: null,
    maxConnections: max,
    proxyProtocol: true,
    trustProxy,
  };
  const service = await startNode(settings, { connectionCheckMs: 20, idleTimeoutMs: 3_600_000 });
  const hold = (ip: string): RawClient => rawClient(`${service.http}`, `PROXY TCP6 ${ip} ${ip} 1 2\r\n${request}`);
  const held: RawClient[] = [];
  for (let at = 0; at < max * 0.9; at += 1) {
    const client = hold(`2001:db8:1:${at % 43}::1`);
    held.push(client);
    assert.equal(await statusOf(client), '200');
  }
  const isOpen = ({ socket }: RawClient): boolean => !socket.destroyed;
  assert.ok(held.filter(isOpen).length > max / 2);
  assert.equal(await statusOf(hold('2001:db8:2::1')), '200');
  await until(() => held.filter(isOpen).length <= max / 4);
  await service.close();
});
