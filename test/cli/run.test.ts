/** The process of a command: output that cannot be written, and code that it loads. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { environment, start, stop } from '../service-process.ts';

const seenby = fileURLToPath(new URL('../../src/cli/seenby.ts', import.meta.url));

/** Runs a shell command in which `"$@"` is `seenby ua curl/8.17.0`. */
function runIn(shell: string) {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', seenby, 'ua', 'curl/8.17.0'];
  const { stdout, stderr } = spawnSync('sh', ['-c', shell, 'sh', ...command], { encoding: 'utf8' });
  return { stdout, stderr };
}

test('a command whose output cannot be written fails', { skip: process.platform !== 'linux' }, () => {
  for (const flag of ['', '--json', '--version', '--help']) {
    const { stdout, stderr } = runIn(`code=$("$@" ${flag} >/dev/full; echo $?); echo "$code"`);
    assert.deepEqual([stdout, stderr], ['1\n', 'seenby: cannot write the output (ENOSPC)\n']);
  }
});

test('a reader that closes the pipe ends a command silently', () => {
  // The reader has ended before the command starts.
  const { stdout, stderr } = runIn('{ sleep 0.3; "$@" --help; echo $? >&2; } | true');
  assert.deepEqual([stdout, stderr], ['', '141\n']);
});

/** Makes Node print when it loads one of these packages, and at its end which: what sends requests, and what schemas need. */
const watched = `data:text/javascript,import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({ load: (url, context, next) => {
  for (const name of ['undici', 'zod']) {
    if (loaded.has(name) || !url.includes('/node_modules/' + name + '/')) continue;
    loaded.add(name);
    console.error('loads ' + name);
  }
  return next(url, context);
} });
process.on('exit', () => console.error('loaded: ' + [...loaded].sort()));`;
const NODE_OPTIONS = `--import "${watched.replaceAll('\n', ' ').replaceAll('"', '\\"')}"`;

test('only a command that sends a request loads undici, and only a lookup the schemas', () => {
  const loadedBy = (...args: string[]): string => {
    const env = { ...environment, NODE_OPTIONS, DOH_URL: 'https://127.0.0.1:9/' };
    const { stderr } = spawnSync(process.execPath, [seenby, ...args], { encoding: 'utf8', env });
    return /^loaded: (.*)$/m.exec(stderr)?.[1] ?? stderr;
  };
  assert.equal(loadedBy('--version'), '');
  assert.equal(loadedBy('ua', 'curl/8.17.0'), '');
  assert.equal(loadedBy('dns', 'example.com'), 'undici,zod');
});

test('the service loads undici right after it listens, while there are file descriptors for it', async () => {
  // No request is sent.
  const service = await start('', { changed: { NODE_OPTIONS } });
  await service.prints(/^loads undici$/m);
  await stop(service);
  assert.match(service.printed(), /^loaded: undici,zod$/m);
});

test('a machine without a network is named instead of the target', {
  skip: process.platform !== 'linux' || process.getuid?.() !== 0 ? 'needs root on Linux' : false,
}, () => {
  for (const args of [
    ['grade', 'example.com'],
    ['dns', 'example.com'],
    ['me', 'https://seenby.example'],
    ['geo', 'update'],
  ]) {
    const command = ['-n', process.execPath, '--disable-warning=ExperimentalWarning', seenby, ...args];
    const { stdout, stderr, status } = spawnSync('unshare', command, { encoding: 'utf8', env: environment });
    assert.deepEqual([stdout, status], ['', 1]);
    assert.equal(stderr, 'seenby: no network: this machine has no route to the internet; connect it and try again\n');
  }
});

test("geo update sends its requests through HTTPS_PROXY with Node's own switch, and only then", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'seenby-proxy-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const tunnels: string[] = [];
  const proxy = createServer()
    .on('connect', ({ url = '' }, socket) => {
      tunnels.push(url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    })
    .listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const args = [seenby, 'geo', 'update', '--geoip-url', 'https://databases.invalid/free', '--data-dir', dataDir];
  for (const [changed, expected] of [
    [{}, []],
    [{ NODE_USE_ENV_PROXY: '1' }, ['databases.invalid:443']],
  ] as const) {
    const env = { ...environment, HTTPS_PROXY, ...changed };
    const [code] = await once(spawn(process.execPath, args, { stdio: 'ignore', env }), 'exit');
    assert.equal(code, 1);
    assert.deepEqual(tunnels.splice(0), expected);
  }
});
