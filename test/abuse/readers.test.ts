/** Readers that stall are closed, whatever else they send; slow readers are not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withstand } from './bounds.ts';

/** The rule with a shorter time: a client must accept as many bytes, in 3 s instead of 20 s. */
const stallTimeoutMs = 3_000;
/** Without its limit, the worst case: a client above it gets a short error. */
const settings = { RATE_LIMIT_DOCUMENTS: '0' };
/** An attack ends earlier when all of its connections are closed; a busy machine takes this long. */
const holdMs = 25_000;

function assertClosed(closedMs: readonly (number | null)[]): void {
  assert.ok(
    closedMs.every((each) => each !== null),
    JSON.stringify(closedMs),
  );
}

test('closes 60 HTTP/2 connections with a zero window and 40 streams each, kept alive by PING', (context) =>
  withstand(
    context,
    {
      settings,
      bounds: { stallTimeoutMs },
      name: 'openStreams',
      attack: {
        path: '/docs',
        coding: '',
        connections: 60,
        streams: 40,
        windowBytes: 0,
        holdMs,
        pingMs: 500,
      },
    },
    async ({ service, result }) => {
      const { closedMs } = result;
      assertClosed(closedMs);
      const closed = (reason: string) => service.metric(`seenby_rejections_total{reason="${reason}"}`);
      const [forBytes, stalled] = await Promise.all([closed('unsent_bytes'), closed('stalled_reader')]);
      // Those above the bound on the bytes for all readers close before the time limit, the others by it; each connection is rejected once.
      assert.ok(forBytes > 0 && stalled > 0 && forBytes + stalled <= closedMs.length, `${forBytes}, ${stalled}`);
      assert.ok(closedMs.filter((each) => each !== null && each < stallTimeoutMs - 500).length <= forBytes);
    },
  ));

test('closes HTTP/1 connections that read one byte per second', (context) =>
  withstand(
    context,
    {
      settings,
      bounds: { stallTimeoutMs },
      name: 'readSlowly',
      attack: { path: '/docs', requests: 300, connections: 3, bytesPerSecond: 1, holdMs },
    },
    ({ result }) => assertClosed(result.closedMs),
  ));

// 4 KB in 3 s is the least; at 1 KB per second, a client accepts five times the least of 20 s.
for (const [bytesPerSecond, isOpen] of [
  [4_096, true],
  [512, false],
] as const)
  test(`${isOpen ? 'serves' : 'closes'} an HTTP/2 client that accepts ${bytesPerSecond} bytes per second`, (context) =>
    withstand(
      context,
      {
        settings,
        bounds: { stallTimeoutMs },
        name: 'acceptSlowly',
        attack: { path: '/docs', bytesPerSecond, holdMs: isOpen ? 7_000 : holdMs },
      },
      ({ result }) => {
        assert.equal(result.isOpen, isOpen);
        assert.ok(!isOpen || result.receivedBytes > 16_384, String(result.receivedBytes));
      },
    ));

test('closes HTTP/2 connections with a zero window for what their responses hold besides their bodies', (context) =>
  withstand(
    context,
    {
      settings: { CONNECTION_RATE: '0' },
      // A quarter of the usual ones, so that a slow machine reaches them in time.
      bounds: { maxSendBufferBytes: 8_388_608, maxWaitingRequests: 512 },
      name: 'openStreams',
      // Bodies of 10 bytes: only what responses and requests hold besides them reaches a bound.
      attack: { path: '/ip', coding: '', connections: 256, streams: 100, windowBytes: 0, holdMs: 10_000 },
    },
    async ({ service }) => {
      const closed = (reason: string) => service.metric(`seenby_rejections_total{reason="${reason}"}`);
      const [forBytes, waiting] = await Promise.all([closed('unsent_bytes'), closed('waiting_requests')]);
      assert.ok(forBytes > 0 && waiting > 0, `${forBytes}, ${waiting}`);
    },
  ));
