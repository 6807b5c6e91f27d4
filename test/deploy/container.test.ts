/** The health check of the container image requests the configured port. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prefixOf } from '../../src/core/address.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { startNode } from '../node-service.ts';

const script = fileURLToPath(new URL('../../docs/deploy/health-check.mjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'seenby-health-'));
after(() => rmSync(folder, { recursive: true }));

async function check(env: Record<string, string>, ...flags: readonly string[]): Promise<number> {
  const commandLine = join(folder, 'cmdline');
  const words = ['/sbin/docker-init', '--', 'node', '--max-semi-space-size=8', '/app/seenby.js', ...flags];
  writeFileSync(commandLine, words.map((word) => `${word}\0`).join(''));
  const [code] = await once(spawn(process.execPath, [script, commandLine], { env, stdio: 'inherit' }), 'exit');
  return code;
}

const portsOf = ({ http, https, metrics }: Service) =>
  [http, https, metrics].map((url) => url && new URL(url).port) as [string, string, string];

test('the health check requests the port of the flags, else of the variables, and the TLS port if the plain one is off', async (context) => {
  const service = await startNode({ host: '127.0.0.1' });
  context.after(service.close);
  const [PORT, TLS_PORT] = portsOf(service);
  assert.equal(await check({ PORT, TLS_PORT: 'off', HOST: '' }), 0);
  assert.equal(await check({ PORT: 'off', TLS_PORT, HOST: '127.0.0.1' }), 0);
  assert.equal(await check({ PORT: '1' }, '--port', PORT), 0);
  assert.equal(
    await check({ PORT, HOST: '192.0.2.1' }, '--port=off', `--tls-port=${TLS_PORT}`, '--host', '127.0.0.1'),
    0,
  );
  assert.equal(await check({ PORT }, '--port', '1'), 1);
  await service.close();
  assert.equal(await check({ PORT }), 1);
});

test('the health check requests the metrics port if it is on', async (context) => {
  const service = await startNode({ host: '127.0.0.1', metricsPort: 0 });
  context.after(service.close);
  const [, , METRICS_PORT] = portsOf(service);
  assert.equal(await check({ PORT: '1', METRICS_PORT, HOST: '192.0.2.1' }), 0);
  assert.equal(await check({ PORT: '1', METRICS_PORT: 'off' }, '--metrics-port', METRICS_PORT), 0);
});

test('the health check sends a PROXY header where the service expects one', async (context) => {
  const start = async (trusted: string) => {
    const service = await startNode({ host: '127.0.0.1', proxyProtocol: true, trustProxy: [prefixOf(trusted)] });
    context.after(service.close);
    return portsOf(service);
  };
  for (const [PORT, TLS_PORT] of [await start('127.0.0.1'), await start('192.0.2.1')])
    for (const ports of [{ PORT }, { PORT: 'off', TLS_PORT }]) {
      assert.equal(await check({ ...ports, PROXY_PROTOCOL: 'on' }), 0);
      assert.equal(await check(ports, '--proxy-protocol', 'on'), 0);
    }
  assert.equal(await check({ PORT: '1', PROXY_PROTOCOL: 'on' }), 1);
});

test('the image contains the health check', () => {
  const containerfile = readFileSync(new URL('../../Containerfile', import.meta.url), 'utf8');
  const name = basename(script);
  assert.ok(containerfile.includes(`COPY docs/deploy/${name} /app/\n`));
  assert.ok(containerfile.includes(`CMD ["node", "/app/${name}"]\n`));
});
