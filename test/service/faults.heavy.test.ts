/** Faults of the system, tested on a service in a process of its own: it continues, or ends with an exit code; each leaves one log line. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { http1Client } from '../acceptance/client.ts';
import { findFreePort } from '../free-port.ts';
import { type AttackConnection, connectAttacker } from '../quic-attacker.ts';
import { children, start, stop } from '../service-process.ts';
import { until } from '../until.ts';

const statusOf = async (url: string): Promise<number> => (await http1Client(url).request('/ip')).status;

describe('an uncaught error ends the process with code 1 and its place, without its message', () => {
  for (const [what, code] of [
    ['an exception', 'throw new TypeError("secret")'],
    ['a rejected promise', 'Promise.reject(new TypeError("secret"))'],
  ] as const)
    test(what, async () => {
      const started = await start(`process.on('SIGUSR2', () => { ${code}; })`);
      const exited = once(started.child, 'exit');
      started.child.kill('SIGUSR2');
      const [exitCode] = await exited;
      assert.equal(exitCode, 1);
      assert.match(started.printed(), /^seenby: unexpected TypeError at .+$/m);
      assert.doesNotMatch(started.printed(), /secret/);
    });
});

/** Logs a line in the running service. */
const logALine = 'setInterval(() => process.stdout.write("a line\\n"), 100)';

test('a full disk under the log: the service continues, with one line on the other stream', {
  skip: process.platform !== 'linux',
}, async () => {
  // The URL has to be known before: /dev/full takes no line at all.
  const probe = await start();
  const { port } = new URL(probe.url);
  await stop(probe);
  const started = start(logALine, { shell: 'exec "$@" > /dev/full', changed: { PORT: port } });
  started.catch(() => {});
  const child = children.at(-1) ?? assert.fail();
  let printed = '';
  child.stderr?.on('data', (chunk) => {
    printed += chunk;
  });
  await until(() => printed.includes('cannot write'));
  await until(async () => (await statusOf(`http://127.0.0.1:${port}`).catch(() => 0)) === 200);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual((await exited)[0], 0);
  assert.equal(printed, 'seenby: cannot write the log (ENOSPC); continuing without it\n');
});

test('a log in a closed pipe: the service continues, with one line on the other stream', async () => {
  const started = await start(logALine);
  started.child.stdout?.destroy();
  await until(() => started.printed().includes('cannot write'));
  assert.equal(await statusOf(started.url), 200);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(started.printed().split('cannot write the log (EPIPE); continuing without it').length, 2);
  assert.equal(await stop(started), 0);
});

test('few open files: connections over HTTP/3 leave some for the other ports', {
  skip: process.platform !== 'linux',
}, async () => {
  const http3Port = await findFreePort();
  const started = await start('', {
    shell: 'ulimit -n 200; exec "$@"',
    changed: {
      TLS_PORT: '0',
      HTTP3_PORT: `${http3Port}`,
      METRICS_PORT: '0',
      CONNECTION_RATE: '0',
      MAX_CONNECTIONS_PER_ADDRESS: '0',
      MAX_MEMORY: '4000',
    },
  });
  await started.prints(/\/metrics\n/);
  const clients: AttackConnection[] = [];
  // Beyond a third of the files: there are three ports.
  for (let opened = 0; opened < 70; opened += 1) {
    const client = await connectAttacker(http3Port, '127.0.0.1');
    assert.ok(client !== null, `${opened}`);
    clients.push(client);
  }
  const metricsUrl = `${/http:\S+\/metrics/.exec(started.printed())?.[0]}`;
  await until(async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    return Number(/^seenby_rejections_total\{reason="replaced"\} (\d+)$/m.exec(metrics)?.[1]) >= 70 - 200 / 3;
  });
  for (const each of clients) each.close();
  assert.equal(await statusOf(started.url), 200);
  assert.equal(await stop(started), 0, started.printed());
});

test('no open files left: new connections take the place of those without a request, with one log line', {
  skip: process.platform !== 'linux',
}, async () => {
  const started = await start('', {
    shell: 'ulimit -n 100; exec "$@"',
    changed: { MAX_CONNECTIONS_PER_ADDRESS: '0', MAX_MEMORY: '4000' },
  });
  const { hostname, port } = new URL(started.url);
  const sockets = Array.from({ length: 150 }, () => connect(Number(port), hostname));
  const closed = sockets.map((socket) => new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)));
  await Promise.race(closed);
  await until(() => sockets.filter(({ destroyed }) => !destroyed).length <= 50);
  // The newest: old ones are still asked to leave.
  const open = sockets.findLast(({ destroyed }) => !destroyed);
  open?.write('GET /ip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const [response] = await once(open ?? assert.fail(), 'data');
  assert.match(String(response), /^HTTP\/1\.1 200/);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  assert.equal(await statusOf(started.url), 200);
  assert.equal(await stop(started), 0);
  assert.equal(started.printed().match(/to accept new ones: the limit of open files \(100\)/g)?.length, 1);
  // MAX_MEMORY applies also then.
  assert.doesNotMatch(started.printed(), /memory/);
});
