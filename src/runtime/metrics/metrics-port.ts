/** METRICS_PORT: the metrics of the process and of all threads, on a server of their own. */
import { AggregatorRegistry, prometheusContentType } from 'prom-client';
import { errors, failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { Handler } from '../../ingress/options.ts';
import { Ingress } from '../../ingress/server.ts';
import { listen } from '../listen.ts';
import { createMetrics } from './metrics.ts';

/** Open connections of the metrics port: a few monitoring systems, each with one or two. */
const maxScrapers = 32;

export type MetricsPort = ReturnType<typeof createMetricsPort>;

/** The metrics of one thread that serves alone, or of a process that has several. */
export function createMetricsPort(settings: Settings, port: number, threads: number) {
  const { metricsHost: host, reusePort: isShared } = settings;
  const metered = createMetrics(threads === 1 ? 'all' : 'process');
  return {
    /** Those of this thread; with several threads, those of the process. */
    metered,
    /** Starts the server. Throws an Error that names the invalid setting. */
    async open(serving: { metrics(): Promise<readonly object[]> }, bounds: Bounds, log: Log) {
      const { registry } = metered;
      const readAll = async (): Promise<string> => {
        const [own, others] = await Promise.all([registry.getMetricsAsJSON(), serving.metrics()]);
        return AggregatorRegistry.aggregate([own, ...others]).metrics();
      };
      const read = threads === 1 ? () => registry.metrics() : readAll;
      const handler = createMetricsHandler(read, (error) => log('internal_error', failureOf(error)));
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

/** Responds to requests of the metrics port. */
export function createMetricsHandler(read: () => Promise<string>, report: (error: unknown) => void): Handler {
  return {
    async handle(exchange) {
      const { path, query } = exchange.target;
      // A source that fails, for example without open files, must not end the process.
      const body = path === '/metrics' && query === '' ? await read().catch(report) : null;
      const headers = { 'Content-Type': prometheusContentType, 'Cache-Control': 'no-store' };
      if (typeof body === 'string') exchange.respond({ status: 200, headers, body });
      else exchange.respond({ status: body === null ? 404 : 500, headers: {}, body: '' });
    },
    onError: report,
    reject: (problem) => ({ status: errors[problem].status, headers: {}, body: '' }),
    defaultAuthority: () => 'localhost',
  };
}
