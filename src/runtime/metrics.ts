/** Metrics for Prometheus: the service's own and those of its process, and METRICS_PORT with health checks, on a server of its own. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { logEvents } from '../core/data/log-events.ts';
import { datagramMetrics, rejectionReasons } from '../core/data/metrics.ts';
import { errors, failureOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type Metrics, metricList } from '../core/metrics.ts';
import { product } from '../core/product.ts';
import type { Settings } from '../core/settings.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import { unknownEndpoint } from '../http/app.ts';
import { endpoints } from '../http/endpoints.ts';
import { mediaTypes } from '../http/negotiate.ts';
import { createIdentify } from '../ingress/limits/identity.ts';
import type { Handler } from '../ingress/requests.ts';
import { Ingress } from '../ingress/server.ts';
import { tools } from '../mcp/tools.ts';
import { listen } from './listen.ts';
import { openMemoryReader } from './memory-limit.ts';

/** Whether a path is that of a health check, which is not counted, so that it does not hide the clients' requests. */
const isProbe = new Map<string, boolean>(endpoints.map(({ path, kind }) => [path, kind === 'probe']));

/** Sums of other default metrics, whose names are reserved for counters. */
const misnamedMetrics = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** From an immediate response to the longest lookup. */
const durationBuckets = [0.0001, 0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10];

export type RegisteredMetrics = Metrics & { readonly registry: Registry };

/**
 * `thread` omits the default metrics of the process, `process` those of a thread: the metrics of a process with several threads are
 * merged from both.
 */
export function createMetrics(part: 'all' | 'process' | 'thread' = 'all'): RegisteredMetrics {
  const registry = new Registry();
  const optionsOf = (name: keyof typeof metricList) => {
    const { labels, ...row } = metricList[name];
    return { name, ...row, labelNames: [...labels] as string[], registers: [registry] };
  };
  const requests = new Counter(optionsOf('seenby_requests_total'));
  const durations = new Histogram({ ...optionsOf('seenby_request_duration_seconds'), buckets: durationBuckets });
  const lookups = new Counter(optionsOf('seenby_lookups_total'));
  const toolCalls = new Counter(optionsOf('seenby_tool_calls_total'));
  const rejections = new Counter(optionsOf('seenby_rejections_total'));
  const handshakes = new Counter(optionsOf('seenby_tls_handshakes_total'));
  const results = {
    dns: new Counter(optionsOf(datagramMetrics.dns)),
    stun: new Counter(optionsOf(datagramMetrics.stun)),
  };
  const events = new Counter(optionsOf('seenby_log_events_total'));
  // From 0, so that the first one shows as an increase.
  for (const reason of Object.keys(rejectionReasons)) rejections.inc({ reason }, 0);
  for (const { name } of tools) toolCalls.inc({ tool: name, outcome: 'ok' }, 0);
  for (const [event, { level }] of Object.entries(logEvents)) events.inc({ event, level }, 0);
  new Gauge(optionsOf('seenby_build_info')).set({ version: product.version, node: process.versions.node }, 1);
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
    countToolCall: (tool, outcome) => toolCalls.inc({ tool, outcome }),
    now: () => performance.now(),
    observeDuration(path, startedMs) {
      if (isProbe.get(path)) return;
      const endpoint = isProbe.has(path) ? path : unknownEndpoint;
      durations.observe({ endpoint }, (performance.now() - startedMs) / 1000);
    },
    countRejection: (reason, count) => rejections.inc({ reason }, count),
    countResult: (server, result, count) => results[server].inc({ result }, count),
    countLogEvent: (event) => events.inc({ event, level: logEvents[event].level }),
    countHandshake: (version, result) => handshakes.inc({ version, result }),
    watch(name, read) {
      // Both have these methods.
      const Metric = metricList[name].type === 'counter' ? (Counter as unknown as typeof Gauge) : Gauge;
      new Metric({
        ...optionsOf(name),
        collect() {
          this.reset();
          // Without labels, a reset leaves 0.
          this.remove({});
          const reading: number | null | readonly (readonly [labels: Record<string, string>, value: number])[] = read();
          if (typeof reading === 'number') this.inc({}, reading);
          else for (const [labels, value] of reading ?? []) this.inc(labels, value);
        },
      });
    },
  };
}

/** Open connections of the metrics port: a few monitoring systems, each with one or two. */
const maxScrapers = 32;

/** The values that the port reports. */
interface Watched {
  metrics(): Promise<readonly object[]>;
  isDraining(): boolean;
  /** Limit of the process in MiB; 0: none. */
  readonly memoryMb: number;
}

export type MetricsPort = ReturnType<typeof createMetricsPort>;

/** The metrics of one thread that serves alone, or of a process that has several. */
export function createMetricsPort(settings: Settings, port: number, threads: number) {
  const { metricsHost: host, reusePort } = settings;
  const metered = createMetrics(threads === 1 ? 'all' : 'process');
  return {
    /** The metrics of this thread; with several threads, of the process. */
    metered,
    /** Starts the server. Throws an Error that names the invalid setting. */
    async open(serving: Watched, bounds: Bounds, log: Log) {
      const { registry } = metered;
      const readAll = async (): Promise<string> => {
        const [own, others] = await Promise.all([registry.getMetricsAsJSON(), serving.metrics()]);
        return AggregatorRegistry.aggregate([own, ...others]).metrics();
      };
      const read = threads === 1 ? () => registry.metrics() : readAll;
      const memory = openMemoryReader();
      const report = (error: unknown): void => log('internal_error', failureOf(error));
      const handler = createMetricsHandler(read, report, () => {
        if (serving.isDraining()) return 'draining';
        return serving.memoryMb !== 0 && (memory.read() ?? 0) > serving.memoryMb ? 'memory full' : null;
      });
      const ingress = new Ingress({
        // Each response is built anew, and only monitoring systems connect.
        bounds: { ...bounds, maxRequestsInFlight: 1 },
        maxConnections: maxScrapers,
        peers: null,
        identify: createIdentify(),
        proxyProtocol: false,
        isTrusted: () => false,
        admit: () => true,
        onClosed() {},
        onHandshake() {},
      });
      const server = ingress.createServer(handler);
      const address = await listen(server, { setting: 'metricsPort', port, host, reusePort }, bounds);
      return { url: `http://${address}/metrics`, close: () => ingress.close().finally(memory.close) };
    },
  };
}

/**
 * Responds to requests of the metrics port; `obstacle` states why load balancers should send no clients now, null if they should. Its health checks do not depend on MAX_MEMORY: while the memory is full, the service closes new
 * connections, and a supervisor that got no response would end the process with the connections that are open.
 */
export function createMetricsHandler(
  read: () => Promise<string>,
  report: (error: unknown) => void,
  obstacle: () => string | null,
): Handler {
  return {
    async handle(exchange) {
      const { path } = exchange.target;
      const problem = path === '/readyz' ? obstacle() : null;
      if (path === '/healthz' || path === '/readyz') {
        const body = `${problem ?? (path === '/healthz' ? 'ok' : 'ready')}\n`;
        const status = problem === null ? 200 : 503;
        exchange.respond({ status, headers: { 'Content-Type': mediaTypes.text, 'Cache-Control': 'no-store' }, body });
        return;
      }
      // A source that fails, for example without open files, must not end the process.
      const body = path === '/metrics' ? await read().catch(report) : null;
      const headers = { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE, 'Cache-Control': 'no-store' };
      if (typeof body === 'string') exchange.respond({ status: 200, headers, body });
      else exchange.respond({ status: body === null ? 404 : 500, headers: {}, body: '' });
    },
    onError: report,
    reject: (problem) => ({ status: errors[problem].status, headers: {}, body: '' }),
    defaultAuthority: () => 'localhost',
  };
}
