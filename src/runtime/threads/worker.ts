/** The program of a worker thread: serves requests until the supervisor closes it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../../core/log.ts';
import type { DatabaseKind, NamedFiles } from '../../edges/node/geoip/geoip.ts';
import { hideFfiWarning } from '../../native/ffi.ts';
import type { WorkerMessage, WorkerReply, WorkerRequest, WorkerStart } from './messages.ts';
import './disposable-stack.ts';

const port = parentPort;
if (port === null) throw new Error('only a supervisor starts this program');
hideFfiWarning();
const send = (message: WorkerMessage): void => port.postMessage(message);
const { isMetered, ...start } = workerData as WorkerStart;

// Loaded after the polyfill, and after warnings are hidden.
const [{ serveInThread }, { openGeoip }, { createMetrics }, { collectGarbage }] = await Promise.all([
  import('../serving-thread.ts'),
  import('../../edges/node/geoip/geoip.ts'),
  import('../metrics/metrics.ts'),
  import('../../native/garbage.ts'),
]);

// The object itself, because workerData lives as long as the thread and would keep a replaced database.
const databases: Record<DatabaseKind, NamedFiles | null> = start.databases;
const geoip = await openGeoip((kind) => databases[kind]);
const metrics = isMetered ? createMetrics('thread') : null;
const log: Log = (...args) => send({ kind: 'log', args });
const notice: Log = (...args) => send({ kind: 'notice', args });

try {
  const serving = await serveInThread(start, { geoip, metrics, log, notice, wrap: (app) => app });
  const handle = async (request: WorkerRequest): Promise<WorkerReply> => {
    if (request.kind === 'metrics') return serving.metrics();
    if (request.kind === 'close') {
      await serving.close();
      return null;
    }
    if (request.kind === 'ping') return null;
    const { update } = request;
    if (update.kind === 'database') {
      databases[update.database] = update.files;
      await geoip.reload(update.database);
      collectGarbage();
    }
    await serving.update(update);
    return null;
  };
  port.on('message', async ({ id, request }: { id: number; request: WorkerRequest }) => {
    send({ kind: 'reply', id, reply: await handle(request) });
  });
  send({ kind: 'listening', urls: serving.urls });
} catch (error) {
  // Of a setting: the supervisor reports it as its own.
  send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
