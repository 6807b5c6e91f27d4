/** The least memory of a container that docs/deploy/container.md permits suffices beside a client far above its limit. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMemoryCgroup } from '../memory-cgroup.ts';
import { writeMmdb } from '../mmdb.ts';
import { until } from '../until.ts';

const page = readFileSync(new URL('../../docs/deploy/container.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
const [, plainMb, http3Mb] = /`GEOIP_AUTO_UPDATE=off`, (\d+) MB, or (\d+) MB with HTTP\/3/.exec(page) ?? [];

const program = fileURLToPath(new URL('../../src/cli/seenby.ts', import.meta.url));
const floodRequests = 20_000;
const floodConnections = 40;
const others = 60;
/** Leaves as much garbage as headers may. */
const request = `GET /json HTTP/1.1\r\nHost: localhost\r\nCookie: ${'abcdefgh'.repeat(1_500)}\r\n\r\n`;
/** Requests in progress on a connection. */
const pipelined = 8;

/** Sends requests on several connections, another one for each response; resolves with the number of responses. */
async function flood(port: number): Promise<number> {
  let left = floodRequests;
  let answered = 0;
  const one = async (): Promise<void> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.on('error', () => {});
    let buffered = '';
    socket.on('connect', () => socket.write(request.repeat(pipelined)));
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      // Each response begins with its status line.
      const count = buffered.split('HTTP/1.1 ').length - 1;
      buffered = buffered.slice(-8);
      answered += count;
      left -= count;
      if (left <= 0) socket.destroy();
      else if (count > 0) socket.write(request.repeat(count));
    });
    await once(socket, 'close');
  };
  while (left > 0) await Promise.all(Array.from({ length: floodConnections }, one));
  return answered;
}

/** Whether a new connection of this client gets a response. */
function isServed(port: number, localAddress: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    let received = '';
    socket.on('connect', () => socket.write('GET /ip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'));
    socket.on('data', (chunk) => (received += chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(received.startsWith('HTTP/1.1 200 ')));
  });
}

for (const [name, limitMb, settings] of [
  ['without HTTP/3', plainMb, {}],
  ['with HTTP/3', http3Mb, { HTTP3_PORT: '0' }],
] as const)
  test(`${name}, no new connection of others is refused while one client sends ${floodRequests} requests`, {
    timeout: 180_000,
  }, async (t) => {
    const cgroup = createMemoryCgroup(Number(limitMb) * 2 ** 20);
    if (cgroup === null) return t.skip('needs the privilege to create a cgroup with the memory controller');
    const folder = mkdtempSync(join(tmpdir(), 'seenby-least-'));
    const asn = join(folder, 'asn.mmdb');
    writeFileSync(asn, writeMmdb({ databaseType: 'ASN', ipVersion: 4, networks: {} }));
    const [command = '', ...words] = cgroup.start;
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', program];
    const child = spawn(command, [...words, ...node], {
      // As in the image.
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        TLS_PORT: '0',
        DATA_DIR: folder,
        GEOIP_ASN: asn,
        THREADS: 'auto',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    t.after(async () => {
      child.kill('SIGKILL');
      await exited;
      // Its process for HTTP/3 ends after it.
      await until(cgroup.remove);
      rmSync(folder, { recursive: true });
    });
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += chunk));
    const portIn = (): string | undefined => /http:\/\/localhost:(\d+)/.exec(printed)?.[1];
    await until(() => portIn() ?? child.exitCode);
    const port = Number(portIn());
    const answered = flood(port);
    const served: boolean[] = [];
    // While the flood lasts, and as long after it.
    for (let other = 0; other < others; other += 1) {
      served.push(await isServed(port, `127.0.1.${other + 1}`));
      await Promise.race([delay(200), exited]);
    }
    assert.ok((await answered) >= floodRequests);
    assert.equal(child.exitCode ?? child.signalCode, null, printed);
    const refused = served.filter((each) => !each).length;
    const peakMb = Math.round((cgroup.peakBytes() ?? 0) / 2 ** 20);
    assert.equal(refused, 0, `${refused} refused, peak ${peakMb} MB: ${printed}`);
  });
