/** The process for HTTP/3: what it has, its end and replacement, renewals, drain, and an upgrade of the service. */
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { startUdpRelay } from '../native/quic/udp-relay.ts';
import { bunFetch, ngtcp2, openConnections, runToEnd, skipBun, skipNgtcp2, startNgtcp2 } from '../quic-clients.ts';
import { folder, type Started, start, stop } from '../service-process.ts';
import { until } from '../until.ts';

const changed = { TLS_PORT: '0', HTTP3_PORT: '0', RATE_LIMIT_GENERAL: '0', CONNECTION_RATE: '0' };
const isAnswered = /\[:status: 200\]/;
const skip = process.platform === 'linux' ? false : 'needs Linux';

/** URL of HTTP/3, which the service prints with its other URLs. */
async function http3UrlOf(service: Started): Promise<string> {
  const line = /(https:\/\/\S+) \(HTTP\/3\)/;
  await service.prints(line);
  return line.exec(service.printed())?.[1] ?? '';
}

/** Process ids of the children of a process, by a part of their command line. */
function childrenOf(pid: number | undefined, part: string): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ids = threads.flatMap(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').match(/\d+/g) ?? [],
  );
  return ids.map(Number).filter((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(part));
}

const pathOf = (child: number): string => `/proc/${child}`;

const fingerprintOf = (pem: string): string => createHash('sha256').update(new X509Certificate(pem).raw).digest('hex');

describe('the process for HTTP/3', { skip: skip || skipNgtcp2 || skipBun }, () => {
  test('is one for all threads, has one UDP socket and nothing of the service, and ends with it without a lost request', async () => {
    const service = await start('', {
      changed: { ...changed, THREADS: '2', RATE_LIMIT_SECRET: '', ACME_EMAIL: 'a@b.example' },
    });
    const url = await http3UrlOf(service);
    const children = childrenOf(service.child.pid, 'http3');
    assert.equal(children.length, 1);
    const [child = 0] = children;
    const environment = readFileSync(`${pathOf(child)}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean);
    assert.deepEqual(environment.map((each) => each.split('=')[0]).toSorted(), [
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
    ]);
    assert.doesNotMatch(readFileSync(`${pathOf(child)}/cmdline`, 'utf8'), /KEY|a@b\.example/);
    assert.doesNotMatch(readFileSync(`${pathOf(child)}/maps`, 'utf8'), /\.mmdb/);
    const sockets = readFileSync(`${pathOf(child)}/net/udp`, 'utf8');
    assert.equal(sockets.split(Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')).length - 1, 1);
    const statuses = (await bunFetch(`${url}/ip`, 130)).map(([status]) => status);
    assert.deepEqual(statuses, Array(130).fill(200));

    const { port } = new URL(url);
    await using relay = await startUdpRelay(Number(port), { delayMs: 50 });
    // So few that a busy machine serves them in the seconds that an ending service has: of 100, it lost what was left then.
    const requests = 30;
    const client = startNgtcp2(relay.port, `https://localhost:${port}/json`, [`--nstreams=${requests}`]);
    const ended = runToEnd(client);
    // The first responses are in transit: packets with a short header that are longer than those of the handshake.
    await until(() => relay.fromServer.some((bytes) => (bytes[0] as number) < 0x80 && bytes.length > 1_000));
    const stopped = stop(service);
    const { printed } = await ended;
    assert.equal(printed.match(/\[:status: 200\]/g)?.length, requests, printed.slice(-3000));
    assert.equal(printed.match(/HTTP stream \d+ closed with error code 256/g)?.length, requests);
    assert.doesNotMatch(printed, /frm rx .* RESET_STREAM/);
    assert.equal(await stopped, 0);
    assert.throws(() => readFileSync(`${pathOf(child)}/cmdline`), 'it ended with the service');
  });

  test('is replaced after kill -9 under load, while the other protocols go on', async () => {
    const service = await start('', { changed: { ...changed, METRICS_PORT: '0' } });
    const url = await http3UrlOf(service);
    const [child = 0] = childrenOf(service.child.pid, 'http3');
    let isEnding = false;
    const tcp: number[] = [];
    const overTcp = (async () => {
      for (; !isEnding; await delay(10)) tcp.push((await fetch(`${service.url}/ip`)).status);
    })();
    const restarted = new AbortController();
    const load = bunFetch(`${url}/ip`, 2000, restarted.signal);
    await until(() => tcp.length > 5);
    process.kill(child, 'SIGKILL');
    await service.prints(
      /the process for HTTP\/3 ended \(SIGKILL\) with its connections; starting it again in 0\.25 seconds/,
    );
    await until(() => childrenOf(service.child.pid, 'http3').length === 1);
    restarted.abort();
    await load;
    await until(async () => (await bunFetch(`${url}/ip`, 1, AbortSignal.timeout(5_000)))[0]?.[0] === 200);
    isEnding = true;
    await overTcp;
    assert.deepEqual([...new Set(tcp)], [200]);
    assert.equal(service.printed().match(/the process for HTTP\/3 ended/g)?.length, 1);
    const metricsUrl = /http:\/\/\S+\/metrics/.exec(service.printed())?.[0] ?? '';
    assert.match(
      await (await fetch(metricsUrl)).text(),
      /seenby_log_events_total\{event="http3_ended",level="error"\} 1/,
    );
    assert.equal(await stop(service), 0);
  });

  test('ends and removes the folder of its sockets when the service is killed', async () => {
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    const service = await start('', { changed: { ...changed, TMPDIR: temporary } });
    await http3UrlOf(service);
    const [child = 0] = childrenOf(service.child.pid, 'http3');
    assert.equal(readdirSync(temporary).length, 1);
    service.child.kill('SIGKILL');
    await until(() => !existsSync(pathOf(child)) && readdirSync(temporary).length === 0);
  });

  test('counts the connections that it rejects, and reports what it uses', async () => {
    const service = await start('', {
      changed: { ...changed, METRICS_PORT: '0', MAX_CONNECTIONS_PER_ADDRESS: '1' },
    });
    const url = await http3UrlOf(service);
    const metricsUrl = /http:\/\/\S+\/metrics/.exec(service.printed())?.[0] ?? '';
    // Bun opens a second connection for the 65th request.
    const rejected = new AbortController();
    const requests = bunFetch(`${url}/ip`, 65, rejected.signal);
    const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text();
    const isRejected = /seenby_rejections_total\{reason="connections_per_address"\} [1-9]/;
    await until(async () => isRejected.test(await metrics()), 100);
    rejected.abort();
    await requests;
    // What it uses itself follows within some seconds.
    const used = /seenby_http3_memory_bytes [1-9]\d{7}[\s\S]*seenby_http3_cpu_seconds_total (0\.|[1-9])/;
    await until(async () => used.test(await metrics()), 500);
    assert.equal(await stop(service), 0);
  });

  test('uses a renewed certificate, also after its replacement', async () => {
    const [cert, key] = ['http3-cert.pem', 'http3-key.pem'].map((name) => join(folder, name)) as [string, string];
    const write = async (): Promise<string> => {
      const certificate = await createLocalhostCertificate();
      writeFileSync(key, certificate.key);
      writeFileSync(cert, certificate.cert);
      return fingerprintOf(certificate.cert);
    };
    const first = await write();
    const service = await start('', { changed: { ...changed, TLS_CERT: cert, TLS_KEY: key } });
    const port = Number(new URL(await http3UrlOf(service)).port);
    const served = async (): Promise<string | undefined> => {
      await using connection = await openConnections(port, 1);
      return connection.certificates[0];
    };
    assert.equal(await served(), first);
    const second = await write();
    service.child.kill('SIGHUP');
    await service.prints(/reloaded the certificate/);
    await until(async () => (await served()) === second);
    // With a key of another type, which OpenSSL would use besides the first.
    const rsa = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'rsa', keySize: 2048 });
    writeFileSync(key, rsa.private);
    writeFileSync(cert, rsa.cert);
    service.child.kill('SIGHUP');
    await until(async () => (await served().catch(() => '')) === fingerprintOf(rsa.cert));
    const third = fingerprintOf(rsa.cert);
    const [child = 0] = childrenOf(service.child.pid, 'http3');
    process.kill(child, 'SIGKILL');
    await service.prints(/starting it again/);
    await until(() => childrenOf(service.child.pid, 'http3').length === 1);
    await until(async () =>
      isAnswered.test((await ngtcp2(port, `https://localhost:${port}/ip`, ['--handshake-timeout=1s'])).printed),
    );
    assert.equal(await served(), third);
    assert.equal(await stop(service), 0);
  });

  test('waits for the UDP port of the process before it, with REUSE_PORT', async () => {
    const shared = { ...changed, REUSE_PORT: 'on' };
    const first = await start('', { changed: shared });
    const { port } = new URL(await http3UrlOf(first));
    const tlsPort = /https:\/\/127\.0\.0\.1:(\d+)\n/.exec(first.printed())?.[1];
    const ports = { PORT: new URL(first.url).port, TLS_PORT: `${tlsPort}`, HTTP3_PORT: port };
    const second = await start('', { changed: { ...shared, ...ports } });
    await second.prints(/HTTP\/3 waits for UDP port \d+, which another process still has/);
    const altSvc = () =>
      new Promise<string | undefined>((resolve, reject) => {
        const sent = request({
          port: tlsPort,
          host: '127.0.0.1',
          path: '/ip',
          rejectUnauthorized: false,
          agent: false,
        });
        sent.once('response', (response) => resolve(response.resume().headers['alt-svc']));
        sent.once('error', reject).end();
      });
    assert.equal(await stop(first), 0);
    await until(async () => (await altSvc())?.startsWith('h3=') === true);
    assert.deepEqual((await bunFetch(`https://127.0.0.1:${port}/ip`, 1))[0]?.[0], 200);
    assert.equal(await stop(second), 0);
  });

  test('ends the start with a sentence that names the setting if its port is in use', async () => {
    const other = createSocket('udp4').bind(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address();
    await assert.rejects(start('', { changed: { ...changed, HTTP3_PORT: `${port}` } }), ({ message }: Error) => {
      assert.match(message, new RegExp(`HTTP3_PORT: port ${port} is in use; choose another with --http3-port\\n$`));
      return true;
    });
    other.close();
  });
});
