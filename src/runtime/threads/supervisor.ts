/** Starts the worker threads, replaces those that end or hang, and passes changes to all of them. */
import type { Log } from '../../core/log.ts';
import { collectGarbage, settleHeap } from '../../native/garbage.ts';
import { createNotices } from '../log.ts';
import type { Serving, ThreadStart, ThreadUpdate, WorkerCall } from './serving.ts';
import { watchThread } from './thread-watch.ts';
import { startWorker, type WorkerThread } from './worker-thread.ts';

/** A thread that ends more often than this in `failingMs` will not recover. */
const maxEnds = 5;
const failingMs = 60_000;

/**
 * Starts a thread for each of `limitMemory.threads`; all share the ports of the first. Throws an Error that names the invalid setting.
 * `onEnd` is called when a thread has ended, before it is replaced. A thread that ends for the fifth time in a minute ends the process.
 */
export async function superviseThreads(
  given: Omit<ThreadStart, 'thread'>,
  log: Log,
  onEnd: (thread: number) => void,
): Promise<Serving> {
  const logs = { log, notice: createNotices(log) };
  const workers = new Map<number, WorkerThread>();
  let state: ThreadState = { start: given, updates: [] };
  let isClosing = false;

  const { threadTimeoutMs, threadMetricsMs } = given.bounds;
  const hung = new WeakSet<WorkerThread>();
  const launch = (thread: number): WorkerThread => {
    const worker = startWorker({ ...state.start, thread }, logs);
    workers.set(thread, worker);
    watchThread(worker, threadTimeoutMs, () => {
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
      if (isClosing) return;
      logEnd(log, thread, hung.has(worker) ? { hungMs: threadTimeoutMs } : { reason });
      const nowMs = performance.now();
      endsMs.push(nowMs);
      if (nowMs - (endsMs.at(-maxEnds) ?? Number.NEGATIVE_INFINITY) < failingMs) {
        log('threads_failing', `ending the process: thread ${thread} ended five times within a minute`, { thread });
        process.exit(1);
      }
    }
  };

  try {
    const urls = await launch(1).listening;
    const { port, tlsPort } = given.settings;
    const ports = { port: chosenPort(port, urls.http), tlsPort: chosenPort(tlsPort, urls.https) };
    state = { ...state, start: { ...given, settings: { ...given.settings, ...ports } } };
    for (let thread = 2; thread <= given.limitMemory.threads; thread += 1) launch(thread);
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
      async metrics() {
        const replies = (await callAll({ member: 'metrics' }, threadMetricsMs)) as (readonly object[] | undefined)[];
        return replies.flatMap((reply) => reply ?? []);
      },
      async ping() {
        await callAll({ member: 'ping' });
      },
      async close() {
        isClosing = true;
        await callAll({ member: 'close' });
        await terminateAll();
      },
    };
  } catch (error) {
    isClosing = true;
    await terminateAll();
    throw error;
  }
}

/** What a thread that starts now gets: the first start, changed by every update since then. */
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

/** Logs why a thread has ended. */
function logEnd(log: Log, thread: number, cause: { readonly hungMs: number } | { readonly reason: string }): void {
  if ('hungMs' in cause) {
    const seconds = cause.hungMs / 1000;
    const message = `thread ${thread} did not respond for ${seconds} seconds and was ended; its connections are lost`;
    log('thread_hung', message, { thread, seconds });
  } else {
    const { reason } = cause;
    log('thread_ended', `thread ${thread} ended (${reason}); its connections are lost`, { thread, reason });
  }
}

/** The port that the system chose if the setting is 0. */
function chosenPort(configured: number | null, url: string | null): number | null {
  return configured === 0 && url !== null ? Number(new URL(url).port) : configured;
}
