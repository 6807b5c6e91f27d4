/** The saved SYN: read once and kept for the connection, null if the kernel has none. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Agent, get } from 'node:http';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hasTcpOptions } from '../../src/native/tcp.ts';
import { TcpOpening } from '../../src/resources/fingerprint-openings.ts';
import { startNode } from '../node-service.ts';

const program = fileURLToPath(new URL('print-syn.ts', import.meta.url));

describe('the SYN of a connection', { skip: !hasTcpOptions && 'needs Linux and a Node with ffi' }, () => {
  test('is the same for every request', async () => {
    const service = await startNode({ host: '127.0.0.1' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const tcpOf = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const read = get(`${service.http}/fingerprint`, { agent }, async (response) => {
          resolve(JSON.parse(Buffer.concat(await response.toArray()).toString()).tcp);
        });
        read.on('error', reject);
      });
    const first = TcpOpening.parse(await tcpOf());
    const second = TcpOpening.parse(await tcpOf());
    assert.deepEqual(second, first);
    assert.deepEqual([first.ipVersion, first.initialTtlEstimate, first.dontFragment], [4, 64, true]);
    assert.deepEqual(first.options?.[0], { id: 2, name: 'Maximum Segment Size' });
    agent.destroy();
    await service.close();
  });

  test('is null with SYN cookies, which keep nothing of it', {
    skip: process.getuid?.() !== 0 && 'needs root, for a network of its own',
  }, async () => {
    const command = `ip link set lo up && "${process.execPath}" --disable-warning=ExperimentalWarning "${program}"`;
    const { stdout } = await promisify(execFile)('unshare', ['-n', 'sh', '-c', command]);
    const [usual, withCookies] = JSON.parse(stdout).map((tcp: unknown) => TcpOpening.parse(tcp));
    assert.equal(usual.ttl, 64);
    assert.ok(Object.values(withCookies).every((value) => value === null));
  });
});
