/** The program of a worker thread: serves requests until the supervisor closes it. */
import { parentPort, workerData } from 'node:worker_threads';
import { startFailureOf } from '../../core/errors.ts';
import type { ReportOf, RequestOf } from '../program/host.ts';
import { createLogs } from '../program/logs.ts';
import type { ThreadStart, WorkerReport, WorkerRequest } from './serving.ts';
import type { ThreadMetric } from './thread-metrics.ts';

const port = parentPort;
if (port === null) throw new Error('only a supervisor starts this program');
const report = (message: ReportOf<WorkerReport>): void => port.postMessage(message);
const start = workerData as ThreadStart;
const logs = createLogs(report);

if (!('AsyncDisposableStack' in globalThis)) await import('./disposable-stack.ts');
// Loaded after the polyfill, and after warnings are hidden.
const { serveInThread } = await import('../serving-thread.ts');
const metrics = start.isMetered ? (await import('../metrics.ts')).createMetrics('thread') : null;
const serving = await serveInThread(start, { ...logs, metrics, wrap: (app) => app }).catch((error: unknown) => {
  report({ kind: 'failed', reason: startFailureOf(error) });
  process.exit(1);
});

port.on('message', async (request: RequestOf<WorkerRequest>) => {
  if (request.kind === 'ping') report({ kind: 'pong' });
  else if (request.kind === 'close') {
    await serving.close();
    process.exit();
  } else {
    if (request.kind === 'update') await serving.update(request.update);
    else report({ kind: 'metrics', metrics: (await serving.metrics()) as ThreadMetric[][] });
    report({ kind: 'reply', id: request.id });
  }
});
report({ kind: 'listening', urls: serving.urls });
