/** The program of a worker thread: serves requests until the supervisor closes it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../../core/log.ts';
import type { DatabaseKind, NamedFiles } from '../../edges/node/geoip/geoip.ts';
import { hideFfiWarning } from '../../native/ffi.ts';
import type { ThreadStart, ThreadUpdate, WorkerMessage, WorkerRequest } from './serving.ts';
import './disposable-stack.ts';

const port = parentPort;
if (port === null) throw new Error('only a supervisor starts this program');
hideFfiWarning();
const send = (message: WorkerMessage): void => port.postMessage(message);
const start = workerData as ThreadStart;

// Loaded after the polyfill, and after warnings are hidden.
const [{ serveInThread }, { openGeoip }, { createMetrics }, { collectGarbage }] = await Promise.all([
  import('../serving-thread.ts'),
  import('../../edges/node/geoip/geoip.ts'),
  import('../metrics/metrics.ts'),
  import('../../native/garbage.ts'),
]);

// The object itself, because workerData lives as long as the thread and would keep a replaced database.
const databases = start.databases as Record<DatabaseKind, NamedFiles | null>;
const geoip = await openGeoip((kind) => databases[kind]);
const metrics = start.isMetered ? createMetrics('thread') : null;
const log: Log = (...args) => send({ kind: 'log', args });
const notice: Log = (...args) => send({ kind: 'notice', args });
const serving = await serveInThread(start, { geoip, metrics, log, notice, wrap: (app) => app });

const update = async (change: ThreadUpdate): Promise<void> => {
  if (change.kind === 'database') {
    databases[change.database] = change.files;
    await geoip.reload(change.database);
    collectGarbage();
  }
  await serving.update(change);
};
port.on('message', async ({ call, port: caller }: WorkerRequest) => {
  caller.postMessage(call.member === 'update' ? await update(call.update) : await serving[call.member]());
});
send({ kind: 'listening', urls: serving.urls });
