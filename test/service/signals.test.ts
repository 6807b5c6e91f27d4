/** Signals drain, stop, end and reload the service. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { http1Client } from '../acceptance/client.ts';
import { folder, start, stop } from '../service-process.ts';

test('/readyz responds with 503 for DRAIN_DELAY after SIGTERM, while everything else is served, then the service stops', async () => {
  const started = await start('', { changed: { DRAIN_DELAY: '1' } });
  const send = async (path: string) => {
    const { status, body } = await http1Client(started.url).request(path);
    return [status, body];
  };
  assert.deepEqual(await send('/readyz'), [200, 'ready\n']);
  const exited = once(started.child, 'exit');
  const signaledMs = performance.now();
  started.child.kill('SIGTERM');
  await started.prints(/^draining: .* in 1 seconds$/m);
  assert.deepEqual(await send('/readyz'), [503, 'draining\n']);
  assert.deepEqual(await send('/ip'), [200, '127.0.0.1\n']);
  assert.deepEqual(await exited, [0, null]);
  assert.ok(performance.now() - signaledMs >= 1000);
  assert.match(started.printed(), /^draining.*\nstopping\nstopped\n$/m);
});

test('a second SIGTERM ends the process with code 1; one that follows immediately counts as the same', async () => {
  const started = await start('', { changed: { DRAIN_DELAY: '600' } });
  started.child.kill('SIGTERM');
  await started.prints(/^draining/m);
  started.child.kill('SIGINT');
  await delay(600);
  assert.equal((await http1Client(started.url).request('/ip')).status, 200);
  assert.equal(await stop(started), 1);
  assert.match(started.printed(), /^stopped early: received a second signal$/m);
});

test('SIGHUP reloads the certificate and the databases, and keeps what cannot be reloaded', async () => {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
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
