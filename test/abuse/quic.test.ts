/** HTTP/3 clients that open as many streams as the server permits, and get nothing done: memory stays bounded, and others are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf, skipUnlessAll } from '../random.ts';
import { runAttack } from './attack.ts';
import { assertWithin } from './bounds.ts';
import { freeUdpPort } from './datagram-attacks.ts';
import { measureHttp3Others } from './others.ts';
import type { QuicShape } from './quic-attacks.ts';
import { residentMb, startService } from './service-process.ts';

const needsLinux = process.platform === 'linux' ? false : 'needs Linux';
const shapes: readonly QuicShape[] = ['unfinished', 'resets', 'unread'];
/**
 * Permitted CPU time of both processes, in yardsticks, before the response to 99 of 100 requests of others: 500 ms on a machine that takes
 * 16 ms for one. A new connection takes four rounds.
 */
const mostOfOthers = 30;
const maxPeakMb = 150;

const rows = [...shapes.map((shape) => [shape]), shapes];

for (const names of rows)
  for (const addresses of [1, 20])
    test(`streams: ${names.join(', ')}, on connections of ${addresses === 1 ? 'one address' : `${addresses} addresses`}`, {
      skip: needsLinux || (names === shapes && addresses > 1 ? false : skipUnlessAll),
    }, async (context) => {
      const port = await freeUdpPort();
      const service = await startService({ HTTP3_PORT: `${port}`, HOST: '127.0.0.1' });
      context.after(() => service.stop());
      const http3Pid = service.http3Pid();
      const startMb = residentMb(http3Pid);
      let peakMb = 0;
      const watch = setInterval(() => {
        peakMb = Math.max(peakMb, residentMb(http3Pid) - startMb);
      }, 20);
      let warmUps = 0;
      const pids = [service.pid, http3Pid];
      await measureHttp3Others(port, pids, () => {
        warmUps += 1;
        return warmUps > 20;
      });
      const { yardstick: before } = await service.usage();
      let isOver = false;
      const measured = measureHttp3Others(port, pids, () => isOver);
      const attack = {
        port,
        shapes: names,
        connections: roundsOf(100, 0.6),
        addresses,
        durationMs: roundsOf(8_000, 0.5),
      };
      const result = await runAttack(service, 'floodStreams', attack);
      isOver = true;
      const others = await measured;
      clearInterval(watch);
      const { yardstick } = await service.usage();
      context.diagnostic(`${JSON.stringify(result)}; others p50 ${others.p50Ms.toFixed(1)} ms of ${others.count}`);
      assert.equal(others.failures, 0);
      assert.ok(result.streams > 1_000);
      assertWithin(context, { name: 'memory of the process for QUIC', value: peakMb, most: maxPeakMb, unit: 'MB' });
      const value = others.p99Ms / Math.max(before.mostMs, yardstick.mostMs);
      assertWithin(context, { name: "others' p99", value, most: mostOfOthers, unit: 'yardsticks' });
    });
