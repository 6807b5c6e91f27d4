/**
 * The list of the service's own metrics, and the functions that count them. Names follow https://prometheus.io/docs/practices/naming;
 * no label has request data.
 */
import type { LogEvent } from './log.ts';
import type { Platform } from './platform.ts';

/** A row of the list; `aggregator` combines the values of several threads. */
const metricOf =
  <const Type extends 'counter' | 'gauge' | 'histogram'>(type: Type, aggregator: 'sum' | 'max' | 'min') =>
  <const Labels extends readonly string[]>(labels: Labels, help: string) => ({ type, aggregator, labels, help });

const counter = metricOf('counter', 'sum');
const histogram = metricOf('histogram', 'sum');
const sumGauge = metricOf('gauge', 'sum');
const maxGauge = metricOf('gauge', 'max');
const minGauge = metricOf('gauge', 'min');

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
  held_headers: 'requests rejected because those without a response have too many headers',
  unsent_bytes: 'readers closed because too many unsent bytes are in memory',
  compression: 'responses uncompressed because of concurrent compressions',
} as const;
export type RejectionReason = keyof typeof rejectionReasons;

/** Metrics that are counted as things happen. */
const countedMetrics = {
  seenby_requests_total: counter(
    ['endpoint', 'status'],
    'Responses by endpoint ("unknown" for every other path) and status. Health checks are not counted.',
  ),
  seenby_request_duration_seconds: histogram(
    ['endpoint'],
    'Time from the parsed request to the complete response, by endpoint ("unknown" for every other path).',
  ),
  seenby_lookups_total: counter(
    ['lookup', 'outcome'],
    'Lookups (rdap, dns, ip, headers-check; in domain reports also domain-dns, domain-address) by outcome: ok or an error code. Rate-limited ones are not counted.',
  ),
  seenby_rejections_total: counter(
    ['reason'],
    `Rejections and closings by limits of the process: ${Object.entries(rejectionReasons)
      .map(([reason, meaning]) => `${reason} (${meaning})`)
      .join(', ')}.`,
  ),
  seenby_tls_handshakes_total: counter(
    ['version', 'result'],
    'TLS handshakes by version ("none" if failed) and result: full, resumed or failed.',
  ),
  seenby_log_events_total: counter(
    ['event', 'level'],
    'Events of the log while the service runs, whether or not LOG_LEVEL includes them; not those of start and stop.',
  ),
  seenby_build_info: maxGauge(['version', 'node'], 'Always 1; the labels are the versions of the service and of Node.'),
} as const;

/** Metrics whose values are read from their source whenever metrics are read. */
const watchedMetrics = {
  seenby_connections_accepted_total: counter([], 'Connections accepted by the limits on connections.'),
  seenby_connections: sumGauge(
    ['protocol'],
    'Open connections by protocol: http/1.1, h2, h3 or none (before the end of the handshake).',
  ),
  seenby_outbound_requests: sumGauge([], 'Outbound requests in progress.'),
  seenby_outbound_requests_limit: maxGauge([], 'MAX_OUTBOUND; absent without a limit.'),
  seenby_memory_limit_bytes: maxGauge(
    [],
    'Resident memory above which new connections are closed (MAX_MEMORY); absent without a limit.',
  ),
  seenby_database_built_timestamp_seconds: maxGauge(
    ['database'],
    'Publication time of a database (city or asn) in seconds since the Unix epoch.',
  ),
  seenby_certificate_start_timestamp_seconds: minGauge(
    [],
    'Start of validity of the certificate in use, in seconds since the Unix epoch; absent without a TLS port.',
  ),
  seenby_certificate_expiry_timestamp_seconds: minGauge(
    [],
    'End of validity of the certificate in use, in seconds since the Unix epoch; absent without a TLS port.',
  ),
  seenby_rate_store_connected: minGauge(
    [],
    'Whether RATE_LIMIT_STORE is available (1), or each instance counts for itself (0); absent without a store.',
  ),
} as const;
export type WatchedMetric = keyof typeof watchedMetrics;

export const metricList = { ...countedMetrics, ...watchedMetrics };

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
  /** Counts rejections by a limit of the process; one by default. */
  countRejection(reason: RejectionReason, count?: number): void;
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
