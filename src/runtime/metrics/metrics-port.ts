/** METRICS_PORT: the metrics of the process and of all threads, on a server of their own. */
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { Ingress } from '../../ingress/server.ts';
import { listen } from '../listen.ts';
import type { RegisteredMetrics } from './metrics.ts';

/** Open connections of the metrics port: a few monitoring systems, each with one or two. */
const maxScrapers = 32;

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
  const { createMetrics, createMetricsHandler, mergeMetrics } = await import('./metrics.ts');
  const metered = createMetrics(threads === 1 ? 'all' : 'process');
  return {
    metered,
    async open(serving, bounds, log) {
      const registry = threads === 1 ? metered.registry : mergeMetrics(metered.registry, serving);
      const handler = createMetricsHandler(registry, (error) => log('internal_error', failureOf(error)));
      const ingress = new Ingress({
        // Each response is built anew, and only monitoring systems connect.
        bounds: { ...bounds, maxRequestsInFlight: 1 },
        maxConnections: maxScrapers,
        sharedCounts: null,
        proxyProtocol: false,
        isTrusted: () => false,
        admit: () => true,
        onClosed() {},
        onHandshake() {},
      });
      const server = ingress.createServer(handler);
      const address = await listen(server, { setting: 'metricsPort', port, host, isShared }, bounds);
      return { url: `http://${address}/metrics`, close: () => ingress.close() };
    },
  };
}
