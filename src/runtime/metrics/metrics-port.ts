/** METRICS_PORT: the metrics of the process and of all threads, on a server of their own. */
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { prepareDrain } from '../../ingress/drain.ts';
import { listen } from '../listen.ts';
import type { RegisteredMetrics } from './metrics.ts';

export interface MetricsPort {
  /** Those of this thread; with several threads, those of the process. */
  readonly metered: RegisteredMetrics;
  /** Starts the server. Throws an Error that names the invalid setting. */
  open(
    serving: { metrics(): Promise<readonly object[]> },
    bounds: Bounds,
    log: Log,
  ): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Null if the port is off; nothing is counted then. */
export async function createMetricsPort(settings: Settings, threads: number): Promise<MetricsPort | null> {
  const { metricsPort: port, metricsHost: host, reusePort: isShared } = settings;
  if (port === null) return null;
  // Loaded only if needed: the names of the endpoints load the application, which a supervisor does not run.
  const { createMetrics, createMetricsServer, mergeMetrics } = await import('./metrics.ts');
  const metered = createMetrics(threads === 1 ? 'all' : 'process');
  return {
    metered,
    async open(serving, bounds, log) {
      const registry = threads === 1 ? metered.registry : mergeMetrics(metered.registry, serving);
      const server = createMetricsServer(registry, (error) => log('internal_error', failureOf(error)));
      const close = prepareDrain(server, bounds);
      const address = await listen(server, { setting: 'metricsPort', port, host, isShared }, bounds);
      return { url: `http://${address}/metrics`, close };
    },
  };
}
