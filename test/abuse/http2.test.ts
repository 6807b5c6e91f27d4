/** HTTP/2 floods and resets: memory stays bounded, and other clients are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { withstand } from './bounds.ts';

test('8 connections with 100 streams of a page each', (context) =>
  withstand(context, {
    settings: { RATE_LIMIT_DOCUMENTS: '0' },
    name: 'openStreams',
    attack: { path: '/docs', coding: 'br', connections: 8, streams: 100, windowBytes: 65_535, holdMs: 2_000 },
  }));

test('120 connections that open 100 streams each, and close, in the same instant', (context) =>
  withstand(context, { name: 'openStreamsTogether', attack: { connections: 120, holdMs: 700 } }, ({ result }) => {
    assert.equal(result.opened, 120);
  }));

// Two bounds limit the memory of one connection; each test is without one of them.
for (const alone of ['maxRequestsInFlight', 'maxConnectionSendBufferBytes'] as const)
  test(`20 connections with 100 streams of an uncompressed page each, without a window, with ${alone} alone`, (context) =>
    withstand(context, {
      settings: { RATE_LIMIT_GENERAL: '0', RATE_LIMIT_DOCUMENTS: '0' },
      // More than for both together; without either, several hundred.
      maxPeakMb: 220,
      bounds: {
        maxRequestsInFlight: 1_000,
        maxConnectionSendBufferBytes: 1_000_000_000,
        maxSendBufferBytes: 1_000_000_000,
        [alone]: bounds[alone],
      },
      name: 'openStreams',
      attack: { path: '/docs', coding: '', connections: 20, streams: 100, windowBytes: 0, holdMs: 1_500 },
    }));

for (const path of ['/json', '/docs'])
  test(`rapid reset of ${path} on 20 connections from 20 addresses, reopened when closed`, (context) =>
    withstand(
      context,
      {
        settings: { RATE_LIMIT_GENERAL: '0', RATE_LIMIT_DOCUMENTS: '0' },
        name: 'resetRapidly',
        attack: { path, coding: 'br', connections: 20, addresses: 20, leastOpened: 60, durationMs: 3_000 },
      },
      async ({ service, result }) => {
        assert.ok(result.opened >= 60, 'the service closes connections with too many resets');
        assert.ok((await service.metric('seenby_rejections_total{reason="reset_stream"}')) > 0);
      },
    ));

test('PING and WINDOW_UPDATE floods end the connection', (context) =>
  withstand(
    context,
    { name: 'sendUselessFrames', attack: { connections: 4, framesPerSecond: 20_000, holdMs: 25_000 } },
    async ({ service, result }) => {
      assert.ok(result.closedMs.every((closedMs) => closedMs !== null));
      assert.equal(await service.metric('seenby_rejections_total{reason="useless_frames"}'), 4);
    },
  ));
