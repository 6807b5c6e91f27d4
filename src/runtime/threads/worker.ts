/** The program of a worker thread: serves requests until the supervisor closes it. */
import { parentPort, workerData } from 'node:worker_threads';
import { createLogs } from '../program/logs.ts';
import type { ThreadStart, WorkerMessage, WorkerRequest } from './serving.ts';

const port = parentPort;
if (port === null) throw new Error('only a supervisor starts this program');
const send = (message: WorkerMessage): void => port.postMessage(message);
const start = workerData as ThreadStart;
const logs = createLogs(send);

if (!('AsyncDisposableStack' in globalThis)) await import('./disposable-stack.ts');
// Loaded after the polyfill, and after warnings are hidden.
const { serveInThread } = await import('../serving-thread.ts');
const metrics = start.isMetered ? (await import('../metrics.ts')).createMetrics('thread') : null;
const serving = await serveInThread(start, { ...logs, metrics, wrap: (app) => app });

port.on('message', async ({ call, port: caller }: WorkerRequest) => {
  caller.postMessage(call.member === 'update' ? await serving.update(call.update) : await serving[call.member]());
});
send({ kind: 'listening', urls: serving.urls });
