/** The functions that count the metrics of the list. */
import { countedMetrics, type datagramMetrics, rejectionReasons, watchedMetrics } from './data/metrics.ts';
import type { LogEvent } from './log.ts';
import type { Platform } from './platform.ts';

export type RejectionReason = keyof typeof rejectionReasons;

/** A server in the thread for datagrams. */
export type DatagramServerName = keyof typeof datagramMetrics;

type WatchedMetric = keyof typeof watchedMetrics;

const { seenby_rejections_total: rejections } = countedMetrics;
const reasons = Object.entries(rejectionReasons).map(([reason, meaning]) => `${reason} (${meaning})`);

export const metricList = {
  ...countedMetrics,
  seenby_rejections_total: { ...rejections, help: `${rejections.help}${reasons.join(', ')}.` },
  ...watchedMetrics,
};

type LabelsOf<Name extends keyof typeof metricList> = Readonly<
  Record<(typeof metricList)[Name]['labels'][number], string>
>;
/** A number for a metric without labels, else one for each set of labels; null if there is no value now. */
type Reading<Name extends WatchedMetric> = [keyof LabelsOf<Name>] extends [never]
  ? number | null
  : readonly (readonly [labels: LabelsOf<Name>, value: number])[];

export interface Metrics extends Pick<Platform, 'count' | 'countLookup' | 'countToolCall'> {
  /** The time in milliseconds, for `observeDuration`. */
  now(): number;
  /** Records the time since `startedMs`, when the request was parsed. */
  observeDuration(path: string, startedMs: number): void;
  /** Counts rejections by a limit of the process; one by default. */
  countRejection(reason: RejectionReason, count?: number): void;
  /** Counts what a server for datagrams did with as many messages. */
  countResult(server: DatagramServerName, result: string, count: number): void;
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
  countToolCall() {},
  now: () => 0,
  observeDuration() {},
  countRejection() {},
  countResult() {},
  countLogEvent() {},
  countHandshake() {},
  watch() {},
};
