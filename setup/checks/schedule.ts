/** Runs processes side by side: one more than there are processors, and others while these idle, because most tests wait now and then. */
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Job {
  /** Jobs that compare CPU times: they begin after all others have begun, a few at a time. */
  readonly isLast: boolean;
  run(): Promise<void>;
}

const processors = availableParallelism();
const slots = processors + 1;
const maxTogether = 3 * processors;
const lastTogether = Math.min(processors, 2);
/** Share of the time of a processor that must be idle for one more process. */
const idleShare = 0.25;
const intervalMs = 250;
/** A process that starts loads its modules; before that, the processors tell nothing about it. */
const settleMs = 750;

/** Runs all jobs, in this order as far as possible; none is started after `isStopped`. */
export async function runJobs(jobs: readonly Job[], isStopped: () => boolean): Promise<void> {
  const waiting = jobs.filter(({ isLast }) => !isLast);
  const running = new Set<Promise<void>>();
  let lastStartMs = 0;
  let idleMs = idleTimeMs();
  let measuredMs = performance.now();
  const hasIdleProcessor = (): boolean => {
    const nowMs = performance.now();
    const idle = (idleTimeMs() - idleMs) / (nowMs - measuredMs);
    idleMs = idleTimeMs();
    measuredMs = nowMs;
    return idle > idleShare && nowMs - lastStartMs > settleMs;
  };
  while (waiting.length > 0 && !isStopped()) {
    if (running.size < slots || (running.size < maxTogether && hasIdleProcessor())) {
      const job = (waiting.shift() as Job).run();
      const ended: Promise<void> = job.finally(() => running.delete(ended));
      running.add(ended);
      lastStartMs = performance.now();
    } else await Promise.race([...running, sleep(intervalMs)]);
  }
  const last = jobs.filter(({ isLast }) => isLast);
  const runLast = async (): Promise<void> => {
    for (let job = last.shift(); job !== undefined && !isStopped(); job = last.shift()) await job.run();
  };
  await Promise.all([...running, ...Array.from({ length: lastTogether }, runLast)]);
}

/** Idle time of all processors since the machine started. */
const idleTimeMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);
