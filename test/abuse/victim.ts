/** The service under attack, in a process of its own; started by service-process.ts. */
import { readSettings } from '../../src/core/settings.ts';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { threadMs } from '../../src/native/thread-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { serve } from '../../src/runtime/serve.ts';
import { measureYardstick, type Yardstick } from '../cpu-time.ts';

/** Settings as environment variables, and changed bounds. */
export interface Start {
  readonly settings: Readonly<Record<string, string>>;
  readonly bounds: Readonly<Record<string, number>>;
}

export interface Usage {
  readonly cpuMs: number;
  /** Longest turn of the event loop since the previous message, in CPU time of its thread: a busy machine does not lengthen it. */
  readonly longestTurnMs: number;
  /** Of the thread that serves, at the moment. */
  readonly yardstick: Yardstick;
}

let longestTurnMs = 0;
let previousMs = threadMs();

/** Measures between two calls of a timer, which every turn calls at most once. */
function watchTurns(): void {
  setInterval(() => {
    const nowMs = threadMs();
    longestTurnMs = Math.max(longestTurnMs, nowMs - previousMs);
    previousMs = nowMs;
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
  const usage = { cpuMs: (user + system) / 1000, longestTurnMs, yardstick: measureYardstick() };
  longestTurnMs = 0;
  previousMs = threadMs();
  return usage;
}

process.on('message', async (message: Start | 'usage') => {
  process.send?.({ reply: message === 'usage' ? usage() : await start(message) });
});
process.on('disconnect', () => process.exit());
