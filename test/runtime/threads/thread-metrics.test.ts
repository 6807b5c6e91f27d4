/** The metrics of several threads, merged: counters do not decrease when a thread ends or does not respond in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AggregatorRegistry } from 'prom-client';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import { type ThreadMetric, ThreadMetrics } from '../../../src/runtime/threads/thread-metrics.ts';

/** A thread that has counted so many requests, and has an open connection for each. */
function startThread(requests: number) {
  const metrics = createMetrics('thread');
  for (let each = 0; each < requests; each += 1) {
    metrics.count('/ip', 200);
    metrics.observeDuration('/ip', performance.now());
  }
  metrics.watch('seenby_connections_accepted_total', () => requests);
  metrics.watch('seenby_outbound_requests', () => requests);
  return async () => (await metrics.registry.getMetricsAsJSON()) as unknown as readonly ThreadMetric[];
}

test('counters and histograms keep the counts of threads that have ended; gauges do not', async () => {
  const all = new ThreadMetrics();
  const rows = async (): Promise<string[]> => {
    const text = await AggregatorRegistry.aggregate(all.all().map((each) => [...each])).metrics();
    const isCounted =
      /^seenby_(requests|connections_accepted|outbound_requests|request_duration_seconds_(count|bucket.*Inf))/;
    return text.split('\n').filter((row) => isCounted.test(row));
  };
  const expected = (counted: number, open: number): string[] => [
    `seenby_requests_total{endpoint="/ip",status="200"} ${counted}`,
    `seenby_request_duration_seconds_bucket{le="+Inf",endpoint="/ip"} ${counted}`,
    `seenby_request_duration_seconds_count{endpoint="/ip"} ${counted}`,
    `seenby_connections_accepted_total ${counted}`,
    `seenby_outbound_requests ${open}`,
  ];
  const first = startThread(3);
  all.set(1, await first());
  all.set(2, await startThread(5)());
  assert.deepEqual((await rows()).toSorted(), expected(8, 8).toSorted());
  all.end(2);
  assert.deepEqual((await rows()).toSorted(), expected(8, 3).toSorted());
  all.set(2, await startThread(1)());
  assert.deepEqual((await rows()).toSorted(), expected(9, 4).toSorted());
  all.end(2);
  // A thread that has reported nothing.
  all.end(3);
  all.set(2, await startThread(2)());
  assert.deepEqual((await rows()).toSorted(), expected(11, 5).toSorted());
});
