/** The service under attack, in a process of its own; started by service-process.ts. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readSettings } from '../../src/core/settings.ts';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { createLog } from '../../src/edges/node/log/log.ts';
import { serve } from '../../src/edges/node/serve.ts';

/** Settings as environment variables, and changed bounds. */
export interface Start {
  readonly settings: Readonly<Record<string, string>>;
  readonly bounds: Readonly<Record<string, number>>;
}

export interface Usage {
  readonly cpuMs: number;
  /** Longest event-loop delay since the previous message. */
  readonly longestDelayMs: number;
}

const delay = monitorEventLoopDelay({ resolution: 2 });

async function start({ settings: changed, bounds: changedBounds }: Start) {
  const settings = readSettings(
    {},
    { PORT: '0', TLS_PORT: '0', METRICS_PORT: '0', DATA_DIR: 'test-output/abuse-data', ...changed },
  );
  if ('problem' in settings) throw new Error(settings.problem);
  const log = createLog({ format: 'plain', level: 'info', write: (line) => process.send?.({ log: line }) });
  const { http, https, metrics } = await serve(settings, { ...bounds, ...changedBounds }, log);
  delay.enable();
  return { http, https, metrics };
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const longestDelayMs = delay.max / 1e6;
  delay.reset();
  return { cpuMs: (user + system) / 1000, longestDelayMs };
}

process.on('message', async (message: Start | 'usage') => {
  process.send?.({ reply: message === 'usage' ? usage() : await start(message) });
});
process.on('disconnect', () => process.exit());
