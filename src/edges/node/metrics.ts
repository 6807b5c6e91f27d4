/** Metrics for Prometheus: responses and their duration by endpoint, and the process's own, on a server of their own. */
import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { unknownEndpoint } from '../../http/app.ts';
import { endpoints } from '../../http/endpoints.ts';

export interface Metrics {
  /** Counts one response. */
  count(endpoint: string, status: number): void;
  /** The time in milliseconds, for `observeDuration`. */
  now(): number;
  /** Records the time since `startedMs`, when the request was parsed. */
  observeDuration(path: string, startedMs: number): void;
  /** Counts one rejection by a limit of the process. */
  countRejection(reason: RejectionReason): void;
  /** Reports the outbound requests in progress whenever the metrics are read. */
  watchOutbound(active: () => number): void;
  /** Reports whether RATE_LIMIT_STORE is available whenever the metrics are read. */
  watchRateStore(isConnected: () => boolean): void;
}

/** Limits of the process that reject or close something. */
export const rejectionReasons = {
  outbound: 'lookups above MAX_OUTBOUND',
  memory: 'connections while memory is full',
  connection_rate: 'connections above CONNECTION_RATE',
  connections_per_address: 'connections above MAX_CONNECTIONS_PER_ADDRESS',
  connections: 'connections above MAX_CONNECTIONS',
  client_hello: 'ClientHellos in too many records',
  reset_stream: 'requests reset before their turn',
  useless_frames: 'HTTP/2 connections with too many useless frames',
  stalled_reader: 'readers without progress',
  unsent_bytes: 'readers closed because too many unsent bytes are in memory',
  compression: 'responses uncompressed because of concurrent compressions',
} as const;
export type RejectionReason = keyof typeof rejectionReasons;

/** Without a port, metrics cannot be read, and counting them would cost `/ip` 2 %. */
export const noMetrics: Metrics = {
  count() {},
  now: () => 0,
  observeDuration() {},
  countRejection() {},
  watchOutbound() {},
  watchRateStore() {},
};

const paths: ReadonlySet<string> = new Set(endpoints.map(({ path }) => path));
/** Health checks are not counted, so that they do not hide the clients' requests. */
const probePaths: ReadonlySet<string> = new Set(
  endpoints.filter(({ kind }) => kind === 'probe').map(({ path }) => path),
);

/** From an immediate response to the longest lookup. */
const durationBuckets = [0.0001, 0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics & { readonly registry: Registry } {
  const registry = new Registry();
  const registers = [registry];
  const responses = new Counter({
    name: 'seenby_calls_total',
    help: `Responses by endpoint ("${unknownEndpoint}" for every other path) and status.`,
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'seenby_response_duration_seconds',
    help: `Time from the parsed request to the complete response, by endpoint ("${unknownEndpoint}" for every other path).`,
    labelNames: ['endpoint'],
    buckets: durationBuckets,
    registers,
  });
  const rejections = new Counter({
    name: 'seenby_rejections_total',
    help: `Rejections and closings by limits of the process: ${Object.entries(rejectionReasons)
      .map(([reason, meaning]) => `${reason} (${meaning})`)
      .join(', ')}.`,
    labelNames: ['reason'],
    registers,
  });
  // From 0, so that the first one shows as an increase.
  for (const reason of Object.keys(rejectionReasons)) rejections.inc({ reason }, 0);
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    // Labels as objects: prom-client's prepared children hash their labels anew each time and cost more (112 against 92 ns).
    count: (endpoint, status) => responses.inc({ endpoint, status }),
    now: () => performance.now(),
    observeDuration(path, startedMs) {
      if (probePaths.has(path)) return;
      const endpoint = paths.has(path) ? path : unknownEndpoint;
      durations.observe({ endpoint }, (performance.now() - startedMs) / 1000);
    },
    countRejection: (reason) => rejections.inc({ reason }),
    watchOutbound(active) {
      new Gauge({
        name: 'seenby_outbound_requests',
        help: 'Outbound requests in progress.',
        registers,
        collect() {
          this.set(active());
        },
      });
    },
    watchRateStore(isConnected) {
      new Gauge({
        name: 'seenby_rate_store_connected',
        help: 'Whether RATE_LIMIT_STORE is available (1), or each instance counts for itself (0).',
        registers,
        collect() {
          this.set(isConnected() ? 1 : 0);
        },
      });
    },
  };
}

/** Creates the server of the metrics; it does not listen yet. */
export function createMetricsServer(registry: Registry): Server {
  return createServer(async (incoming, outgoing) => {
    if (incoming.url !== '/metrics') {
      outgoing.writeHead(404).end();
      return;
    }
    outgoing.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
    outgoing.end(await registry.metrics());
  });
}
