/** Floods of datagrams to the DNS server cost its thread CPU time, and HTTP nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipUnlessAll } from '../random.ts';
import { withstand } from './bounds.ts';
import { floodedZone, freeUdpPort } from './datagram-attacks.ts';

const skip = process.platform === 'linux' ? skipUnlessAll : 'needs Linux';
const perSecond = 100_000;
const maxPeakMb = 50;

for (const [name, kind, limit] of [
  ['queries', 'dnsQueries', '0'],
  ['queries of one network, above its rate', 'dnsQueries', '300'],
  ['garbage', 'garbage', '0'],
  ['responses', 'dnsResponses', '0'],
] as const)
  test(`100,000 datagrams a second: ${name}`, { skip }, async (context) => {
    const port = await freeUdpPort();
    await withstand(
      context,
      {
        settings: {
          DNS_ZONE: floodedZone,
          DNS_PORT: `${port}`,
          DNS_HOST: '127.0.0.1',
          DNS_NAME_SERVERS: 'ns.seen.example',
          DNS_ADDRESSES: '192.0.2.1',
          RATE_LIMIT_DNS: limit,
        },
        name: 'floodDatagrams',
        maxPeakMb,
        attack: { port, kind, perSecond, durationMs: 5_000 },
      },
      ({ result, usage }) => {
        const { sent, sentBytes, received, receivedBytes } = result;
        context.diagnostic(
          `${sent} datagrams, ${received} responses; ${((1_000 * usage.cpuMs) / sent).toFixed(1)} µs of CPU each`,
        );
        assert.ok(receivedBytes <= 6 * sentBytes, JSON.stringify(result));
        if (kind === 'dnsResponses') assert.equal(received, 0);
        else assert.ok(received > 0);
        // Whole ones and short ones, in each second that has begun.
        if (limit !== '0') assert.ok(received <= 4 * Number(limit) * (2 + sent / perSecond), JSON.stringify(result));
      },
    );
  });
