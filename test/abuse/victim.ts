/** The service under attack, in a process of its own; started by service-process.ts. */
import { readSettings } from '../../src/core/settings.ts';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { createLog } from '../../src/runtime/log.ts';
import { serve } from '../../src/runtime/serve.ts';

/** Settings as environment variables, and changed bounds. */
export interface Start {
  readonly settings: Readonly<Record<string, string>>;
  readonly bounds: Readonly<Record<string, number>>;
}

export interface Usage {
  readonly cpuMs: number;
  /** Longest turn of the event loop since the previous message, in CPU time of its thread: a busy machine does not lengthen it. */
  readonly longestTurnMs: number;
  /** CPU time that this process takes for a fixed work at the moment: less than 10 ms, unless the machine is slow or busy. */
  readonly yardstickMs: number;
}

let longestTurnMs = 0;
let previous = process.threadCpuUsage();

function usedSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** The median of three measurements of a sort, which needs the caches of the machine as much as the service does. */
function measureYardstick(): number {
  const times = Array.from({ length: 3 }, () => {
    const start = process.threadCpuUsage();
    Array.from({ length: 30_000 }, (_, at) => `${(at * 7_919) % 30_011}`).sort();
    return usedSince(start);
  });
  return times.sort((one, other) => one - other)[1] ?? 0;
}

/** Measures between two calls of a timer, which every turn calls at most once. */
function watchTurns(): void {
  setInterval(() => {
    longestTurnMs = Math.max(longestTurnMs, usedSince(previous));
    previous = process.threadCpuUsage();
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

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const usage = { cpuMs: (user + system) / 1000, longestTurnMs, yardstickMs: measureYardstick() };
  longestTurnMs = 0;
  previous = process.threadCpuUsage();
  return usage;
}

process.on('message', async (message: Start | 'usage') => {
  process.send?.({ reply: message === 'usage' ? usage() : await start(message) });
});
process.on('disconnect', () => process.exit());
