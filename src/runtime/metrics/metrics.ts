/** Metrics for Prometheus: the service's own and those of its process, on a server of their own. */
import { createServer, type Server } from 'node:http';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Platform } from '../../core/platform.ts';
import { product } from '../../core/product.ts';
import { unknownEndpoint } from '../../http/app.ts';
import { endpoints } from '../../http/endpoints.ts';
import { type LogEvent, logEvents } from '../log/log-events.ts';
import { metricList, type RejectionReason, rejectionReasons, type WatchedMetric } from './metric-list.ts';

export type { RejectionReason } from './metric-list.ts';

type LabelsOf<Name extends keyof typeof metricList> = Readonly<
  Record<(typeof metricList)[Name]['labels'][number], string>
>;
/** A number for a metric without labels, else one for each set of labels; null if there is no value now. */
type Reading<Name extends WatchedMetric> = [keyof LabelsOf<Name>] extends [never]
  ? number | null
  : readonly (readonly [labels: LabelsOf<Name>, value: number])[];

export interface Metrics extends Pick<Platform, 'count' | 'countLookup'> {
  /** The time in milliseconds, for `observeDuration`. */
  now(): number;
  /** Records the time since `startedMs`, when the request was parsed. */
  observeDuration(path: string, startedMs: number): void;
  /** Counts one rejection by a limit of the process. */
  countRejection(reason: RejectionReason): void;
  countLogEvent(event: LogEvent): void;
  /** Counts the handshakes of a server. */
  countHandshakes(server: Pick<TlsServer, 'on'>): void;
  /** Calls `read` whenever the metrics are read; once for each metric. */
  watch<Name extends WatchedMetric>(name: Name, read: () => Reading<Name>): void;
}

/** Without a port, metrics cannot be read, and counting them would cost `/ip` 2 %. */
export const noMetrics: Metrics = {
  count() {},
  countLookup() {},
  now: () => 0,
  observeDuration() {},
  countRejection() {},
  countLogEvent() {},
  countHandshakes() {},
  watch() {},
};

const paths: ReadonlySet<string> = new Set(endpoints.map(({ path }) => path));
/** Health checks are not counted, so that they do not hide the clients' requests. */
const probePaths: ReadonlySet<string> = new Set(
  endpoints.filter(({ kind }) => kind === 'probe').map(({ path }) => path),
);

/** Sums of other default metrics, whose names are reserved for counters. */
const misnamedMetrics = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** From an immediate response to the longest lookup. */
const durationBuckets = [0.0001, 0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10];

export interface RegisteredMetrics extends Metrics {
  readonly registry: Registry;
}

/**
 * `thread` omits the default metrics of the process, `process` those of a thread: the metrics of a process with several threads are
 * merged from both.
 */
export function createMetrics(part: 'all' | 'process' | 'thread' = 'all'): RegisteredMetrics {
  const registry = new Registry();
  const optionsOf = (name: keyof typeof metricList) => {
    const { labels, ...row } = metricList[name];
    return { ...row, labelNames: [...labels] as string[], registers: [registry] };
  };
  const requests = new Counter(optionsOf('requests'));
  const durations = new Histogram({ ...optionsOf('durations'), buckets: durationBuckets });
  const lookups = new Counter(optionsOf('lookups'));
  const rejections = new Counter(optionsOf('rejections'));
  const handshakes = new Counter(optionsOf('handshakes'));
  const events = new Counter(optionsOf('logEvents'));
  // From 0, so that the first one shows as an increase.
  for (const reason of Object.keys(rejectionReasons)) rejections.inc({ reason }, 0);
  for (const [event, { level }] of Object.entries(logEvents)) events.inc({ event, level }, 0);
  new Gauge(optionsOf('build')).set({ version: product.version, node: process.versions.node }, 1);
  collectDefaultMetrics({ register: registry });
  for (const name of misnamedMetrics) registry.removeSingleMetric(name);
  if (part !== 'all')
    for (const { name } of registry.getMetricsAsArray()) {
      const isDefault = name.startsWith('process_') || name.startsWith('nodejs_');
      if (isDefault && name.startsWith('process_') !== (part === 'process')) registry.removeSingleMetric(name);
    }
  return {
    registry,
    // Labels as objects: prom-client's prepared children hash their labels anew each time and cost more (112 against 92 ns).
    count: (endpoint, status) => requests.inc({ endpoint, status }),
    countLookup: (lookup, outcome) => lookups.inc({ lookup, outcome }),
    now: () => performance.now(),
    observeDuration(path, startedMs) {
      if (probePaths.has(path)) return;
      const endpoint = paths.has(path) ? path : unknownEndpoint;
      durations.observe({ endpoint }, (performance.now() - startedMs) / 1000);
    },
    countRejection: (reason) => rejections.inc({ reason }),
    countLogEvent: (event) => events.inc({ event, level: logEvents[event].level }),
    countHandshakes(server) {
      server.on('secureConnection', (socket: TLSSocket) => {
        const result = socket.isSessionReused() ? 'resumed' : 'full';
        handshakes.inc({ version: socket.getProtocol() ?? 'none', result });
      });
      server.on('tlsClientError', () => handshakes.inc({ version: 'none', result: 'failed' }));
    },
    watch(name, read) {
      const values = (): readonly (readonly [labels: Record<string, string>, value: number])[] => {
        const reading = read();
        if (typeof reading === 'number') return [[{}, reading]];
        return reading ?? [];
      };
      const options = optionsOf(name);
      if (metricList[name].type === 'counter')
        new Counter({
          ...options,
          collect() {
            this.reset();
            for (const [labels, value] of values()) this.inc(labels, value);
          },
        });
      else
        new Gauge({
          ...options,
          collect() {
            this.reset();
            // Without labels, a reset leaves 0.
            this.remove({});
            for (const [labels, value] of values()) this.set(labels, value);
          },
        });
    },
  };
}

/** Returns the metrics of the process together with those of its threads. */
export function mergeMetrics(
  registry: Registry,
  threads: { metrics(): Promise<readonly object[]> },
): Pick<Registry, 'metrics' | 'contentType'> {
  return {
    contentType: registry.contentType,
    async metrics() {
      const [own, others] = await Promise.all([registry.getMetricsAsJSON(), threads.metrics()]);
      return AggregatorRegistry.aggregate([own, ...others]).metrics();
    },
  };
}

/** Creates the server of the metrics; it does not listen yet. */
export function createMetricsServer(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  report: (error: unknown) => void,
): Server {
  return createServer(async (incoming, outgoing) => {
    if (incoming.url !== '/metrics') {
      outgoing.writeHead(404).end();
      return;
    }
    // A source that fails, for example without open files, must not end the process.
    const body = await registry.metrics().catch(report);
    if (typeof body !== 'string') outgoing.writeHead(500).end();
    else outgoing.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(body);
  });
}
