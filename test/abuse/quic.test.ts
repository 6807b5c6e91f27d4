/** HTTP/3 clients that open as many streams as the server permits and get nothing done, or only begin: memory stays bounded, and others are served. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findFreePort } from '../free-port.ts';
import { roundsOf, skipUnlessAll } from '../random.ts';
import { runAttack } from './attack.ts';
import type { Attacks } from './attacker.ts';
import type { Target } from './attacks.ts';
import { assertWithin } from './bounds.ts';
import { measureHttp3Others } from './others.ts';
import type { QuicShape } from './quic-attacks.ts';
import { residentMb, startService } from './service-process.ts';

const skip = process.platform === 'linux' ? false : 'needs Linux';
const shapes: readonly QuicShape[] = ['unfinished', 'resets', 'unread'];
/**
 * Permitted CPU time of both processes, in yardsticks, before the response to 99 of 100 requests of others: 500 ms on a machine that takes
 * 16 ms for one. A new connection takes four rounds.
 */
const mostOfOthers = 30;
const maxPeakMb = 150;

type QuicAttack = 'floodStreams' | 'floodDatagrams';

/** Attacks a service of its own beside other clients over HTTP/3, and checks what every attack has in common. */
async function withstand<Name extends QuicAttack>(
  context: TestContext,
  name: Name,
  attack: Omit<Parameters<Attacks[Name]>[0], keyof Target | 'port'>,
  mostMb = maxPeakMb,
) {
  const port = await findFreePort();
  const service = await startService({ HTTP3_PORT: `${port}`, HOST: '127.0.0.1' });
  context.after(() => service.stop());
  const http3Pid = service.http3Pid();
  let warmUps = 0;
  const pids = [service.pid, http3Pid];
  await measureHttp3Others(port, pids, () => {
    warmUps += 1;
    return warmUps > 20;
  });
  const startMb = residentMb(http3Pid);
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(http3Pid) - startMb);
  }, 20);
  const { yardstick: before } = await service.usage();
  let isOver = false;
  const begun = Promise.withResolvers<void>();
  const measured = begun.promise.then(() => measureHttp3Others(port, pids, () => isOver));
  const result = await runAttack(service, name, { port, ...attack } as never, begun.resolve);
  isOver = true;
  const others = await measured;
  clearInterval(watch);
  const { yardstick } = await service.usage();
  context.diagnostic(`${JSON.stringify(result)}; others p50 ${others.p50Ms.toFixed(1)} ms of ${others.count}`);
  assert.equal(others.failures, 0);
  assertWithin(context, { name: 'memory of the process for QUIC', value: peakMb, most: mostMb, unit: 'MB' });
  const value = others.p99Ms / Math.max(before.mostMs, yardstick.mostMs);
  assertWithin(context, { name: "others' p99", value, most: mostOfOthers, unit: 'yardsticks' });
  return result;
}

const rows = [...shapes.map((shape) => [shape]), shapes];

for (const names of rows)
  for (const addresses of names === shapes ? [1, 20] : [20])
    test(`streams: ${names.join(', ')}, on connections of ${addresses === 1 ? 'one address' : `${addresses} addresses`}`, {
      skip: skip || (names === shapes && addresses > 1 ? false : skipUnlessAll),
    }, async (context) => {
      const connections = roundsOf(100, 0.6);
      const attack = { shapes: names, connections, addresses, durationMs: 4_000 };
      const { streams } = await withstand(context, 'floodStreams', attack);
      assert.ok(streams > 1_000);
    });

test('first packets of clients whose addresses are forged, with valid ClientHellos', { skip }, async (context) => {
  const attack = { kind: 'hellos', perSecond: 500, durationMs: 3_000 } as const;
  const { sentBytes, receivedBytes } = await withstand(context, 'floodDatagrams', attack, 40);
  const value = receivedBytes / sentBytes;
  assertWithin(context, { name: 'bytes sent for each received', value, most: 0.2, unit: 'bytes' });
});
