/** The folders of services that were killed are removed at the next start, those of running ones stay. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { removeAbandoned } from '../../../src/runtime/http3/http3-process.ts';

test('removes a folder only if nobody listens on its sockets, and it is not new', {
  skip: process.platform === 'win32',
}, async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'seenby-folders-'));
  t.after(() => rmSync(parent, { recursive: true }));
  const folder = (name: string): string => {
    mkdirSync(join(parent, name));
    return join(parent, name);
  };
  const killed = folder('http3-killed');
  const running = folder('http3-runing');
  const empty = folder('http3-empty1');
  for (const name of ['http3-newone', 'http3-other-name', 'acme']) folder(name);
  const script = `require('net').createServer().listen(${JSON.stringify(join(killed, '1'))}, () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.deepEqual(readdirSync(killed), ['1']);
  const server = createServer().listen(join(running, '1'));
  t.after(() => server.close());
  await once(server, 'listening');
  const old = new Date(Date.now() - 120_000);
  for (const each of [killed, running, empty, join(parent, 'http3-other-name')]) utimesSync(each, old, old);
  await removeAbandoned(parent, 'http3-');
  assert.deepEqual(readdirSync(parent).sort(), ['acme', 'http3-newone', 'http3-other-name', 'http3-runing']);
});
