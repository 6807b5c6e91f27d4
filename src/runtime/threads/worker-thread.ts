/** A worker thread, as its supervisor sees it. */
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { WorkerMessage, WorkerReply, WorkerRequest, WorkerStart } from './messages.ts';
import type { ServingUrls } from './serving.ts';

export interface WorkerThread {
  /** Rejects with an Error that names the invalid setting if the thread cannot start. */
  readonly listening: Promise<ServingUrls>;
  /** Resolves with a reason that contains no request data. */
  readonly ended: Promise<string>;
  /** Null if the thread has ended. */
  request(request: WorkerRequest): Promise<WorkerReply>;
  terminate(): Promise<unknown>;
}

const program = new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

// As --max-old-space-size and the machine's memory limit the main thread; otherwise a thread could grow to 4 GB.
const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(getHeapStatistics().heap_size_limit / 2 ** 20) };

export function startWorker(start: WorkerStart, log: Log, notice: Log): WorkerThread {
  const worker = new Worker(program, { workerData: start, name: `seenby ${start.thread}`, resourceLimits });
  const listening = Promise.withResolvers<ServingUrls>();
  const ended = Promise.withResolvers<string>();
  // A replacement that cannot start has only to end.
  listening.promise.catch(() => {});
  const pending = new Map<number, (reply: WorkerReply) => void>();
  let requests = 0;
  let failure: string | null = null;
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'log') log(...message.args);
    else if (message.kind === 'notice') notice(...message.args);
    else if (message.kind === 'listening') listening.resolve(message.urls);
    else if (message.kind === 'failed') {
      failure = 'it could not listen';
      listening.reject(new Error(message.message));
      void worker.terminate();
    } else {
      pending.get(message.id)?.(message.reply);
      pending.delete(message.id);
    }
  });
  worker.on('error', (error) => {
    failure = failureOf(error);
  });
  worker.on('exit', (code) => {
    const reason = failure ?? `exit code ${code}`;
    listening.reject(new Error(`a thread could not start: ${reason}`));
    for (const resolve of pending.values()) resolve(null);
    pending.clear();
    ended.resolve(reason);
  });
  return {
    listening: listening.promise,
    ended: ended.promise,
    request(request) {
      const { promise, resolve } = Promise.withResolvers<WorkerReply>();
      requests += 1;
      pending.set(requests, resolve);
      // Does nothing after the end.
      worker.postMessage({ id: requests, request });
      return Promise.race([promise, ended.promise.then(() => null)]);
    },
    terminate: () => worker.terminate(),
  };
}
