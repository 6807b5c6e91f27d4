/** Starts the worker threads, replaces those that end or hang, and passes changes to all of them. */
import { once } from 'node:events';
import { extname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel } from 'node:worker_threads';
import type { Log } from '../../core/log.ts';
import { collectGarbage, settleHeap } from '../../native/garbage.ts';
import { createNotices } from '../log.ts';
import { type Logs, startThread } from '../program/start.ts';
import { watchProgram } from '../program/watch.ts';
import type { Serving, ThreadStart, ThreadUpdate, WorkerCall, WorkerMessage, WorkerRequest } from './serving.ts';
import { type ThreadMetric, ThreadMetrics } from './thread-metrics.ts';

/** A thread that ends this many times within `threadFailingMs` will not recover. */
const maxEnds = 5;

/**
 * Starts a thread for each of `sharedMemory.threads`; all share the ports of the first. Throws an Error that names the invalid setting.
 * `onEnd` is called when a thread has ended, before it is replaced. A thread that ends for the fifth time in `threadFailingMs` ends the process.
 */
export async function superviseThreads(
  given: Omit<ThreadStart, 'thread'>,
  log: Log,
  onEnd: (thread: number) => void,
): Promise<Serving> {
  const logs = { log, notice: createNotices(log) };
  const workers = new Map<number, WorkerThread>();
  const metrics = new ThreadMetrics();
  let state: ThreadState = { start: given, updates: [] };
  let isClosing = false;

  const { threadTimeoutMs, threadFailingMs, threadMetricsMs } = given.bounds;
  const hung = new WeakSet<WorkerThread>();
  const launch = (thread: number): WorkerThread => {
    const worker = startWorker({ ...state.start, thread }, logs);
    workers.set(thread, worker);
    const ping = () => worker.call({ member: 'ping' });
    watchProgram({ ...worker, ping }, threadTimeoutMs, () => {
      hung.add(worker);
      void worker.terminate();
    });
    for (const update of state.updates) void worker.call({ member: 'update', update });
    return worker;
  };
  const callAll = (call: WorkerCall, timeoutMs?: number): Promise<unknown[]> =>
    Promise.all([...workers.values()].map((worker) => worker.call(call, timeoutMs)));
  const terminateAll = (): Promise<unknown> => Promise.all([...workers.values()].map((worker) => worker.terminate()));
  /** Replaces a thread whenever it ends. */
  const keepRunning = async (thread: number, first: WorkerThread): Promise<void> => {
    const endsMs: number[] = [];
    for (let worker = first; ; worker = launch(thread)) {
      const reason = await worker.ended;
      onEnd(thread);
      metrics.end(thread);
      if (isClosing) return;
      logEnd(log, thread, hung.has(worker) ? threadTimeoutMs / 1000 : reason);
      const nowMs = performance.now();
      endsMs.push(nowMs);
      if (nowMs - (endsMs.at(-maxEnds) ?? Number.NEGATIVE_INFINITY) < threadFailingMs) {
        const seconds = threadFailingMs / 1000;
        const message = `ending the process: thread ${thread} ended five times within ${seconds} seconds`;
        log('threads_failing', message, { thread });
        process.exit(1);
      }
    }
  };

  try {
    const urls = await launch(1).listening;
    const { port, tlsPort } = given.settings;
    const ports = { port: chosenPort(port, urls.http), tlsPort: chosenPort(tlsPort, urls.https) };
    state = { ...state, start: { ...given, settings: { ...given.settings, ...ports } } };
    for (let thread = 2; thread <= given.sharedMemory.threads; thread += 1) launch(thread);
    await Promise.all([...workers.values()].map(({ listening }) => listening));
    for (const [thread, worker] of workers) void keepRunning(thread, worker);
    setImmediate(settleHeap, given.bounds.heapGrowthPercent);
    return {
      urls,
      async update(update) {
        state = updatedState(state, update);
        await callAll({ member: 'update', update });
        if (update.kind === 'database') collectGarbage();
      },
      metrics: () => readMetrics(workers, metrics, threadMetricsMs),
      async ping() {
        await callAll({ member: 'ping' });
      },
      async close() {
        isClosing = true;
        await Promise.all([...workers.values()].map((worker) => worker.close()));
        await terminateAll();
      },
    };
  } catch (error) {
    isClosing = true;
    await terminateAll();
    throw error;
  }
}

/** The start data for a new thread: the first start, changed by every update since then. */
interface ThreadState {
  readonly start: Omit<ThreadStart, 'thread'>;
  /** Updates that do not change the start, such as open challenges of a CA. */
  readonly updates: readonly ThreadUpdate[];
}

function updatedState({ start, updates }: ThreadState, update: ThreadUpdate): ThreadState {
  if (update.kind === 'certificate') return { start: { ...start, certificate: update.certificate }, updates };
  if (update.kind === 'database') {
    const databases = { ...start.databases, [update.database]: update.files };
    return { start: { ...start, databases }, updates };
  }
  if (update.kind === 'http3') return { start, updates: [...updates.filter(({ kind }) => kind !== 'http3'), update] };
  if (update.kind === 'challenges-ended') return { start, updates: updates.filter(({ kind }) => kind !== 'challenge') };
  return { start, updates: [...updates, update] };
}

/** Logs why a thread has ended: a reason, or the seconds for which it did not respond. */
function logEnd(log: Log, thread: number, cause: string | number): void {
  const lost = 'its connections are lost';
  if (typeof cause === 'string')
    log('thread_ended', `thread ${thread} ended (${cause}); ${lost}`, { thread, reason: cause });
  else {
    const message = `thread ${thread} did not respond for ${cause} seconds and was ended; ${lost}`;
    log('thread_hung', message, { thread, seconds: cause });
  }
}

/** The port that the system chose if the setting is 0. */
function chosenPort(configured: number | null, url: string | null): number | null {
  return configured === 0 && url !== null ? Number(new URL(url).port) : configured;
}

/** A worker thread, as its supervisor sees it. */
type WorkerThread = ReturnType<typeof startWorker>;

/** Returns the latest metrics of all threads: of one that does not respond in time, those before. */
async function readMetrics(workers: ReadonlyMap<number, WorkerThread>, metrics: ThreadMetrics, timeoutMs: number) {
  const read = async ([thread, worker]: [number, WorkerThread]): Promise<void> => {
    const reply = await worker.call({ member: 'metrics' }, timeoutMs);
    // A list for the thread, or none if it does not count.
    const lists = reply as readonly (readonly ThreadMetric[])[] | undefined;
    if (lists !== undefined && workers.get(thread) === worker) metrics.set(thread, lists.flat());
  };
  await Promise.all([...workers].map(read));
  return metrics.all();
}

const program = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

// As --max-old-space-size and the machine's memory limit the main thread; otherwise a thread could grow to 4 GB.
const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(getHeapStatistics().heap_size_limit / 2 ** 20) };

/** Starts a thread; `logs` receive its lines. */
function startWorker(start: ThreadStart, logs: Logs) {
  const listening = Promise.withResolvers<Serving['urls']>();
  // Nobody awaits a replacement's startup; its end is enough.
  listening.promise.catch(() => {});
  let isListening = false;
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const options = { workerData: start, name: `seenby ${start.thread}`, resourceLimits };
  const worker = startThread<WorkerMessage, WorkerRequest>(program, options, {
    onReport(message) {
      isListening ||= message.kind === 'listening';
      if (message.kind === 'listening') listening.resolve(message.urls);
      else if (message.kind !== 'waiting') logs[message.kind](...message.args);
    },
    onError: listening.reject,
    onEnd(reason) {
      listening.reject(new Error(`a thread could not start: ${reason}`));
      end(reason);
    },
  });
  return {
    /** Rejects with an Error that names the invalid setting if the thread cannot start. */
    listening: listening.promise,
    /** Resolves with a reason that contains no request data. */
    ended,
    /** Resolves with the result, undefined if the thread has ended or does not respond in time. */
    async call(call: WorkerCall, timeoutMs?: number): Promise<unknown> {
      const { port1, port2 } = new MessageChannel();
      const options = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
      const replied = once(port2, 'message', options).catch(() => []);
      // Does nothing after the end.
      worker.send({ call, port: port1 }, [port1]);
      const [reply] = await Promise.race([replied, ended.then(() => [])]);
      port2.close();
      return reply;
    },
    /** Lets open requests end. A thread that does not listen yet has none, and would read the call only when it has loaded. */
    async close(): Promise<void> {
      await (isListening ? this.call({ member: 'close' }) : this.terminate());
    },
    async terminate(): Promise<void> {
      worker.kill();
      await ended;
    },
  };
}
