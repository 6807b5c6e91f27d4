/** The metrics of a running service: their values and their form. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { metricList } from '../../src/core/metrics.ts';
import { tools } from '../../src/mcp/tools.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { createMetrics, createMetricsHandler } from '../../src/runtime/metrics.ts';
import { http1Client } from '../acceptance/client.ts';
import { serve } from '../ingress/serve.ts';
import { startNode } from '../node-service.ts';
import { closed } from '../sockets.ts';
import { until } from '../until.ts';

// In CI a missing program is a failure.
const hasPromtool = Boolean(process.env.CI) || spawnSync('promtool', ['--version']).status === 0;

async function startMetered(settings: Parameters<typeof startNode>[0] = {}) {
  const service = await startNode({ host: '127.0.0.1', metricsPort: 0, ...settings });
  const read = async (): Promise<string> => (await fetch(`${service.metrics}`)).text();
  const rowsOf = async (name: string): Promise<string[]> =>
    (await read()).split('\n').filter((row) => row.startsWith(`${name}{`) || row.startsWith(`${name} `));
  return { service, read, rowsOf };
}

test('counts lookups of endpoints and tools by outcome', async (t) => {
  const { service, rowsOf } = await startMetered();
  t.after(service.close);
  const client = http1Client(`${service.http}`);
  await client.request('/api/rdap?q=localhost');
  await client.request('/api/ip?q=8.8.8.8.8');
  await client.request('/api/headers-check?url=http://10.0.0.1/');
  await client.request('/api/dns');
  const params = { name: 'dns_lookup', arguments: { name: 'a..b' } };
  await client.request('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  assert.deepEqual((await rowsOf('seenby_lookups_total')).toSorted(), [
    'seenby_lookups_total{lookup="dns",outcome="invalid_query"} 2',
    'seenby_lookups_total{lookup="headers-check",outcome="blocked_address"} 1',
    'seenby_lookups_total{lookup="ip",outcome="invalid_query"} 1',
    'seenby_lookups_total{lookup="rdap",outcome="not_found"} 1',
  ]);
});

test('counts tool calls by tool and outcome, and calls of an unknown tool without its name', async (t) => {
  const { service, read, rowsOf } = await startMetered({ rateLimitTools: 5 });
  t.after(service.close);
  const client = http1Client(`${service.http}`);
  const call = (name: string, args: object) =>
    client.request('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
  await call('whoami', {});
  await call('whoami', {});
  await call('parse_ua', { user_agent: 1.5 });
  await call('rdap_lookup', { query: 'localhost' });
  await call('steal_secrets', {});
  for (let each = 0; each < 3; each++) await call('parse_ua', {});
  await call('steal_secrets', {});
  const rows = (await rowsOf('seenby_tool_calls_total')).filter((row) => !row.endsWith(' 0'));
  assert.deepEqual(rows.toSorted(), [
    'seenby_tool_calls_total{tool="parse_ua",outcome="invalid_query"} 1',
    'seenby_tool_calls_total{tool="parse_ua",outcome="rate_limited"} 3',
    'seenby_tool_calls_total{tool="rdap_lookup",outcome="not_found"} 1',
    'seenby_tool_calls_total{tool="unknown",outcome="invalid_query"} 1',
    'seenby_tool_calls_total{tool="unknown",outcome="rate_limited"} 1',
    'seenby_tool_calls_total{tool="whoami",outcome="ok"} 2',
  ]);
  assert.doesNotMatch(await read(), /steal/);
  // Each tool of the list is there before its first call.
  const named = (await rowsOf('seenby_tool_calls_total')).filter((row) => row.includes('outcome="ok"'));
  assert.equal(named.length, tools.length);
});

test('the metrics port responds to health checks while the memory is full, and while the service stops', async (t) => {
  for (const [maxMemory, ready] of [
    [1, [503, 'memory full\n']],
    [0, [200, 'ready\n']],
  ] as const) {
    const service = await startNode({ host: '127.0.0.1', metricsPort: 0, maxMemory }, { memoryCheckMs: 1 });
    t.after(service.close);
    const send = async (path: string) => {
      const response = await fetch(new URL(path, `${service.metrics}`));
      return [response.status, await response.text()];
    };
    assert.deepEqual(await send('/readyz'), ready);
    assert.deepEqual(await send('/healthz'), [200, 'ok\n']);
    if (maxMemory === 1) await assert.rejects(fetch(`${service.http}/healthz`));
    service.drain();
    assert.deepEqual(await send('/readyz'), [503, 'draining\n']);
    assert.deepEqual(await send('/healthz'), [200, 'ok\n']);
  }
});

test('counts handshakes by version and result, and open connections by protocol', async (t) => {
  const { service, rowsOf } = await startMetered();
  t.after(service.close);
  const port = Number(new URL(`${service.https}`).port);
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
  // A full handshake, then one that resumes its session.
  const first = connectTls({ ...options, maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] });
  const [session] = (await once(first, 'session')) as [Buffer];
  first.destroy();
  await closed(first);
  const second = connectTls({ ...options, maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'], session });
  await once(second, 'secureConnect');
  const http2 = connectHttp2(`${service.https}`, { rejectUnauthorized: false });
  await once(http2, 'remoteSettings');
  // The key of the certificate is not RSA.
  const ciphers = 'ECDHE-RSA-AES128-GCM-SHA256';
  const failing: TLSSocket = connectTls({ ...options, maxVersion: 'TLSv1.2', ciphers });
  failing.on('error', () => {});
  await closed(failing);
  const silent = connect(port, '127.0.0.1');
  await once(silent, 'connect');
  const isCounted = async (): Promise<boolean> => (await rowsOf('seenby_connections')).join().includes('none"} 1');
  await until(isCounted);
  assert.deepEqual((await rowsOf('seenby_tls_handshakes_total')).toSorted(), [
    'seenby_tls_handshakes_total{version="TLSv1.2",result="full"} 1',
    'seenby_tls_handshakes_total{version="TLSv1.2",result="resumed"} 1',
    'seenby_tls_handshakes_total{version="TLSv1.3",result="full"} 1',
    'seenby_tls_handshakes_total{version="none",result="failed"} 1',
  ]);
  assert.deepEqual(await rowsOf('seenby_connections'), [
    'seenby_connections{protocol="http/1.1"} 1',
    'seenby_connections{protocol="h2"} 1',
    'seenby_connections{protocol="h3"} 0',
    'seenby_connections{protocol="none"} 1',
  ]);
  assert.deepEqual(await rowsOf('seenby_connections_accepted_total'), ['seenby_connections_accepted_total 5']);
  for (const socket of [second, http2, silent]) socket.destroy();
});

/** Of a store for limits, and of the process for HTTP/3. */
const notHere = /^seenby_(rate_store|http3)_/;

test('exports every metric of the list but those of what it does not have, in a form that promtool accepts', async (t) => {
  const { service, read } = await startMetered();
  t.after(service.close);
  await http1Client(`${service.http}`).request('/ip');
  const text = await read();
  for (const [name, { type, help }] of Object.entries(metricList)) {
    assert.equal(text.includes(`# TYPE ${name} ${type}\n`), !notHere.test(name), name);
    assert.equal(text.includes(`# HELP ${name} ${help}\n`), !notHere.test(name), name);
  }
  assert.match(text, /^seenby_database_built_timestamp_seconds\{database="city"\} 1\d{9}$/m);
  await t.test('promtool check metrics', { skip: hasPromtool ? false : 'needs promtool' }, () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  });
});

test("reports the validity of the operator's certificate, and of no generated one", async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'seenby-metrics-'));
  const tlsCert = join(folder.path, 'cert.pem');
  const tlsKey = join(folder.path, 'key.pem');
  const { cert, key } = await createLocalhostCertificate();
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, key);
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const secondsOf = (date: Date): string => String(date.getTime() / 1000);
  for (const [settings, expected] of [
    [{ tlsCert, tlsKey }, [secondsOf(validFromDate), secondsOf(validToDate)]],
    [{}, []],
  ] as const) {
    const { service, read } = await startMetered(settings);
    t.after(service.close);
    const rows = (await read()).matchAll(/^seenby_certificate_\w+_timestamp_seconds (\d+)$/gm);
    assert.deepEqual(
      Array.from(rows, ([, seconds]) => seconds),
      expected,
    );
  }
});

test('omits a value that is unknown, and reports a source that fails without ending the process', async (context) => {
  const { registry, watch } = createMetrics();
  let reading: number | null = null;
  watch('seenby_certificate_expiry_timestamp_seconds', () => reading);
  watch('seenby_rate_store_connected', () => {
    if (reading === 7) throw new Error('secret');
    return 1;
  });
  const rows = async () => (await registry.metrics()).split('\n').filter((row) => /^seenby_(certif|rate)/.test(row));
  assert.deepEqual(await rows(), ['seenby_rate_store_connected 1']);
  reading = 5;
  assert.deepEqual(await rows(), ['seenby_certificate_expiry_timestamp_seconds 5', 'seenby_rate_store_connected 1']);
  reading = 7;
  const reported: unknown[] = [];
  const { handle } = createMetricsHandler(
    () => registry.metrics(),
    (error) => reported.push(error),
    () => null,
  );
  const { httpPort } = await serve(context, handle);
  const { status } = await fetch(`http://127.0.0.1:${httpPort}/metrics`);
  assert.deepEqual([status, reported.length], [500, 1]);
});

test('responds to requests of /metrics with any query, and of no other path', async (context) => {
  const { handle } = createMetricsHandler(
    async () => 'all',
    () => {},
    () => null,
  );
  const { httpPort } = await serve(context, handle);
  for (const [target, status] of [
    ['/metrics', 200],
    ['/metrics?', 200],
    ['/metrics?collect[]=a&x=y', 200],
    ['/metrics/', 404],
    ['/?metrics', 404],
  ] as const)
    assert.equal((await fetch(`http://127.0.0.1:${httpPort}${target}`)).status, status, target);
});
