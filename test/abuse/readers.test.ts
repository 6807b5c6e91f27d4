/** Readers that stall are closed, whatever else they send; slow readers are not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { withstand } from './bounds.ts';

/** The rule with a shorter time: a client must accept as many bytes, in 3 s instead of 20 s. */
const stallTimeoutMs = 3_000;
const latestMs = stallTimeoutMs + 2 * bounds.connectionCheckMs + 1_000;

/** One may close earlier: if the bytes for all readers exceed their limit, the reader without progress for the longest time is closed. */
function assertClosed(closedMs: readonly (number | null)[]): void {
  assert.ok(
    closedMs.every((each) => each !== null && each < latestMs),
    JSON.stringify(closedMs),
  );
  assert.ok(closedMs.filter((each) => each !== null && each > stallTimeoutMs - 500).length > closedMs.length / 2);
}

test('closes 60 HTTP/2 connections with a zero window and 40 streams each, kept alive by PING', (context) =>
  withstand(
    context,
    {
      bounds: { stallTimeoutMs },
      name: 'openStreams',
      attack: {
        ...{ path: '/docs', coding: '', connections: 60, streams: 40, windowBytes: 0 },
        ...{ holdMs: 12_000, pingMs: 500 },
      },
    },
    async ({ service, result }) => {
      assertClosed(result.closedMs);
      for (const reason of ['stalled_reader', 'unsent_bytes'])
        assert.ok((await service.metric(`seenby_rejections_total{reason="${reason}"}`)) > 0, reason);
    },
  ));

test('closes HTTP/1 connections that read one byte per second', (context) =>
  withstand(
    context,
    {
      bounds: { stallTimeoutMs },
      name: 'readSlowly',
      attack: { path: '/docs', requests: 300, connections: 3, bytesPerSecond: 1, holdMs: 14_000 },
    },
    ({ result }) => {
      assert.ok(
        result.closedMs.every((closedMs) => closedMs !== null),
        JSON.stringify(result.closedMs),
      );
    },
  ));

test('serves a page to an HTTP/2 client that accepts 1 KB per second, for as long as it reads', (context) =>
  withstand(
    context,
    {
      // 4 KB in 6 s is less than 1 KB per second.
      bounds: { stallTimeoutMs: 6_000 },
      name: 'acceptSlowly',
      attack: { path: '/docs', bytesPerSecond: 1_024, holdMs: 13_000 },
    },
    ({ result }) => {
      assert.equal(result.isOpen, true);
      assert.ok(result.receivedBytes > 10_000, String(result.receivedBytes));
    },
  ));
