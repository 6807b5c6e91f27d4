/** STUN clients of other projects, which Debian has: coturn, aioice, and a classic one (RFC 3489), which gets no response. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { runToEnd } from '../../quic-clients.ts';
import { openServer } from './stun-server.ts';

/** Reason to skip; in CI, a missing program fails the test. */
const skipWithout = (file: string, name: string): string | false =>
  existsSync(file) || process.env.CI ? false : `needs the package ${name}`;

test('turnutils_stunclient of coturn learns its address and port over IPv4 and IPv6', {
  skip: skipWithout('/usr/bin/turnutils_stunclient', 'coturn'),
}, async (context) => {
  const { port, counts } = await openServer(context, { hosts: ['127.0.0.1', '::1'] });
  for (const address of ['127.0.0.1', '::1']) {
    const { printed } = await runToEnd(spawn('turnutils_stunclient', ['-p', `${port}`, address]));
    assert.match(printed, new RegExp(`UDP reflexive addr: ${address}:\\d{4,5}\\n`));
  }
  assert.deepEqual(counts, { success: 2 });
});

test('a classic client gets no response', { skip: skipWithout('/usr/bin/stun', 'stun-client') }, async (context) => {
  const responses: string[] = [];
  const requested = Promise.withResolvers<void>();
  const { port } = await openServer(context, {
    onResult(result) {
      responses.push(result);
      requested.resolve();
    },
  });
  const client: ChildProcess = spawn('stun', [`127.0.0.1:${port}`, '1']);
  await requested.promise;
  client.kill();
  assert.deepEqual(new Set(responses), new Set(['ignored']));
});

const program = `
import asyncio, aioice, sys
async def main():
    connection = aioice.Connection(ice_controlling=True, stun_server=('127.0.0.1', int(sys.argv[1])), use_ipv6=False)
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ['127.0.0.1']
    await connection.gather_candidates()
    for candidate in connection.local_candidates: print(candidate.to_sdp())
    await connection.close()
asyncio.run(main())
`;

test('aioice gathers a candidate with its address and port', {
  skip: skipWithout('/usr/lib/python3/dist-packages/aioice', 'python3-aioice'),
}, async (context) => {
  const { port } = await openServer(context);
  const { printed } = await runToEnd(spawn('/usr/bin/python3', ['-c', program, `${port}`]));
  const [, hostPort] = /127\.0\.0\.1 (\d+) typ host/.exec(printed) ?? [];
  assert.ok(hostPort !== undefined, printed);
  assert.match(printed, new RegExp(`127\\.0\\.0\\.1 ${hostPort} typ srflx`));
});
