/**
 * The events that the service logs, with the values of the message that a JSON line has as members of their own. Levels: `error`, something
 * does not work until the operator acts; `warn`, something is limited or will fail; `info`.
 */
export const logEvents = {
  start_failed: {
    level: 'error',
    meaning: 'The service could not start; exit code 1, or 2 if a setting is invalid.',
    fields: [],
  },
  thread_ended: {
    level: 'error',
    meaning: 'An unexpected error ended a thread and its connections; another thread replaces it.',
    fields: ['thread', 'reason'],
  },
  thread_hung: {
    level: 'error',
    meaning: 'A thread did not respond for 10 seconds and was ended with its connections; another thread replaces it.',
    fields: ['thread', 'seconds'],
  },
  threads_failing: {
    level: 'error',
    meaning: 'A thread ended five times within 60 seconds, which ends the process; exit code 1.',
    fields: ['thread'],
  },
  http3_ended: {
    level: 'error',
    meaning: 'The process for HTTP/3 ended with its connections; another one replaces it after a pause.',
    fields: ['reason', 'seconds'],
  },
  datagrams_ended: {
    level: 'error',
    meaning: 'The thread for DNS and STUN ended; another one replaces it after a pause.',
    fields: ['reason', 'seconds'],
  },
  uncaught_error: { level: 'error', meaning: 'An unexpected error ends the process; exit code 1.', fields: [] },
  internal_error: {
    level: 'error',
    meaning: 'A request failed with status 500. The line names the error and its place, never its message.',
    fields: [],
  },
  reload_failed: {
    level: 'error',
    meaning: 'A certificate or database could not be reloaded; the previous one stays in use.',
    fields: ['what', 'reason'],
  },
  certificate_expired: { level: 'error', meaning: 'Clients reject the certificate.', fields: ['expired'] },
  certificate_not_yet_valid: {
    level: 'error',
    meaning: 'Clients reject the certificate, or the system clock is wrong.',
    fields: ['validFrom'],
  },
  certificate_incomplete: {
    level: 'warn',
    meaning:
      'TLS_CERT lacks the certificate of its issuer, or TLS_CERT or ACME_DOMAIN does not cover a public host: some clients reject it.',
    fields: [],
  },
  certificate_failed: {
    level: 'error',
    meaning: 'No certificate for ACME_DOMAIN: the line states why and what to do. The previous one stays in use.',
    fields: ['names', 'seconds'],
  },
  certificate_not_stored: {
    level: 'error',
    meaning: 'A new certificate is in use, but could not be stored.',
    fields: ['reason'],
  },
  certificate_not_read: {
    level: 'warn',
    meaning: 'The stored certificate is damaged or unreadable.',
    fields: ['reason'],
  },
  download_failed: {
    level: 'error',
    meaning: 'A monthly update failed; the previous database stays in use. Another attempt follows after `seconds`.',
    fields: ['seconds'],
  },
  asn_conversion_failed: {
    level: 'error',
    meaning: 'The embedded ASN database is not available; the service runs without ASNs.',
    fields: [],
  },
  log_failed: { level: 'error', meaning: 'A stream of the log cannot be written.', fields: ['reason'] },
  connections_closed: {
    level: 'warn',
    meaning: 'New connections are closed, because of MAX_CONNECTIONS or the limit of open files.',
    fields: [],
  },
  connections_replaced: {
    level: 'warn',
    meaning:
      'The number of connections comes near MAX_CONNECTIONS or the limit of open files: those without a request are closed, of the largest holders first.',
    fields: [],
  },
  memory_full: {
    level: 'warn',
    meaning: 'New connections are closed, because of MAX_MEMORY.',
    fields: ['residentMiB', 'limitMiB'],
  },
  http3_memory_full: {
    level: 'warn',
    meaning:
      'The process for HTTP/3 has reached its own memory limit: new connections replace those of the largest holders, or are closed.',
    fields: ['residentMiB', 'limitMiB'],
  },
  memory_unknown: { level: 'warn', meaning: 'Memory cannot be measured, so MAX_MEMORY is not enforced.', fields: [] },
  stopped_early: {
    level: 'warn',
    meaning: 'A second signal, or open requests after 10 seconds, ended the process; exit code 1.',
    fields: [],
  },
  manager_unreachable: {
    level: 'warn',
    meaning: 'systemd does not receive notifications; with Type=notify it will end the process.',
    fields: [],
  },
  lookups_rejected: { level: 'warn', meaning: 'Lookups are rejected, because of MAX_OUTBOUND.', fields: [] },
  lookups_time_out: { level: 'warn', meaning: 'Outbound requests time out.', fields: [] },
  rate_store_lost: {
    level: 'warn',
    meaning: 'RATE_LIMIT_STORE is slow or gone; each instance counts requests for itself.',
    fields: ['reason'],
  },
  certificate_store_lost: {
    level: 'warn',
    meaning: 'RATE_LIMIT_STORE is slow or gone; the certificate of ACME_DOMAIN stays in use, and none is ordered.',
    fields: ['reason'],
  },
  dns_store_lost: {
    level: 'warn',
    meaning: 'RATE_LIMIT_STORE is slow or gone; the DNS test shows only queries that reach this instance.',
    fields: ['reason'],
  },
  rate_store_persists: {
    level: 'warn',
    meaning: 'RATE_LIMIT_STORE writes hashes of addresses to disk, or does not report whether it does.',
    fields: [],
  },
  proxy_not_trusted: {
    level: 'warn',
    meaning: 'A proxy seems to be in front of the service, and TRUST_PROXY does not name it. Logged once.',
    fields: [],
    isLoggedOnce: true,
  },
  forwarding_header_unusable: {
    level: 'warn',
    meaning:
      'A trusted proxy sends a forwarding header that cannot be used. The line names its problem, never its value. At most one a minute.',
    fields: ['header', 'problem', 'setting'],
  },
  clock_jumped: { level: 'warn', meaning: 'The system clock was set; negative: back.', fields: ['seconds'] },
  fewer_threads: {
    level: 'warn',
    meaning: 'With THREADS=auto, memory permits fewer threads than the machine has cores.',
    fields: ['threads', 'cores', 'reason'],
  },
  one_thread: { level: 'warn', meaning: 'THREADS is not used.', fields: ['reason'] },
  http3_unavailable: {
    level: 'warn',
    meaning: 'HTTP3_PORT is set, but this system or Node has no QUIC; everything else is served.',
    fields: ['reason'],
  },
  dns_addresses_unknown: {
    level: 'warn',
    meaning:
      'The host of PUBLIC_URL could not be resolved, so names in DNS_ZONE have no address. The service tries again.',
    fields: [],
  },
  dns_not_listening: {
    level: 'warn',
    meaning:
      'The DNS server has no address to listen on, or one is not available yet. The service tries again every second.',
    fields: ['address', 'code'],
  },
  datagrams_waiting: {
    level: 'info',
    meaning: 'With REUSE_PORT, DNS and STUN start after another process has closed their ports.',
    fields: ['port'],
  },
  http3_waiting: {
    level: 'info',
    meaning: 'With REUSE_PORT, HTTP/3 starts when another process has closed its UDP port.',
    fields: ['port'],
  },
  node_warning: {
    level: 'warn',
    meaning:
      'Node warns of a fault or of an old interface. The line names the warning and its place, never its text. At most one a minute for each thread.',
    fields: ['name', 'code'],
  },
  settings_unused: { level: 'warn', meaning: 'Settings have no effect because of other settings.', fields: [] },
  databases_old: { level: 'warn', meaning: 'A database is older than 60 days.', fields: [] },
  ffi_missing: { level: 'warn', meaning: 'node:ffi is missing: some values are null; use Node 26.', fields: [] },
  database_damaged: {
    level: 'warn',
    meaning: 'A damaged database in DATA_DIR was renamed; it is generated again, or the embedded one is used.',
    fields: ['file'],
  },
  asn_not_stored: {
    level: 'warn',
    meaning: 'The converted ASN database could not be stored; each start converts it again.',
    fields: [],
  },
  download_replaced: {
    level: 'warn',
    meaning: 'An earlier update was killed; its file is removed.',
    fields: ['file'],
  },
  asn_conversion: { level: 'info', meaning: 'The first start converts the embedded ASN database.', fields: [] },
  listening: {
    level: 'info',
    meaning: 'The service accepts connections.',
    fields: ['http', 'https', 'http3', 'dns', 'stun', 'metrics', 'databases'],
  },
  dns_store_connected: {
    level: 'info',
    meaning: 'RATE_LIMIT_STORE is available, at startup or again; the DNS test shows queries that reach any instance.',
    fields: [],
  },
  rate_store_connected: {
    level: 'info',
    meaning: 'RATE_LIMIT_STORE is available, at startup or again; all instances count together.',
    fields: [],
  },
  reloaded: { level: 'info', meaning: 'A certificate or database was reloaded.', fields: ['what'] },
  certificate_store_connected: {
    level: 'info',
    meaning: 'RATE_LIMIT_STORE is available, at startup or again; all instances share one certificate.',
    fields: [],
  },
  certificate_stored: {
    level: 'info',
    meaning: 'The certificate in DATA_DIR, or of another instance, is used.',
    fields: ['names', 'until'],
  },
  certificate_ordered: { level: 'info', meaning: 'A certificate for ACME_DOMAIN is being ordered.', fields: ['names'] },
  certificate_renewal_suggested: {
    level: 'info',
    meaning: 'The certificate authority suggests when to renew.',
    fields: ['renewal'],
  },
  certificate_obtained: { level: 'info', meaning: 'A new certificate is in use.', fields: ['names', 'until'] },
  downloaded: { level: 'info', meaning: 'A monthly update downloaded a database.', fields: ['file'] },
  draining: {
    level: 'info',
    meaning: '/readyz responds with 503; the service stops after DRAIN_DELAY.',
    fields: ['seconds'],
  },
  stopping: { level: 'info', meaning: 'The service stops listening and completes open requests.', fields: [] },
  stopped: { level: 'info', meaning: 'The service has stopped; exit code 0.', fields: [] },
} as const;
