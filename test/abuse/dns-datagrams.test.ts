/** Floods of datagrams to the servers of DNS and STUN cost their thread CPU time, and HTTP and HTTP/3 nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFreePort } from '../free-port.ts';
import { skipUnlessAll } from '../random.ts';
import { runAttack } from './attack.ts';
import { assertWithin, withstand } from './bounds.ts';
import { type DatagramKind, floodedZone } from './datagram-attacks.ts';
import { measureHttp3Others } from './others.ts';
import { startService } from './service-process.ts';

const skip = process.platform === 'linux' ? skipUnlessAll : 'needs Linux';
const perSecond = 100_000;
const durationMs = 2_000;
const maxPeakMb = 50;
/** In yardsticks, as for clients of HTTP/3 under its own floods. */
const mostOfHttp3Others = 30;

const dnsOn = (port: number, limit: string) => ({
  DNS_ZONE: floodedZone,
  DNS_PORT: `${port}`,
  DNS_HOST: '127.0.0.1',
  DNS_NAME_SERVERS: 'ns.seen.example',
  DNS_ADDRESSES: '192.0.2.1',
  RATE_LIMIT_DNS: limit,
});
const stunOn = (port: number, limit: string) => ({
  HOST: '127.0.0.1',
  STUN_PORT: `${port}`,
  RATE_LIMIT_STUN: limit,
});

interface Flood {
  readonly name: string;
  readonly kind: DatagramKind;
  readonly settings: typeof dnsOn | typeof stunOn;
  readonly limit: string;
  /** Bytes of responses in those of the datagrams. */
  readonly maxAmplification: number;
  /** Responses per second that the limit permits to all senders; null: none may be missing altogether. */
  readonly maxPerSecond: number | null;
}

/** Datagrams of 50 addresses of one network (`addressOf`). */
const floods: readonly Flood[] = [
  { name: 'queries', kind: 'dnsQueries', settings: dnsOn, limit: '0', maxAmplification: 6, maxPerSecond: null },
  // Whole ones, then short ones, and above four times the rate one for four queries.
  {
    name: 'queries of one network, above its rate',
    kind: 'dnsQueries',
    settings: dnsOn,
    limit: '300',
    maxAmplification: 0.5,
    maxPerSecond: 4 * 300 + perSecond / 4,
  },
  { name: 'garbage', kind: 'garbage', settings: dnsOn, limit: '0', maxAmplification: 1, maxPerSecond: null },
  { name: 'responses', kind: 'dnsResponses', settings: dnsOn, limit: '0', maxAmplification: 0, maxPerSecond: 0 },
  {
    name: 'STUN requests',
    kind: 'stunRequests',
    settings: stunOn,
    limit: '0',
    maxAmplification: 2.3,
    maxPerSecond: null,
  },
  {
    name: 'STUN requests above the rate of each address',
    kind: 'stunRequests',
    settings: stunOn,
    limit: '20',
    maxAmplification: 2.3,
    maxPerSecond: 50 * 20,
  },
  { name: 'garbage to STUN', kind: 'garbage', settings: stunOn, limit: '0', maxAmplification: 0, maxPerSecond: 0 },
];

for (const { name, kind, settings, limit, maxAmplification, maxPerSecond } of floods)
  test(`100,000 datagrams a second: ${name}`, { skip }, async (context) => {
    const port = await findFreePort();
    await withstand(
      context,
      {
        settings: settings(port, limit),
        name: 'floodDatagrams',
        maxPeakMb,
        attack: { port, kind, perSecond, durationMs },
      },
      ({ result, usage }) => {
        const { sent, sentBytes, received, receivedBytes } = result;
        context.diagnostic(
          `${sent} datagrams, ${received} responses; ${((1_000 * usage.cpuMs) / sent).toFixed(1)} µs of CPU each`,
        );
        assert.ok(receivedBytes <= maxAmplification * sentBytes, JSON.stringify(result));
        if (maxPerSecond === null) assert.ok(received > 0);
        // In each second that has begun.
        else assert.ok(received <= maxPerSecond * (2 + sent / perSecond), JSON.stringify(result));
      },
    );
  });

test('100,000 queries a second, beside clients of HTTP/3', { skip }, async (context) => {
  const http3Port = await findFreePort();
  const port = await findFreePort();
  const service = await startService({ ...dnsOn(port, '0'), HOST: '127.0.0.1', HTTP3_PORT: `${http3Port}` });
  context.after(() => service.stop());
  const pids = [service.pid, service.http3Pid()];
  let warmUps = 0;
  await measureHttp3Others(http3Port, pids, () => {
    warmUps += 1;
    return warmUps > 20;
  });
  const { yardstick: before } = await service.usage();
  let isOver = false;
  const measured = measureHttp3Others(http3Port, pids, () => isOver);
  const result = await runAttack(service, 'floodDatagrams', { port, kind: 'dnsQueries', perSecond, durationMs });
  isOver = true;
  const others = await measured;
  const { yardstick } = await service.usage();
  context.diagnostic(`${result.sent} datagrams; others p50 ${others.p50Ms.toFixed(1)} ms of ${others.count}`);
  assert.equal(others.failures, 0);
  const value = others.p99Ms / Math.max(before.mostMs, yardstick.mostMs);
  assertWithin(context, { name: "others' p99", value, most: mostOfHttp3Others, unit: 'yardsticks' });
});
