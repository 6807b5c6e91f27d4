/** A worker thread, as its supervisor sees it. */
import { once } from 'node:events';
import { extname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel, Worker } from 'node:worker_threads';
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { ServingUrls, ThreadStart, WorkerCall, WorkerMessage, WorkerRequest } from './serving.ts';

export interface WorkerThread {
  /** Rejects with an Error that names the invalid setting if the thread cannot start. */
  readonly listening: Promise<ServingUrls>;
  /** Resolves with a reason that contains no request data. */
  readonly ended: Promise<string>;
  /** Resolves with the result, undefined if the thread has ended or does not respond in time. */
  call(call: WorkerCall, timeoutMs?: number): Promise<unknown>;
  terminate(): Promise<unknown>;
}

const program = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

// As --max-old-space-size and the machine's memory limit the main thread; otherwise a thread could grow to 4 GB.
const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(getHeapStatistics().heap_size_limit / 2 ** 20) };

/** Starts a thread; `logs` receive its lines. */
export function startWorker(start: ThreadStart, logs: Readonly<Record<'log' | 'notice', Log>>): WorkerThread {
  const worker = new Worker(program, { workerData: start, name: `seenby ${start.thread}`, resourceLimits });
  const listening = Promise.withResolvers<ServingUrls>();
  // Nobody awaits a replacement's startup; its end is enough.
  listening.promise.catch(() => {});
  let failure: string | null = null;
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'listening') listening.resolve(message.urls);
    else logs[message.kind](...message.args);
  });
  worker.on('error', (error) => {
    failure = failureOf(error);
    listening.reject(error);
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  worker.on('exit', (code) => {
    const reason = failure ?? `exit code ${code}`;
    listening.reject(new Error(`a thread could not start: ${reason}`));
    end(reason);
  });
  return {
    listening: listening.promise,
    ended,
    async call(call, timeoutMs) {
      const { port1, port2 } = new MessageChannel();
      const options = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
      const replied = once(port2, 'message', options).catch(() => []);
      // Does nothing after the end.
      worker.postMessage({ call, port: port1 } satisfies WorkerRequest, [port1]);
      const [reply] = await Promise.race([replied, ended.then(() => [])]);
      port2.close();
      return reply;
    },
    terminate: () => worker.terminate(),
  };
}
