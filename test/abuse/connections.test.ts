/** Floods of connections are rejected before any TLS work, by address, network and memory. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { http1Client } from '../acceptance/client.ts';
import { until } from '../until.ts';
import { runAttack } from './attack.ts';
import { assertWithin, withstand } from './bounds.ts';
import { startService } from './service-process.ts';

test('200 ClientHellos in one-byte records cost little CPU', (context) =>
  withstand(
    context,
    { name: 'dripHellos', attack: { connections: 200, bytesPerTick: 96, tickMs: 10, durationMs: 2_000 } },
    ({ usage, yardstickMs }) => {
      // Read again with each byte, one takes 200 yardsticks.
      const yardsticks = usage.cpuMs / 200 / yardstickMs;
      assertWithin(context, { name: 'each', value: yardsticks, most: 3, unit: 'yardsticks' });
    },
  ));

test('800 ClientHellos in the same instant get their responses, in short turns', (context) =>
  withstand(
    context,
    {
      // They take 0.5 s of CPU, for which a service that hardly gets a processor waits longer than its clients may.
      bounds: { helloTimeoutMs: 120_000, handshakeTimeoutMs: 120_000 },
      name: 'sendHellosTogether',
      attack: { connections: 800, holdMs: 120_000 },
    },
    ({ result }) => {
      assert.equal(result.responses, 800);
    },
  ));

for (const [perSecond, addresses] of [
  [400, 2],
  [150, 1],
] as const)
  test(`${perSecond} connections a second from ${addresses === 1 ? 'one address' : 'two addresses'} while pipelined requests keep the service busy`, (context) =>
    withstand(
      context,
      {
        settings: { RATE_LIMIT_GENERAL: '0' },
        name: 'floodConnections',
        attack: { perSecond, addresses, pipelining: 8, durationMs: 3_000 },
      },
      async ({ service }) => {
        assert.ok((await service.metric('seenby_rejections_total{reason="connection_rate"}')) > 0);
      },
    ));

test('TLS handshakes of one address are limited to CONNECTION_RATE and a burst of four times as many', (context) =>
  withstand(
    context,
    { settings: { CONNECTION_RATE: '10' }, name: 'shakeHands', attack: { atOnce: 16, least: 60, durationMs: 1_000 } },
    async ({ service, result }) => {
      assert.ok(result.done >= 40 && result.done <= 40 + (10 * result.elapsedMs) / 1000 + 1, JSON.stringify(result));
      assert.ok(result.rejected > 0);
      assert.ok((await service.metric('seenby_rejections_total{reason="connection_rate"}')) > 0);
    },
  ));

test('no limit applies to the connections of a trusted proxy, nor with CONNECTION_RATE 0', async () => {
  for (const settings of [{ TRUST_PROXY: '127.0.1.1' }, { CONNECTION_RATE: '0' }]) {
    const service = await startService({ CONNECTION_RATE: '5', ...settings });
    const { done, rejected } = await runAttack(service, 'shakeHands', { atOnce: 8, least: 60, durationMs: 500 });
    await service.stop();
    assert.ok(done > 40 && rejected === 0, JSON.stringify({ done, rejected }));
  }
});

test('with the PROXY protocol, the address in the header counts, and its /48', async () => {
  const service = await startService({
    TRUST_PROXY: '127.0.0.1',
    PROXY_PROTOCOL: 'on',
    CONNECTION_RATE: '1',
    METRICS_PORT: '0',
  });
  const isAccepted = (source: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(service.httpPort, '127.0.0.1', () => {
        socket.write(`PROXY TCP${source.includes(':') ? '6' : '4'} ${source} ${source} 1 2\r\n`);
        socket.write('GET /ip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      });
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => {}).on('close', () => resolve(received.startsWith('HTTP/1.1 200')));
    });
  const startMs = performance.now();
  // A burst of 4 for an address, and of 400 for a /48.
  const ofOne = await Promise.all(Array.from({ length: 8 }, () => isAccepted('192.0.2.1')));
  const ofFirst = ofOne.filter(Boolean).length;
  assert.ok(ofFirst >= 4 && ofFirst <= 4 + (performance.now() - startMs) / 1000, `${ofFirst}`);
  assert.equal(await isAccepted('192.0.2.2'), true);
  let accepted = 0;
  for (let network = 0; network < 420; network += 20) {
    const sources = Array.from({ length: 20 }, (_, at) => `2001:db8:0:${(network + at).toString(16)}::1`);
    accepted += (await Promise.all(sources.map(isAccepted))).filter(Boolean).length;
  }
  // One second refills 100.
  assert.ok(accepted >= 400 && accepted < 420 + 1, String(accepted));
  await service.stop();
});

test('counts requests of an IPv6 /48 against a budget of 100 addresses', async () => {
  const service = await startService({ TRUST_PROXY: 'loopback', RATE_LIMIT_GENERAL: '2' });
  const client = http1Client(`http://127.0.0.1:${service.httpPort}`);
  const statuses: number[] = [];
  for (let network = 0; network < 210; network += 1) {
    const headers = { 'x-forwarded-for': `2001:db8:7:${network.toString(16)}::1` };
    statuses.push((await client.request('/ip', { headers })).status);
  }
  assert.deepEqual(new Set(statuses.slice(0, 200)), new Set([200]));
  assert.ok(statuses.slice(200).includes(429), statuses.slice(200).join());
  const other = { 'x-forwarded-for': '2001:db8:8::1' };
  assert.equal((await client.request('/ip', { headers: other })).status, 200);
  await service.stop();
});

test('rejects new connections while memory is full, with one log line', async () => {
  const service = await startService({ MAX_MEMORY: '20' }, { memoryCheckMs: 50 });
  await until(() => service.lines.length > 0);
  assert.match(service.lines.join('\n'), /^rejecting new connections: \d+ MiB in use, MAX_MEMORY is 20$/);
  await assert.rejects(http1Client(`http://127.0.0.1:${service.httpPort}`).request('/ip'));
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(service.lines.length, 1);
  assert.ok((await service.metric('seenby_rejections_total{reason="memory"}')) > 0);
  await service.stop();
});
