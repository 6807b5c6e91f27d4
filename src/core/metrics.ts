/**
 * The list of the service's own metrics, and the functions that count them. Names follow https://prometheus.io/docs/practices/naming;
 * no label has request data.
 */
import type { LogEvent } from './log.ts';
import type { Platform } from './platform.ts';

interface MetricRow {
  readonly name: `seenby_${string}`;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Operation that combines the values of several threads. */
  readonly aggregator: 'sum' | 'max' | 'min';
  readonly help: string;
}

const row = <const Row extends MetricRow>(each: Row): Row => each;

/** Limits of the process that reject or close something. */
export const rejectionReasons = {
  outbound: 'lookups above MAX_OUTBOUND',
  memory: 'connections while memory is full',
  connection_rate: 'connections above CONNECTION_RATE',
  connections_per_address: 'connections above MAX_CONNECTIONS_PER_ADDRESS',
  connections: 'connections above MAX_CONNECTIONS',
  client_hello: 'ClientHellos in too many records',
  reset_stream: 'requests reset while they waited',
  useless_frames: 'HTTP/2 connections with too many useless frames',
  stalled_reader: 'readers without progress',
  body_bytes: 'request bodies above the memory for all of them',
  held_headers: 'requests refused because those without a response have too many headers',
  unsent_bytes: 'readers closed because too many unsent bytes are in memory',
  compression: 'responses uncompressed because of concurrent compressions',
} as const;
export type RejectionReason = keyof typeof rejectionReasons;

export const metricList = {
  requests: row({
    name: 'seenby_requests_total',
    type: 'counter',
    labels: ['endpoint', 'status'],
    aggregator: 'sum',
    help: 'Responses by endpoint ("unknown" for every other path) and status. Health checks are not counted.',
  }),
  durations: row({
    name: 'seenby_request_duration_seconds',
    type: 'histogram',
    labels: ['endpoint'],
    aggregator: 'sum',
    help: 'Time from the parsed request to the complete response, by endpoint ("unknown" for every other path).',
  }),
  lookups: row({
    name: 'seenby_lookups_total',
    type: 'counter',
    labels: ['lookup', 'outcome'],
    aggregator: 'sum',
    help: 'Lookups (rdap, dns, ip, headers-check) by outcome: ok or an error code. Rate-limited ones are not counted.',
  }),
  rejections: row({
    name: 'seenby_rejections_total',
    type: 'counter',
    labels: ['reason'],
    aggregator: 'sum',
    help: `Rejections and closings by limits of the process: ${Object.entries(rejectionReasons)
      .map(([reason, meaning]) => `${reason} (${meaning})`)
      .join(', ')}.`,
  }),
  handshakes: row({
    name: 'seenby_tls_handshakes_total',
    type: 'counter',
    labels: ['version', 'result'],
    aggregator: 'sum',
    help: 'TLS handshakes by version ("none" if failed) and result: full, resumed or failed.',
  }),
  accepted: row({
    name: 'seenby_connections_accepted_total',
    type: 'counter',
    labels: [],
    aggregator: 'sum',
    help: 'Connections accepted by the limits on connections.',
  }),
  connections: row({
    name: 'seenby_connections',
    type: 'gauge',
    labels: ['protocol'],
    aggregator: 'sum',
    help: 'Open connections by protocol: http/1.1, h2, h3 or none (before the end of the handshake).',
  }),
  outbound: row({
    name: 'seenby_outbound_requests',
    type: 'gauge',
    labels: [],
    aggregator: 'sum',
    help: 'Outbound requests in progress.',
  }),
  outboundLimit: row({
    name: 'seenby_outbound_requests_limit',
    type: 'gauge',
    labels: [],
    aggregator: 'max',
    help: 'MAX_OUTBOUND; absent without a limit.',
  }),
  memoryLimit: row({
    name: 'seenby_memory_limit_bytes',
    type: 'gauge',
    labels: [],
    aggregator: 'max',
    help: 'Resident memory above which new connections are closed (MAX_MEMORY); absent without a limit.',
  }),
  databases: row({
    name: 'seenby_database_built_timestamp_seconds',
    type: 'gauge',
    labels: ['database'],
    aggregator: 'max',
    help: 'Publication time of a database (city or asn) in seconds since the Unix epoch.',
  }),
  certificateStart: row({
    name: 'seenby_certificate_start_timestamp_seconds',
    type: 'gauge',
    labels: [],
    aggregator: 'min',
    help: 'Start of validity of the certificate in use, in seconds since the Unix epoch; absent without a TLS port.',
  }),
  certificateExpiry: row({
    name: 'seenby_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    labels: [],
    aggregator: 'min',
    help: 'End of validity of the certificate in use, in seconds since the Unix epoch; absent without a TLS port.',
  }),
  rateStore: row({
    name: 'seenby_rate_store_connected',
    type: 'gauge',
    labels: [],
    aggregator: 'min',
    help: 'Whether RATE_LIMIT_STORE is available (1), or each instance counts for itself (0); absent without a store.',
  }),
  logEvents: row({
    name: 'seenby_log_events_total',
    type: 'counter',
    labels: ['event', 'level'],
    aggregator: 'sum',
    help: 'Events of the log while the service runs, whether or not LOG_LEVEL includes them; not those of start and stop.',
  }),
  build: row({
    name: 'seenby_build_info',
    type: 'gauge',
    labels: ['version', 'node'],
    aggregator: 'max',
    help: 'Always 1; the labels are the versions of the service and of Node.',
  }),
};

/** Metrics whose values are read from their source whenever metrics are read. */
export type WatchedMetric =
  | 'accepted'
  | 'connections'
  | 'outbound'
  | 'outboundLimit'
  | 'memoryLimit'
  | 'databases'
  | 'certificateStart'
  | 'certificateExpiry'
  | 'rateStore';

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
  /** Counts one TLS handshake; `version` is "none" if it failed. */
  countHandshake(version: string, result: 'full' | 'resumed' | 'failed'): void;
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
  countHandshake() {},
  watch() {},
};
