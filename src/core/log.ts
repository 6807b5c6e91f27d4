/** The list of events that the service logs, and the function that logs one. */
import type { LogLevel } from './setting-values.ts';

/** A row of the list, with the values of the message that a JSON line has as members of their own. */
const eventOf =
  <const Level extends LogLevel>(level: Level) =>
  <const Fields extends readonly string[]>(meaning: string, ...fields: Fields) => ({ level, meaning, fields });

/** Something does not work until the operator acts. */
const error = eventOf('error');
/** Something is limited or will fail. */
const warn = eventOf('warn');
const info = eventOf('info');

export const logEvents = {
  start_failed: error('The service could not start; exit code 1, or 2 if a setting is invalid.'),
  thread_ended: error(
    'An unexpected error ended a thread and its connections; another thread replaces it.',
    'thread',
    'reason',
  ),
  thread_hung: error(
    'A thread did not respond for 10 seconds and was ended with its connections; another thread replaces it.',
    'thread',
    'seconds',
  ),
  threads_failing: error('A thread ended five times within a minute, which ends the process; exit code 1.', 'thread'),
  http3_ended: error(
    'The process for HTTP/3 ended with its connections; another one replaces it after a pause.',
    'reason',
    'seconds',
  ),
  uncaught_error: error('An unexpected error ends the process; exit code 1.'),
  internal_error: error('A request failed with status 500. The line names the error and its place, never its message.'),
  reload_failed: error(
    'A certificate or database could not be reloaded; the previous one stays in use.',
    'what',
    'reason',
  ),
  certificate_expired: error('Clients reject the certificate.', 'expired'),
  certificate_not_yet_valid: error('Clients reject the certificate, or the system clock is wrong.', 'validFrom'),
  certificate_failed: error(
    'No certificate for ACME_DOMAIN: the line states why and what to do. The previous one stays in use.',
    'names',
    'seconds',
  ),
  certificate_not_stored: error('A new certificate is in use, but could not be stored.', 'reason'),
  certificate_not_read: warn('The stored certificate is damaged or unreadable.', 'reason'),
  download_failed: error('A monthly update failed; the previous database stays in use.'),
  asn_conversion_failed: error('The embedded ASN database is not available; the service runs without ASNs.'),
  log_failed: error('A stream of the log cannot be written.', 'reason'),
  connections_closed: warn('New connections are closed, because of MAX_CONNECTIONS or the limit of open files.'),
  memory_full: warn('New connections are closed, because of MAX_MEMORY.', 'residentMiB', 'limitMiB'),
  memory_unknown: warn('Memory cannot be measured, so MAX_MEMORY is not enforced.'),
  stopped_early: warn('A second signal, or open requests after 10 seconds, ended the process; exit code 1.'),
  manager_unreachable: warn('systemd does not receive notifications; with Type=notify it will end the process.'),
  lookups_rejected: warn('Lookups are rejected, because of MAX_OUTBOUND.'),
  lookups_time_out: warn('Outbound requests time out.'),
  rate_store_lost: warn('RATE_LIMIT_STORE is slow or gone; each instance counts requests for itself.', 'reason'),
  rate_store_persists: warn('RATE_LIMIT_STORE writes hashes of addresses to disk, or does not report whether it does.'),
  clock_jumped: warn('The system clock was set; negative: back.', 'seconds'),
  one_thread: warn('THREADS is not used.', 'reason'),
  http3_unavailable: warn(
    'HTTP3_PORT is set, but this system or Node has no QUIC; everything else is served.',
    'reason',
  ),
  http3_waiting: info('With REUSE_PORT, HTTP/3 starts when another process has closed its UDP port.', 'port'),
  settings_unused: warn('Settings have no effect because of other settings.'),
  databases_old: warn('A database is older than 60 days.'),
  ffi_missing: warn('node:ffi is missing: some values are null; use Node 26.'),
  asn_not_stored: warn('The converted ASN database could not be stored; each start converts it again.'),
  download_replaced: warn('An earlier update was killed; its file is replaced.', 'file'),
  asn_conversion: info('The first start converts the embedded ASN database.'),
  listening: info('The service accepts connections.', 'http', 'https', 'http3', 'metrics'),
  rate_store_connected: info('RATE_LIMIT_STORE is available, at startup or again; all instances count together.'),
  reloaded: info('A certificate or database was reloaded.', 'what'),
  certificate_stored: info('The certificate in DATA_DIR is used.', 'names', 'until'),
  certificate_ordered: info('A certificate for ACME_DOMAIN is being ordered.', 'names'),
  certificate_obtained: info('A new certificate is in use.', 'names', 'until'),
  downloaded: info('A monthly update downloaded a database.', 'file'),
  draining: info('/readyz responds with 503; the service stops after DRAIN_DELAY.', 'seconds'),
  stopping: info('The service stops listening and completes open requests.'),
  stopped: info('The service has stopped; exit code 0.'),
} as const;
export type LogEvent = keyof typeof logEvents;

type FieldsOf<Event extends LogEvent> = Readonly<
  Record<(typeof logEvents)[Event]['fields'][number], string | number | null>
>;

/** Logs an event of the list; nothing passed to it may come from a request. */
export type Log = <Event extends LogEvent>(event: Event, message: string, fields?: FieldsOf<Event>) => void;
