/** Floods of datagrams to the port of HTTP/3 cost its process CPU time, and the other protocols nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFreePort } from '../free-port.ts';
import { roundsOf } from '../random.ts';
import { withstand } from './bounds.ts';
import type { DatagramKind } from './datagram-attacks.ts';

const skip = process.platform === 'linux' ? false : 'needs Linux';
const kinds: readonly DatagramKind[] = ['garbage', 'initials', 'tokens', 'unknownVersions'];

for (const kind of kinds)
  test(`20,000 datagrams a second: ${kind}`, { skip }, async (context) => {
    const port = await findFreePort();
    await withstand(
      context,
      {
        settings: { HTTP3_PORT: `${port}`, HOST: '127.0.0.1' },
        name: 'floodDatagrams',
        attack: { port, kind, perSecond: 20_000, durationMs: roundsOf(5_000, 0.3) },
      },
      ({ service, result }) => {
        // Spoofed senders must not make it an amplifier (RFC 9000 §8.1).
        assert.ok(result.receivedBytes < result.sentBytes / 10, JSON.stringify(result));
        assert.ok(!service.lines.some((line) => line.includes('HTTP/3 ended')), service.lines.join('\n'));
      },
    );
  });
