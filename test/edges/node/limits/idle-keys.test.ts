/** The tables of the rate limits stay small, whatever the number of requests and addresses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRateTable } from '../../../../src/edges/node/limits/rate-table.ts';
import { createTokenBuckets } from '../../../../src/edges/node/limits/token-buckets.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const maxKeys = 65_536;
const windowMs = 1000;

const createTables = () => {
  const table = createRateTable(60, windowMs, maxKeys);
  const buckets = createTokenBuckets(1000, 1000, maxKeys);
  return {
    'rate table': { use: (key: string, nowMs: number) => table.consume(key, nowMs), size: table.size },
    'token buckets': { use: (key: string, nowMs: number) => buckets.take(key, nowMs), size: buckets.size },
  };
};

for (const [name, { use, size }] of Object.entries(createTables()))
  describe(name, () => {
    test('needs no more memory after 500,000 requests of few clients', () => {
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      for (let at = 0; at < 500_000; at += 1) use(`client ${at % 10}`, at * windowMs);
      collectGarbage();
      const grownMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
      assert.ok(grownMb < 5, `${grownMb.toFixed(0)} MB`);
      assert.equal(size(), 10);
    });

    test('keeps the latest of 200,000 clients', () => {
      for (let at = 0; at < 200_000; at += 1) use(`address ${at}`, at);
      assert.ok(size() <= maxKeys && size() > maxKeys * 0.95, String(size()));
    });
  });
