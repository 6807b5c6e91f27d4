/** Frames that cost HTTP/2's parser more than their bytes: iterations stay short, and other clients are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxTurnMs, withstand } from './bounds.ts';

const rows = [
  ['600 requests and resets in a write each, on 25 connections', 'resets', 25, 600],
  ['2,000 headers without a name in each request, on 10 connections', 'emptyNames', 10, 2_000],
  ['trailers of 11 KB, on 10 connections', 'trailers', 10, 2_000],
  ['DATA frames of one byte, on 10 connections', 'data', 10, 20_000],
  ['12,000 references to one header of 3.9 KB in each request, on 10 connections', 'references', 10, 500],
  ['1,000 new table entries in each request, on 10 connections', 'newEntries', 10, 1_000],
] as const;

for (const [name, shape, connections, frames] of rows)
  test(name, (context) =>
    withstand(
      context,
      { name: 'sendFrames', attack: { shape, connections, frames, holdMs: 4_000 } },
      ({ result, usage }) => {
        context.diagnostic(`${result.sent} frames`);
        assert.ok(usage.longestTurnMs <= maxTurnMs, `an iteration of ${usage.longestTurnMs} ms`);
      },
    ),
  );
