/** Frames that cost HTTP/2's parser more than their bytes: iterations stay short, and other clients are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { withstand } from './bounds.ts';

const rows = [
  ['600 requests and resets in a write each, on 25 connections', 'resets', 25, 600],
  ['2,000 headers without a name in each request, on 5 connections', 'emptyNames', 5, 2_000],
  ['DATA frames of one byte, on 10 connections', 'data', 10, 1_000_000],
  ['12,000 references to one header of 3.9 KB in each request, on 10 connections', 'references', 10, 500],
] as const;

for (const [name, shape, connections, frames] of rows)
  test(name, (context) =>
    withstand(
      context,
      {
        name: 'sendFrames',
        bounds: { stallTimeoutMs: 1_500 },
        attack: { shapes: [shape], connections, frames, holdMs: 50_000 },
      },
      ({ result }) => {
        context.diagnostic(`${result[shape]?.sent} frames`);
        assert.equal(result[shape]?.open, 0, 'the service closes connections that get nothing done');
      },
    ),
  );

// No bound counts what the parser rejects: its cost is bounded by the bytes of a read, and by the number of headers that it collects.
for (const [name, shape] of [
  ['12,000 references to one header of 3.9 KB in each request', 'references'],
  ['as few headers in each request as the parser rejects', 'rejectedHeaders'],
  ['500 headers in each request', 'manyHeaders'],
  ['500 new table entries in each request', 'newEntries'],
  ['500 headers in the trailers of each request', 'manyTrailers'],
  ['1,000 headers in the trailers of each request, 11 KB', 'trailers'],
] as const)
  test(`${name}, on 10 connections that are opened again when they are closed`, (context) =>
    withstand(context, {
      name: 'sendFrames',
      attack: { shapes: [shape], connections: 10, frames: 5_000, holdMs: 1_500, isReopened: true },
    }));

test('99 requests with 500 headers each and without a body, on 20 connections', (context) =>
  withstand(
    context,
    { name: 'sendFrames', attack: { shapes: ['heldHeaders'], connections: 20, frames: 99, holdMs: 3_000 } },
    async ({ service }) => {
      assert.ok((await service.metric('seenby_rejections_total{reason="held_headers"}')) > 0);
    },
  ));

test('99 requests with 2,600 headers each and without a body, on 20 connections', (context) =>
  withstand(context, {
    name: 'sendFrames',
    attack: { shapes: ['rejectedHeldHeaders'], connections: 20, frames: 99, holdMs: 2_000 },
  }));

test('memory that headers took is returned to the system', (context) =>
  withstand(
    context,
    {
      bounds: { releaseMemoryMs: 500, releasePauseMs: 500, releaseGrowthBytes: 1_048_576 },
      name: 'sendFrames',
      attack: { shapes: ['manyNewTrailers'], connections: 10, frames: 2_000, holdMs: 3_000 },
    },
    async ({ service }) => {
      const keptMb = 0.9 * service.peakMb();
      const deadline = performance.now() + 20_000;
      while (service.growthMb() > keptMb && performance.now() < deadline) await delay(50);
      context.diagnostic(`+${service.growthMb().toFixed(0)} MB`);
      assert.ok(service.growthMb() <= keptMb, `${service.growthMb()} MB of ${service.peakMb()} are kept`);
    },
  ));
