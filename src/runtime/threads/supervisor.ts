/** Starts the worker threads, replaces those that end, and passes changes to all of them. */

import type { Log } from '../../core/log.ts';
import { collectGarbage } from '../../native/garbage.ts';
import type { WorkerReply, WorkerRequest, WorkerStart } from './messages.ts';
import type { Serving, ThreadStart, ThreadUpdate } from './serving.ts';
import { startWorker, type WorkerThread } from './worker-thread.ts';

/** A thread that ends more often than this in `failingMs` will not recover. */
const maxEnds = 5;
const failingMs = 60_000;

export interface Supervision {
  readonly isMetered: boolean;
  readonly log: Log;
  readonly notice: Log;
  /** Called when a thread has ended, before it is replaced. */
  readonly onEnd: (thread: number) => void;
  /** Called when a thread ended for the fifth time in a minute, and is not replaced. */
  readonly onFailing: (thread: number) => void;
}

/** Throws an Error that names the invalid setting. All threads share the ports of the first. */
export async function superviseThreads(
  given: Omit<ThreadStart, 'thread'>,
  { isMetered, log, notice, onEnd, onFailing }: Supervision,
): Promise<Serving> {
  const workers = new Map<number, WorkerThread>();
  // What a thread that starts now gets: the first start, changed by every update since then.
  let start: Omit<WorkerStart, 'thread'> = { ...given, isMetered };
  let updates: readonly ThreadUpdate[] = [];
  let isClosing = false;

  const launch = (thread: number): WorkerThread => {
    const worker = startWorker({ ...start, thread }, log, notice);
    workers.set(thread, worker);
    for (const update of updates) void worker.request({ kind: 'update', update });
    return worker;
  };
  const sendToAll = (request: WorkerRequest): Promise<WorkerReply[]> =>
    Promise.all([...workers.values()].map((worker) => worker.request(request)));
  const remember = (update: ThreadUpdate): void => {
    if (update.kind === 'certificate') start = { ...start, certificate: update.certificate };
    else if (update.kind === 'database')
      start = { ...start, databases: { ...start.databases, [update.database]: update.files } };
    else updates = [...updates.filter((earlier) => !isReplaced(earlier, update)), update];
  };
  /** Replaces a thread whenever it ends. */
  const keepRunning = async (thread: number, first: WorkerThread): Promise<void> => {
    const endsMs: number[] = [];
    for (let worker = first; ; worker = launch(thread)) {
      const reason = await worker.ended;
      onEnd(thread);
      if (isClosing) return;
      endsMs.push(performance.now());
      const message = `thread ${thread} ended (${reason}); its connections are lost`;
      log('thread_ended', message, { thread, reason });
      const [earliestMs] = endsMs.slice(-maxEnds);
      if (endsMs.length >= maxEnds && performance.now() - (earliestMs as number) < failingMs) {
        onFailing(thread);
        return;
      }
    }
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    await sendToAll({ kind: 'close' });
    await Promise.all([...workers.values()].map((worker) => worker.terminate()));
  };

  try {
    const urls = await launch(1).listening;
    const { port, tlsPort } = given.settings;
    const chosen = (configured: number | null, url: string | null): number | null =>
      configured === 0 && url !== null ? Number(new URL(url).port) : configured;
    start = {
      ...start,
      settings: { ...given.settings, port: chosen(port, urls.http), tlsPort: chosen(tlsPort, urls.https) },
    };
    for (let thread = 2; thread <= given.limitMemory.threads; thread += 1) launch(thread);
    await Promise.all([...workers.values()].map(({ listening }) => listening));
    for (const [thread, worker] of workers) void keepRunning(thread, worker);
    return {
      urls,
      async update(update) {
        remember(update);
        await sendToAll({ kind: 'update', update });
        if (update.kind === 'database') collectGarbage();
      },
      async metrics() {
        const replies = await sendToAll({ kind: 'metrics' });
        return replies.flatMap((reply) => reply ?? []);
      },
      async ping() {
        await sendToAll({ kind: 'ping' });
      },
      close,
    };
  } catch (error) {
    isClosing = true;
    await Promise.all([...workers.values()].map((worker) => worker.terminate()));
    throw error;
  }
}

/** Whether a later update makes an earlier one superfluous. */
function isReplaced(earlier: ThreadUpdate, later: ThreadUpdate): boolean {
  if (later.kind === 'challenges-ended') return earlier.kind === 'challenge' || earlier.kind === later.kind;
  return earlier.kind === later.kind && later.kind !== 'challenge';
}
