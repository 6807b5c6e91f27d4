/** A client generated from the OpenAPI description compiles, and calls the running service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';
import type { Service } from '../../src/runtime/serve.ts';
import { startNode } from '../node-service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const output = join(root, 'test-output');

/** Uses the client as a user of it would: the compiler rejects every `any` and union that the description leaves. */
const usage = `
import { ok } from '@oazapfts/runtime';
import * as client from './client.ts';

// Without PUBLIC_URL, the description has no host, so that the client is told where the service is.
const { baseUrl = '' } = client.defaults;
client.defaults.baseUrl = process.argv[2];
const info: client.Info = await ok(client.getJson());
const city: string | null = info.location.city;
const geo: client.Geo = await ok(client.getGeo({ format: 'json' }));
const ip: string = await ok(client.getIp());
const refused = await client.getApiRdap('not a domain');
const error: string | null = refused.status === 400 ? refused.data.error : null;
// A message has more members than its schema, which a variable permits.
const message = { jsonrpc: '2.0' as const, id: 1, method: 'ping' };
const pong = await ok(client.postMcp(message));
console.log(JSON.stringify({ baseUrl, ip, city, isSame: info.ip === geo.ip, error, pong }));
`;

let service: Service;
let folder: string;
before(async () => {
  service = await startNode({ tlsPort: null });
  mkdirSync(output, { recursive: true });
  // In the project, so that the client finds the packages it imports.
  folder = mkdtempSync(join(output, 'client-'));
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const run = (file: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [file, ...args], { cwd: folder });

test('a generated client compiles, and returns typed responses of the service', async () => {
  const description = join(folder, 'openapi.json');
  writeFileSync(description, await (await fetch(`${service.http}/openapi.json`)).text());
  writeFileSync(join(folder, 'client.ts'), await generateSource(description));
  writeFileSync(join(folder, 'usage.ts'), usage);
  const options = {
    target: 'esnext',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  };
  const compilerOptions = { ...options, erasableSyntaxOnly: true, types: ['node'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }));
  await run(join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--checkers', '1').catch(({ stdout }) =>
    assert.fail(stdout),
  );
  const { stdout } = await run('usage.ts', service.http ?? '');
  assert.deepEqual(JSON.parse(stdout), {
    baseUrl: '/',
    ip: '127.0.0.1\n',
    city: null,
    isSame: true,
    error: 'invalid_query',
    pong: { jsonrpc: '2.0', id: 1, result: {} },
  });
});
