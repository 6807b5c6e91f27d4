/** The health check of the container image requests the configured port. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startNode } from '../node-service.ts';

const script = fileURLToPath(new URL('../../docs/deploy/health-check.mjs', import.meta.url));

test('the health check requests the port of the flags, else of the variables, and the TLS port if the plain one is off', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-health-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const commandLine = join(folder, 'cmdline');
  const check = async (env: Record<string, string>, ...flags: readonly string[]): Promise<number> => {
    const words = ['/sbin/docker-init', '--', 'node', '--max-semi-space-size=8', '/app/seenby.js', ...flags];
    writeFileSync(commandLine, words.map((word) => `${word}\0`).join(''));
    const [code] = await once(spawn(process.execPath, [script, commandLine], { env, stdio: 'inherit' }), 'exit');
    return code;
  };
  const service = await startNode({ host: '127.0.0.1' });
  context.after(service.close);
  const [PORT, TLS_PORT] = [service.http, service.https].map((url) => new URL(`${url}`).port) as [string, string];
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

test('the image contains the health check', () => {
  const containerfile = readFileSync(new URL('../../Containerfile', import.meta.url), 'utf8');
  const name = basename(script);
  assert.ok(containerfile.includes(`COPY docs/deploy/${name} /app/\n`));
  assert.ok(containerfile.includes(`CMD ["node", "/app/${name}"]\n`));
});
