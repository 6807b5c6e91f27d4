/** Frames that cost HTTP/2's parser more than their bytes: iterations stay short, and other clients are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxTurnMs, withstand } from './bounds.ts';

/** Requests with 1,000 headers leave strings outside of V8's heap, which it collects late: 160 MB on an idle machine. */
const peaksMb = { resets: 150, emptyNames: 150, data: 150, references: 150, trailers: 250, newEntries: 250 } as const;

const rows = [
  ['600 requests and resets in a write each, on 25 connections', 'resets', 25, 600],
  ['2,000 headers without a name in each request, on 10 connections', 'emptyNames', 10, 2_000],
  ['trailers of 11 KB, on 4 connections', 'trailers', 4, 2_000],
  ['DATA frames of one byte, on 10 connections', 'data', 10, 1_000_000],
  ['12,000 references to one header of 3.9 KB in each request, on 10 connections', 'references', 10, 500],
  ['1,000 new table entries in each request, on 4 connections', 'newEntries', 4, 1_000],
] as const;

for (const [name, shape, connections, frames] of rows)
  test(name, (context) =>
    withstand(
      context,
      {
        name: 'sendFrames',
        maxPeakMb: peaksMb[shape],
        bounds: { stallTimeoutMs: 3_000 },
        attack: { shapes: [shape], connections, frames, holdMs: 50_000 },
      },
      ({ result, usage }) => {
        context.diagnostic(`${result[shape]?.sent} frames`);
        assert.equal(result[shape]?.open, 0, 'the service closes connections that get nothing done');
        assert.ok(usage.longestTurnMs <= maxTurnMs, `an iteration of ${usage.longestTurnMs} ms`);
      },
    ),
  );
