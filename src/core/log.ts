/** The list of events that the service logs, and the function that logs one. */
import type { LogLevel } from './setting-values.ts';

interface LogEventRow {
  /** error: something does not work until the operator acts. warn: something is limited or will fail. info: all else. */
  readonly level: LogLevel;
  /** Values of the message that a JSON line has as members of their own. */
  readonly fields: readonly string[];
  readonly meaning: string;
}

export const logEvents = {
  start_failed: {
    level: 'error',
    fields: [],
    meaning: 'The service could not start; exit code 1, or 2 if a setting is invalid.',
  },
  thread_ended: {
    level: 'error',
    fields: ['thread', 'reason'],
    meaning: 'An unexpected error ended a thread and its connections; another thread replaces it.',
  },
  thread_hung: {
    level: 'error',
    fields: ['thread', 'seconds'],
    meaning: 'A thread did not respond for 10 seconds and was ended with its connections; another thread replaces it.',
  },
  threads_failing: {
    level: 'error',
    fields: ['thread'],
    meaning: 'A thread ended five times within a minute, which ends the process; exit code 1.',
  },
  http3_ended: {
    level: 'error',
    fields: ['reason', 'seconds'],
    meaning: 'The process for HTTP/3 ended with its connections; another one replaces it after a pause.',
  },
  uncaught_error: { level: 'error', fields: [], meaning: 'An unexpected error ends the process; exit code 1.' },
  internal_error: {
    level: 'error',
    fields: [],
    meaning: 'A request failed with status 500. The line names the error and its place, never its message.',
  },
  reload_failed: {
    level: 'error',
    fields: ['what', 'reason'],
    meaning: 'A certificate or database could not be reloaded; the previous one stays in use.',
  },
  certificate_expired: { level: 'error', fields: ['expired'], meaning: 'Clients reject the certificate.' },
  certificate_not_yet_valid: {
    level: 'error',
    fields: ['validFrom'],
    meaning: 'Clients reject the certificate, or the system clock is wrong.',
  },
  certificate_failed: {
    level: 'error',
    fields: ['names', 'seconds'],
    meaning: 'No certificate for ACME_DOMAIN: the line says why and what to do. The previous one stays in use.',
  },
  certificate_not_stored: {
    level: 'error',
    fields: ['reason'],
    meaning: 'A new certificate is in use, but could not be stored.',
  },
  certificate_not_read: {
    level: 'warn',
    fields: ['reason'],
    meaning: 'The stored certificate is damaged or unreadable.',
  },
  download_failed: {
    level: 'error',
    fields: [],
    meaning: 'A monthly update failed; the previous database stays in use.',
  },
  asn_conversion_failed: {
    level: 'error',
    fields: [],
    meaning: 'The embedded ASN database is not available; the service runs without ASNs.',
  },
  log_failed: { level: 'error', fields: ['reason'], meaning: 'A stream of the log cannot be written.' },
  connections_closed: {
    level: 'warn',
    fields: [],
    meaning: 'New connections are closed, because of MAX_CONNECTIONS or the limit of open files.',
  },
  memory_full: {
    level: 'warn',
    fields: ['residentMiB', 'limitMiB'],
    meaning: 'New connections are closed, because of MAX_MEMORY.',
  },
  memory_unknown: { level: 'warn', fields: [], meaning: 'Memory cannot be measured, so MAX_MEMORY is not enforced.' },
  stopped_early: {
    level: 'warn',
    fields: [],
    meaning: 'A second signal, or open requests after 10 seconds, ended the process; exit code 1.',
  },
  manager_unreachable: {
    level: 'warn',
    fields: [],
    meaning: 'systemd does not receive notifications; with Type=notify it will end the process.',
  },
  lookups_rejected: { level: 'warn', fields: [], meaning: 'Lookups are rejected, because of MAX_OUTBOUND.' },
  lookups_time_out: { level: 'warn', fields: [], meaning: 'Outbound requests time out.' },
  rate_store_lost: {
    level: 'warn',
    fields: ['reason'],
    meaning: 'RATE_LIMIT_STORE is slow or gone; each instance counts requests for itself.',
  },
  rate_store_persists: {
    level: 'warn',
    fields: [],
    meaning: 'RATE_LIMIT_STORE writes hashes of addresses to disk, or does not report whether it does.',
  },
  clock_jumped: { level: 'warn', fields: ['seconds'], meaning: 'The system clock was set; negative: back.' },
  one_thread: { level: 'warn', fields: ['reason'], meaning: 'THREADS is not used.' },
  http3_unavailable: {
    level: 'warn',
    fields: ['reason'],
    meaning: 'HTTP3_PORT is set, but this system or Node has no QUIC; everything else is served.',
  },
  http3_waiting: {
    level: 'info',
    fields: ['port'],
    meaning: 'With REUSE_PORT, HTTP/3 starts when another process has closed its UDP port.',
  },
  settings_unused: { level: 'warn', fields: [], meaning: 'Settings have no effect because of other settings.' },
  databases_old: { level: 'warn', fields: [], meaning: 'A database is older than 60 days.' },
  ffi_missing: { level: 'warn', fields: [], meaning: 'node:ffi is missing: some values are null; use Node 26.' },
  asn_not_stored: {
    level: 'warn',
    fields: [],
    meaning: 'The converted ASN database could not be stored; each start converts it again.',
  },
  download_replaced: {
    level: 'warn',
    fields: ['file'],
    meaning: 'An earlier update was killed; its file is replaced.',
  },
  asn_conversion: { level: 'info', fields: [], meaning: 'The first start converts the embedded ASN database.' },
  listening: {
    level: 'info',
    fields: ['http', 'https', 'http3', 'metrics'],
    meaning: 'The service accepts connections.',
  },
  rate_store_connected: {
    level: 'info',
    fields: [],
    meaning: 'RATE_LIMIT_STORE is available, at startup or again; all instances count together.',
  },
  reloaded: { level: 'info', fields: ['what'], meaning: 'A certificate or database was reloaded.' },
  certificate_stored: { level: 'info', fields: ['names', 'until'], meaning: 'The certificate in DATA_DIR is used.' },
  certificate_ordered: { level: 'info', fields: ['names'], meaning: 'A certificate for ACME_DOMAIN is being ordered.' },
  certificate_obtained: { level: 'info', fields: ['names', 'until'], meaning: 'A new certificate is in use.' },
  downloaded: { level: 'info', fields: ['file'], meaning: 'A monthly update downloaded a database.' },
  draining: {
    level: 'info',
    fields: ['seconds'],
    meaning: '/readyz responds with 503; the service stops after DRAIN_DELAY.',
  },
  stopping: { level: 'info', fields: [], meaning: 'The service stops listening and completes open requests.' },
  stopped: { level: 'info', fields: [], meaning: 'The service has stopped; exit code 0.' },
} as const satisfies Readonly<Record<string, LogEventRow>>;
export type LogEvent = keyof typeof logEvents;

type FieldsOf<Event extends LogEvent> = Readonly<
  Record<(typeof logEvents)[Event]['fields'][number], string | number | null>
>;

/** Logs an event of the list; nothing passed to it may come from a request. */
export type Log = <Event extends LogEvent>(event: Event, message: string, fields?: FieldsOf<Event>) => void;
