/** An upgrade without a gap: a second process listens on the same port, then the first one stops. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { http1Client } from '../acceptance/client.ts';
import { startNode } from '../node-service.ts';

const environment: NodeJS.ProcessEnv = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
/** The kernel moves connections that wait at a closing listener to another one. */
const prepare = 'ip link set lo up && echo 1 > /proc/sys/net/ipv4/tcp_migrate_req';
/** With the privilege to create namespaces, or in a user namespace that grants it. */
const namespace = [['--net'], ['--net', '--map-root-user']].find(
  (options) => spawnSync('unshare', [...options, 'sh', '-c', prepare], { env: environment }).status === 0,
);
const lacks = namespace === undefined ? 'needs Linux 5.14, unshare, ip and the privilege to create namespaces' : false;

test('upgrades lose no connection while clients open new ones', {
  // In CI a missing requirement is a failure.
  skip: process.env.CI ? false : lacks,
}, async () => {
  assert.ok(namespace !== undefined, String(lacks));
  const scenario = fileURLToPath(new URL('upgrade-scenario.ts', import.meta.url));
  const script = ['sh', '-c', `${prepare} && exec "$@"`, 'sh'];
  const { NODE_TEST_CONTEXT: _, ...env } = environment;
  const child = spawn('unshare', [...namespace, ...script, process.execPath, scenario], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, printed);
});

test('two services listen on one port only if both have REUSE_PORT=on', {
  skip: process.platform === 'linux' ? false : 'needs Linux',
}, async (t) => {
  const settings = { host: '127.0.0.1', tlsPort: null, reusePort: true };
  const first = await startNode({ ...settings, port: 0 });
  t.after(first.close);
  const port = Number(new URL(`${first.http}`).port);
  await assert.rejects(startNode({ ...settings, port, reusePort: false }), /^Error: PORT: port \d+ is in use/);
  const second = await startNode({ ...settings, port });
  t.after(second.close);
  assert.equal(second.http, first.http);
  await first.close();
  assert.equal((await http1Client(`${second.http}`).request('/ip')).status, 200);
});
