/** METRICS_PORT: the metrics of the process and of all threads, on a server of their own. */
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { DatabaseKind, OpenGeoip } from '../../edges/node/geoip/geoip.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { prepareDrain } from '../../ingress/drain.ts';
import type { FaultWatch } from '../fault-watch.ts';
import { listen } from '../listen.ts';
import type { Serving } from '../threads/serving.ts';
import type { RegisteredMetrics } from './metrics.ts';

export interface MetricsPort {
  /** Those of this thread; with several threads, those of the process. */
  readonly metered: RegisteredMetrics;
  /** Counts the age of databases and the validity of the certificate from now on. */
  watchFiles(kinds: readonly DatabaseKind[], geoip: OpenGeoip, faults: FaultWatch): void;
  /** Starts the server. Throws an Error that names the invalid setting. */
  open(serving: Serving, bounds: Bounds, log: Log): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Null if the port is off; nothing is counted then. */
export async function createMetricsPort(settings: Settings, threads: number): Promise<MetricsPort | null> {
  const { metricsPort, metricsHost, reusePort } = settings;
  if (metricsPort === null) return null;
  // Loaded only if needed: the names of the endpoints load the application, which a supervisor does not run.
  const { createMetrics, createMetricsServer, mergeMetrics } = await import('./metrics.ts');
  const metered = createMetrics(threads === 1 ? 'all' : 'process');
  return {
    metered,
    watchFiles(kinds, geoip, faults) {
      metered.watch('databases', () =>
        kinds.flatMap((database) => {
          const builtAt = geoip.builtAt(database);
          return builtAt === null ? [] : [[{ database }, builtAt.getTime() / 1000] as const];
        }),
      );
      metered.watch('certificateStart', () => faults.validity()?.start ?? null);
      metered.watch('certificateExpiry', () => faults.validity()?.expiry ?? null);
    },
    async open(serving, bounds, log) {
      const registry = threads === 1 ? metered.registry : mergeMetrics(metered.registry, serving);
      const server = createMetricsServer(registry, (error) => log('internal_error', failureOf(error)));
      const close = prepareDrain(server, bounds);
      const listening = { port: metricsPort, host: metricsHost, isShared: reusePort };
      const address = await listen(server, { setting: 'metricsPort', ...listening }, bounds);
      return { url: `http://${address}/metrics`, close };
    },
  };
}
