/** The service under attack, in a process of its own; started by service-process.ts. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { readSettings } from '../../src/core/settings.ts';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { threadMs } from '../../src/native/thread-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { serve } from '../../src/runtime/serve.ts';
import { measureYardstick, type Yardstick } from '../cpu-time.ts';
import { faultMs, threadFaults } from './page-faults.ts';

/** Settings as environment variables, and changed bounds. */
export interface Start {
  readonly settings: Readonly<Record<string, string>>;
  readonly bounds: Readonly<Record<string, number>>;
}

export interface Usage {
  readonly cpuMs: number;
  /**
   * Longest turn of the event loop since the previous message, in CPU time of its thread. A busy machine does not lengthen it, and page faults
   * at most double it: those of a growing heap take long on some machines.
   */
  readonly longestTurnMs: number;
  /** The yardstick of the thread that serves, at the moment. */
  readonly yardstick: Yardstick;
}

/**
 * Resolves at the end of the start, when the service has collected all garbage (`settleHeap`): on a slow machine that may take 90 ms of an
 * iteration a second after the ports have opened, and would count as one of the attack.
 */
const settled = new Promise<void>((resolve) => {
  const observer = new PerformanceObserver((list) => {
    const collections = list.getEntries() as unknown as { readonly detail: { readonly flags: number } }[];
    const ofAll = constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE;
    if (!collections.some(({ detail }) => detail.flags & ofAll)) return;
    observer.disconnect();
    resolve();
  });
  observer.observe({ entryTypes: ['gc'] });
});

let longestTurnMs = 0;
/** CPU time of a page fault, as of the previous message. */
let priceMs = 0;
let previous = readThread();

function readThread() {
  return { ms: threadMs(), faults: threadFaults() };
}

/** Measures between two calls of a timer, which every turn calls at most once. */
function watchTurns(): void {
  setInterval(() => {
    const now = readThread();
    const turnMs = now.ms - previous.ms;
    longestTurnMs = Math.max(longestTurnMs, turnMs - Math.min(turnMs / 2, priceMs * (now.faults - previous.faults)));
    previous = now;
  }, 1);
}

async function start({ settings: changed, bounds: changedBounds }: Start) {
  const settings = readSettings(
    {},
    { PORT: '0', TLS_PORT: '0', METRICS_PORT: '0', DATA_DIR: 'test-output/abuse-data', ...changed },
  );
  if ('problem' in settings) throw new Error(settings.problem);
  const log = createLog({ format: 'plain', level: 'info', write: (line) => process.send?.({ log: line }) });
  const { http, https, metrics } = await serve(settings, { ...bounds, ...changedBounds }, { log });
  watchTurns();
  return { http, https, metrics };
}

async function usage(): Promise<Usage> {
  await settled;
  const { user, system } = process.cpuUsage();
  const usage = { cpuMs: (user + system) / 1000, longestTurnMs, yardstick: measureYardstick() };
  longestTurnMs = 0;
  priceMs = faultMs();
  previous = readThread();
  return usage;
}

process.on('message', async (message: Start | 'usage') => {
  process.send?.({ reply: await (message === 'usage' ? usage() : start(message)) });
});
process.on('disconnect', () => process.exit());
