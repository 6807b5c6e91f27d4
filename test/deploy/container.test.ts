/** The health check of the container image requests the configured port. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startNode } from '../node-service.ts';

const containerfile = readFileSync(new URL('../../Containerfile', import.meta.url), 'utf8');
const [, command = ''] = /^HEALTHCHECK[^[]* CMD (\[.*\])$/m.exec(containerfile) ?? [];

async function check(environment: Record<string, string>): Promise<number> {
  const [, ...args] = JSON.parse(command) as string[];
  const [code] = await once(spawn(process.execPath, args, { env: environment, stdio: 'inherit' }), 'exit');
  return code;
}

test('the health check requests PORT, or TLS_PORT if PORT is off', async (context) => {
  const service = await startNode({ host: '127.0.0.1' });
  context.after(service.close);
  const [PORT, TLS_PORT] = [service.http, service.https].map((url) => new URL(`${url}`).port) as [string, string];
  assert.equal(await check({ PORT, TLS_PORT: 'off', HOST: '' }), 0);
  assert.equal(await check({ PORT: 'off', TLS_PORT, HOST: '127.0.0.1' }), 0);
  await service.close();
  assert.equal(await check({ PORT }), 1);
});
