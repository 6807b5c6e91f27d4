/** Starts the worker threads, and passes changes to all of them. */
import { extname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Log } from '../../core/log.ts';
import { collectGarbage, settleHeap } from '../../native/garbage.ts';
import { createNotices } from '../log.ts';
import { type HostOptions, ProgramHost, type ReportOf, type RequestOf } from '../program/host.ts';
import { type Program, type ProgramEvents, startThread } from '../program/start.ts';
import type { Serving, ThreadStart, ThreadUpdate, WorkerCall, WorkerReport, WorkerRequest } from './serving.ts';
import { ThreadMetrics } from './thread-metrics.ts';

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
  const { bounds } = given;
  const logs = { log, notice: createNotices(log) };
  const metrics = new ThreadMetrics();
  let state: ThreadState = { start: given, updates: [] };
  const threads = Array.from({ length: given.sharedMemory.threads }, (_, at) => {
    const start = (events: ProgramEvents<ReportOf<WorkerReport>>) => startWorker(at + 1, state, events);
    return new SupervisedThread(at + 1, { bounds, logs, start, metrics, onEnd: () => onEnd(at + 1) });
  });
  const close = async (): Promise<void> => {
    await Promise.all(threads.map(({ host }) => host.close()));
  };

  try {
    const [first] = threads as [SupervisedThread];
    await first.host.open();
    const { urls } = first;
    const { port, tlsPort } = given.settings;
    const ports = { port: chosenPort(port, urls.http), tlsPort: chosenPort(tlsPort, urls.https) };
    state = { ...state, start: { ...given, settings: { ...given.settings, ...ports } } };
    await Promise.all(threads.slice(1).map(({ host }) => host.open()));
    setImmediate(settleHeap, bounds.heapGrowthPercent);
    return {
      urls,
      async update(update) {
        state = updatedState(state, update);
        await Promise.all(threads.map((thread) => thread.call({ kind: 'update', update })));
        if (update.kind === 'database') collectGarbage();
      },
      async metrics() {
        await Promise.all(threads.map((thread) => thread.call({ kind: 'metrics' }, bounds.threadMetricsMs)));
        return metrics.all();
      },
      async ping() {
        const loaded = threads.filter(({ host }) => host.isReady);
        // While all of them load, nobody serves, and what watches the process must notice it.
        if (loaded.length === 0) await Promise.race(threads.map(({ host }) => host.ping()));
        else await Promise.all(loaded.map(({ host }) => host.ping()));
      },
      close,
    };
  } catch (error) {
    await close();
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

/** The port that the system chose if the setting is 0. */
function chosenPort(configured: number | null, url: string | null): number | null {
  return configured === 0 && url !== null ? Number(new URL(url).port) : configured;
}

type HostServices = Pick<HostOptions<WorkerReport, WorkerRequest>, 'bounds' | 'logs' | 'start' | 'onEnd'>;

/** A worker thread, which is replaced whenever it ends. `metrics` gets what it reports, and its end. */
export class SupervisedThread {
  readonly host: ProgramHost<WorkerReport, WorkerRequest>;
  urls: Serving['urls'] = { http: null, https: null };
  #calls = 0;
  /** Ends of the calls that wait, by number. */
  readonly #replies = new Map<number, () => void>();

  constructor(number: number, { onEnd, metrics, ...services }: HostServices & { readonly metrics: ThreadMetrics }) {
    this.host = new ProgramHost({
      ...services,
      ...createEndLog(number, services),
      metrics: null,
      onReport: (report) => {
        if (report.kind === 'listening') this.urls = report.urls;
        // Immediately, because a thread that ends may send its last report and its end together: `metrics.end` then adds the counts to those of
        // threads that have ended.
        else if (report.kind === 'metrics') metrics.set(number, report.metrics.flat());
        else if (report.kind === 'reply') this.#replies.get(report.id)?.();
      },
      onEnd: (isStartedAgain) => {
        onEnd(isStartedAgain);
        metrics.end(number);
        for (const reply of this.#replies.values()) reply();
      },
      describeFailedStart: (reason) => `a thread could not start: ${reason}`,
      pauses: { firstMs: 0, maxMs: 0 },
    });
  }

  /** Resolves when the thread has done it; also if it has ended, still loads, or does not respond in time. */
  call(call: WorkerCall, timeoutMs?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#calls += 1;
    const id = this.#calls;
    this.#replies.set(id, resolve);
    this.host.send({ ...call, id });
    if (!this.host.isReady) resolve();
    else if (timeoutMs !== undefined) setTimeout(resolve, timeoutMs).unref();
    return promise.finally(() => this.#replies.delete(id));
  }
}

const program = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

// As --max-old-space-size and the machine's memory limit the main thread; otherwise a thread could grow to 4 GB.
const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(getHeapStatistics().heap_size_limit / 2 ** 20) };

function startWorker(
  thread: number,
  { start, updates }: ThreadState,
  events: ProgramEvents<ReportOf<WorkerReport>>,
): Program<RequestOf<WorkerRequest>> {
  const options = { workerData: { ...start, thread }, name: `seenby ${thread}`, resourceLimits };
  const worker = startThread<ReportOf<WorkerReport>, RequestOf<WorkerRequest>>(program, options, events);
  // Nobody waits for these.
  for (const update of updates) worker.send({ kind: 'update', update, id: 0 });
  return worker;
}

/** Returns the functions that log the unexpected ends of a thread; the fifth in some time ends the process. */
function createEndLog(thread: number, { bounds, logs: { log } }: Pick<HostServices, 'bounds' | 'logs'>) {
  const endsMs: number[] = [];
  let isHung = false;
  const logCause = (reason: string): void => {
    const lost = 'its connections are lost';
    if (!isHung) log('thread_ended', `thread ${thread} ended (${reason}); ${lost}`, { thread, reason });
    else {
      const seconds = bounds.threadTimeoutMs / 1000;
      const message = `thread ${thread} did not respond for ${seconds} seconds and was ended; ${lost}`;
      log('thread_hung', message, { thread, seconds });
    }
    isHung = false;
  };
  return {
    onHung(): void {
      isHung = true;
    },
    logEnd(reason: string): void {
      logCause(reason);
      const nowMs = performance.now();
      endsMs.push(nowMs);
      if (nowMs - (endsMs.at(-maxEnds) ?? Number.NEGATIVE_INFINITY) >= bounds.threadFailingMs) return;
      const seconds = bounds.threadFailingMs / 1000;
      const message = `ending the process: thread ${thread} ended five times within ${seconds} seconds`;
      log('threads_failing', message, { thread });
      process.exit(1);
    },
  };
}
