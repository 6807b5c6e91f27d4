/** Starts the Node edge for a test: on free ports, without limits, with the settings the test is about. */
import { join } from 'node:path';
import { readSettings, type Settings } from '../src/core/settings.ts';
import { type Bounds, bounds } from '../src/edges/node/limits/bounds.ts';
import type { App } from '../src/http/app.ts';
import { createLog } from '../src/runtime/log.ts';
import { type Service, serve } from '../src/runtime/serve.ts';

const defaults = readSettings(
  {},
  {
    PORT: '0',
    TLS_PORT: '0',
    RATE_LIMIT_GENERAL: '0',
    RATE_LIMIT_LOOKUP: '0',
    CONNECTION_RATE: '0',
    // Below a file, so that no test can create it.
    DATA_DIR: join(import.meta.filename, 'data'),
  },
);

export function settingsOf(changed: Partial<Settings>): Settings {
  if ('problem' in defaults) throw new Error(defaults.problem);
  return { ...defaults, ...changed };
}

export function startNode(
  changed: Partial<Settings> = {},
  changedBounds: Partial<Bounds> = {},
  log: (line: string) => void = () => {},
  wrap?: (app: App) => App,
): Promise<Service> {
  const write = createLog({ format: 'plain', level: 'info', write: log });
  // The heap of a test is larger than that of a service, and to collect all of it at each start takes six times as long as the start.
  const heapGrowthPercent = 0;
  // Nor is free memory returned to the system each second, which takes 7 percent of the CPU time of a test that is busy for minutes.
  const releaseGrowthBytes = Number.POSITIVE_INFINITY;
  return serve(
    settingsOf(changed),
    { ...bounds, closeGraceMs: 20, heapGrowthPercent, releaseGrowthBytes, ...changedBounds },
    { log: write, wrap },
  );
}
