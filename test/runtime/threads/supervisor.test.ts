/** A supervised thread whose last report and end arrive together counts once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { ReportOf } from '../../../src/runtime/program/host.ts';
import type { ProgramEvents } from '../../../src/runtime/program/start.ts';
import type { WorkerReport } from '../../../src/runtime/threads/serving.ts';
import { SupervisedThread } from '../../../src/runtime/threads/supervisor.ts';
import { ThreadMetrics } from '../../../src/runtime/threads/thread-metrics.ts';

test('a thread that ends with its report is counted once', async () => {
  const metrics = new ThreadMetrics();
  let counted = 0;
  let isEnding = false;
  // Node hands over the messages of a thread that has ended in the same tick as its end.
  const start = ({ onReport, onEnd }: ProgramEvents<ReportOf<WorkerReport>>) => {
    queueMicrotask(() => onReport({ kind: 'listening', urls: { http: null, https: null } }));
    return {
      send(request: { readonly kind: string; readonly id?: number }) {
        if (request.kind !== 'metrics') return;
        const values = [{ value: counted, labels: {} }];
        onReport({ kind: 'metrics', metrics: [[{ name: 'requests_total', type: 'counter', values }]] });
        onReport({ kind: 'reply', id: request.id ?? 0 });
        if (isEnding) onEnd('exit code 1');
      },
      kill: () => onEnd('killed'),
    };
  };
  const logs = { log() {}, notice() {} };
  const thread = new SupervisedThread(1, { bounds, logs, start, metrics, onEnd() {} });
  await thread.host.open();
  const read = async (): Promise<number> => {
    await thread.call({ kind: 'metrics' });
    const lists = metrics.all().flat();
    return lists.flatMap(({ values }) => values).reduce((sum, { value }) => sum + value, 0);
  };
  counted = 3;
  assert.equal(await read(), 3);
  thread.host.letEnd();
  counted = 5;
  isEnding = true;
  assert.equal(await read(), 5);
  await thread.host.close();
  assert.equal(metrics.all().flat().length, 1, 'its counts are those of ended threads');
});
