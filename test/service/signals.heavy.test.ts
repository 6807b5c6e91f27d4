/** Signals drain, stop, end and reload the service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { generate } from 'selfsigned';
import { http1Client } from '../acceptance/client.ts';
import { children, environment, folder, start, stop } from '../service-process.ts';

test('/readyz responds with 503 for DRAIN_DELAY after SIGTERM, while everything else is served, then the service stops', async () => {
  // A busy machine takes seconds for the three requests.
  const started = await start('', { changed: { DRAIN_DELAY: '5' } });
  const send = async (path: string) => {
    const { status, body } = await http1Client(started.url).request(path);
    return [status, body];
  };
  assert.deepEqual(await send('/readyz'), [200, 'ready\n']);
  const exited = once(started.child, 'exit');
  const signaledMs = performance.now();
  started.child.kill('SIGTERM');
  await started.prints(/^draining: .* in 5 seconds$/m);
  assert.deepEqual(await send('/readyz'), [503, 'draining\n']);
  assert.deepEqual(await send('/ip'), [200, '127.0.0.1\n']);
  assert.deepEqual(await exited, [0, null]);
  assert.ok(performance.now() - signaledMs >= 5000);
  assert.match(started.printed(), /^draining.*\nstopping\nstopped\n$/m);
});

test('a second SIGTERM ends the process with code 1; one that follows immediately counts as the same', async () => {
  const started = await start('', { changed: { DRAIN_DELAY: '600' } });
  started.child.kill('SIGTERM');
  // Without waiting for its effect, which a busy machine shows too late.
  started.child.kill('SIGINT');
  await started.prints(/^draining/m);
  await delay(600);
  assert.equal((await http1Client(started.url).request('/ip')).status, 200);
  assert.equal(await stop(started), 1);
  assert.match(started.printed(), /^stopped early: received a second signal$/m);
});

test('the end of the shell that npm runs is one signal, however long the service drains', async () => {
  const setup = JSON.stringify(new URL('../../setup/child.mjs', import.meta.url).href);
  const started = await start(`import(${setup}).then(({ endWithNpm }) => endWithNpm())`, {
    shell: '"$@"; :',
    changed: { DRAIN_DELAY: '2', npm_lifecycle_event: 'start' },
  });
  const closed = once(started.child, 'close');
  started.child.kill('SIGTERM');
  await closed;
  assert.match(started.printed(), /^draining.*\nstopping\nstopped\n$/m);
});

for (const program of ['src/cli/seenby.ts', 'setup.mjs'])
  test(`SIGTERM during the start of threads ends ${program} with code 0`, async () => {
    const preload = `import { isMainThread } from 'node:worker_threads'; isMainThread || process.kill(process.pid, 'SIGTERM');`;
    const file = fileURLToPath(new URL(`../../${program}`, import.meta.url));
    const args = ['--disable-warning=ExperimentalWarning', `--import=data:text/javascript,${preload}`, file, 'serve'];
    const child = spawn(process.execPath, args, { env: { ...environment, THREADS: '2' }, stdio: 'inherit' });
    children.push(child);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

test('SIGTERM ends the start of as many threads as are permitted within two seconds', async () => {
  const THREADS = String(4 * availableParallelism());
  const preload = `import { isMainThread, threadId } from 'node:worker_threads'; isMainThread || console.error(threadId);`;
  const file = fileURLToPath(new URL('../../src/cli/seenby.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', `--import=data:text/javascript,${preload}`, file, 'serve'];
  for (const started of [1, 2, 4]) {
    const env = { ...environment, MAX_MEMORY: '0', THREADS };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    const closed = once(child, 'close');
    for await (const lines of child.stderr.map(String)) if (lines.includes(`${started}\n`)) break;
    const sentMs = performance.now();
    child.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null]);
    assert.ok(performance.now() - sentMs < 2_000, `${performance.now() - sentMs} ms`);
  }
});

for (const program of ['src/cli/seenby.ts', 'setup.mjs'])
  test(`SIGHUP during the start of threads is a reload as soon as ${program} serves`, async () => {
    const preload = `import { isMainThread } from 'node:worker_threads'; isMainThread || process.kill(process.pid, 'SIGHUP');`;
    const file = fileURLToPath(new URL(`../../${program}`, import.meta.url));
    const args = ['--disable-warning=ExperimentalWarning', `--import=data:text/javascript,${preload}`, file, 'serve'];
    const env = { ...environment, THREADS: '2' };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const exited = once(child, 'exit');
    let printed = '';
    for await (const chunk of child.stdout) {
      const before = printed;
      printed += chunk;
      const hasReloaded = (text: string): boolean => /(?:^reloaded .* database\n){2}/m.test(text);
      if (hasReloaded(printed) && !hasReloaded(before)) child.kill('SIGTERM');
    }
    assert.deepEqual([await exited, /^stopping\nstopped\n$/m.test(printed)], [[0, null], true], printed);
  });

test('SIGHUP ends a command that does not serve', async () => {
  const preload = `setInterval(() => process.listenerCount('SIGHUP') > 0 && process.kill(process.pid, 'SIGHUP'), 1);`;
  const file = fileURLToPath(new URL('../../src/cli/seenby.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', `--import=data:text/javascript,${preload}`, file, 'ua', '-'];
  const child = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'ignore', 'inherit'] });
  children.push(child);
  assert.deepEqual(await once(child, 'exit'), [129, null]);
});

test('SIGHUPs that arrive during a reload, or within a second of it, are one reload', async () => {
  const started = await start();
  const reloads = () => started.printed().match(/^reloaded the city/gm)?.length ?? 0;
  const startMs = performance.now();
  started.child.kill('SIGHUP');
  await started.prints(/(?:^reloaded .*\n){2}/m);
  for (let each = 0; each < 20; each += 1) {
    started.child.kill('SIGHUP');
    await delay(5);
  }
  // A busy machine may take longer than a second for them.
  const most = 2 + Math.floor((performance.now() - startMs) / 1000);
  await started.prints(/(?:^reloaded .*\n){4}/m);
  assert.equal(await stop(started), 0);
  assert.ok(reloads() >= 2 && reloads() <= most, `${reloads()} reloads, at most ${most}`);
});

test('SIGHUP reloads the certificate and the databases, and keeps what cannot be reloaded', async () => {
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const started = await start('', { changed: { TLS_PORT: '0', TLS_CERT: certFile, TLS_KEY: keyFile } });
  const lines = () => started.printed().match(/^(?:reloaded|kept) .*$/gm) ?? [];
  started.child.kill('SIGHUP');
  await started.prints(/(?:^reloaded .*\n){3}/m);
  assert.deepEqual(lines().toSorted(), [
    'reloaded the autonomous system database',
    'reloaded the certificate',
    'reloaded the city database',
  ]);
  writeFileSync(certFile, 'damaged');
  started.child.kill('SIGHUP');
  await started.prints(/^kept the certificate; reload failed: TLS_CERT: ".*" is not a PEM certificate$/m);
  assert.equal((await http1Client(started.url).request('/ip')).status, 200);
  assert.equal(await stop(started), 0);
});
