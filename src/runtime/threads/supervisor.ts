/** Starts the worker threads, replaces those that end or hang, and passes changes to all of them. */
import type { Log } from '../../core/log.ts';
import { collectGarbage } from '../../native/garbage.ts';
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
  // What a thread that starts now gets: the first start, changed by every update since then.
  let start = given;
  let updates: readonly ThreadUpdate[] = [];
  let isClosing = false;

  const { threadTimeoutMs, threadMetricsMs } = given.bounds;
  const hung = new WeakSet<WorkerThread>();
  const launch = (thread: number): WorkerThread => {
    const worker = startWorker({ ...start, thread }, logs);
    workers.set(thread, worker);
    watchThread(worker, threadTimeoutMs, () => {
      hung.add(worker);
      void worker.terminate();
    });
    for (const update of updates) void worker.call({ member: 'update', update });
    return worker;
  };
  const callAll = (call: WorkerCall, timeoutMs?: number): Promise<unknown[]> =>
    Promise.all([...workers.values()].map((worker) => worker.call(call, timeoutMs)));
  const terminateAll = (): Promise<unknown> => Promise.all([...workers.values()].map((worker) => worker.terminate()));
  const remember = (update: ThreadUpdate): void => {
    if (update.kind === 'certificate') start = { ...start, certificate: update.certificate };
    else if (update.kind === 'database')
      start = { ...start, databases: { ...start.databases, [update.database]: update.files } };
    else if (update.kind === 'challenges-ended') updates = updates.filter(({ kind }) => kind !== 'challenge');
    else updates = [...updates, update];
  };
  /** Replaces a thread whenever it ends. */
  const keepRunning = async (thread: number, first: WorkerThread): Promise<void> => {
    const endsMs: number[] = [];
    for (let worker = first; ; worker = launch(thread)) {
      const reason = await worker.ended;
      onEnd(thread);
      if (isClosing) return;
      if (hung.has(worker)) {
        const seconds = threadTimeoutMs / 1000;
        const message = `thread ${thread} did not respond for ${seconds} seconds and was ended; its connections are lost`;
        log('thread_hung', message, { thread, seconds });
      } else {
        log('thread_ended', `thread ${thread} ended (${reason}); its connections are lost`, { thread, reason });
      }
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
    start = { ...start, settings: { ...given.settings, ...ports } };
    for (let thread = 2; thread <= given.limitMemory.threads; thread += 1) launch(thread);
    await Promise.all([...workers.values()].map(({ listening }) => listening));
    for (const [thread, worker] of workers) void keepRunning(thread, worker);
    return {
      urls,
      async update(update) {
        remember(update);
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

/** The port that the system chose if the setting is 0. */
function chosenPort(configured: number | null, url: string | null): number | null {
  return configured === 0 && url !== null ? Number(new URL(url).port) : configured;
}
