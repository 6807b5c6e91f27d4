/**
 * The service's own metrics; `aggregator` combines the values of several threads. Names follow
 * https://prometheus.io/docs/practices/naming; no label has request data.
 */

/** Limits of the process that reject or close something. */
export const rejectionReasons = {
  outbound: 'lookups above MAX_OUTBOUND',
  memory: 'connections while memory is full',
  connection_rate: 'connections above CONNECTION_RATE',
  connections_per_address: 'connections above MAX_CONNECTIONS_PER_ADDRESS',
  connections: 'connections above MAX_CONNECTIONS',
  connections_again:
    'connections closed immediately, of a client or network whose connections were just rejected or replaced',
  replaced: 'connections without a request, for new ones',
  reset_stream: 'requests reset while they waited',
  useless_frames: 'connections with too many useless frames',
  quic_memory: 'HTTP/3 connections closed because one or all of them hold too much memory',
  stream_resets: 'HTTP/3 connections whose clients reset too many requests',
  stalled_reader: 'readers without progress',
  body_bytes: 'request bodies above the memory for all of them',
  held_headers: 'requests rejected because those without a response have too many headers',
  waiting_requests: 'HTTP/2 and HTTP/3 connections whose waiting requests are rejected, because too many requests wait',
  unsent_bytes: 'readers closed because too many unsent bytes are in memory',
  document_bytes: 'documents above RATE_LIMIT_DOCUMENTS',
  dns_connections: 'DNS connections over TCP that a limit closed',
  compression: 'responses uncompressed because of concurrent compressions',
} as const;

/** Metrics that are counted as things happen. */
export const countedMetrics = {
  seenby_requests_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['endpoint', 'status'],
    help: 'Responses by endpoint ("unknown" for every other path) and status. Health checks are not counted.',
  },
  seenby_request_duration_seconds: {
    type: 'histogram',
    aggregator: 'sum',
    labels: ['endpoint'],
    help: 'Time from the parsed request to the complete response, by endpoint ("unknown" for every other path).',
  },
  seenby_lookups_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['lookup', 'outcome'],
    help: 'Lookups (rdap, dns, ip, headers-check, certificate, port; in domain reports also domain-dns, domain-address) by outcome: ok or an error code. Rate-limited ones are not counted.',
  },
  seenby_tool_calls_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['tool', 'outcome'],
    help: 'MCP tool calls by tool ("unknown" if no tool has the name) and outcome: ok or an error code, such as rate_limited.',
  },
  /** The list adds the reasons to the help. */
  seenby_rejections_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['reason'],
    help: 'Rejections and closings by limits of the process: ',
  },
  seenby_dns_queries_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['result'],
    help: 'DNS queries by result: a response code such as NOERROR, truncated (too long for UDP), limited (above RATE_LIMIT_DNS, told to use TCP), dropped (three of four above four times that limit) or ignored (not a query, or none that may be answered).',
  },
  seenby_stun_requests_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['result'],
    help: 'Datagrams to STUN_PORT by result: success, unknown_attributes (error response), limited (above RATE_LIMIT_STUN, no response) or ignored (not a request, or none that may be answered).',
  },
  seenby_tls_handshakes_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['version', 'result'],
    help: 'TLS handshakes by version ("none" if failed) and result: full, resumed or failed.',
  },
  seenby_log_events_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: ['event', 'level'],
    help: 'Events of the log while the service runs, whether or not LOG_LEVEL includes them; not those of start and stop.',
  },
  seenby_build_info: {
    type: 'gauge',
    aggregator: 'max',
    labels: ['version', 'node'],
    help: 'Always 1; the labels are the versions of the service and of Node.',
  },
} as const;

/** Metrics whose values are read from their source whenever metrics are read. */
export const watchedMetrics = {
  seenby_connections_accepted_total: {
    type: 'counter',
    aggregator: 'sum',
    labels: [],
    help: 'Connections accepted by the limits on connections.',
  },
  seenby_connections: {
    type: 'gauge',
    aggregator: 'sum',
    labels: ['protocol'],
    help: 'Open connections by protocol: http/1.1, h2, h3 or none (before the end of the handshake).',
  },
  seenby_outbound_requests: { type: 'gauge', aggregator: 'sum', labels: [], help: 'Outbound requests in progress.' },
  seenby_outbound_requests_limit: {
    type: 'gauge',
    aggregator: 'max',
    labels: [],
    help: 'MAX_OUTBOUND; absent without a limit.',
  },
  seenby_memory_bytes: {
    type: 'gauge',
    aggregator: 'max',
    labels: [],
    help: 'Resident memory without the pages of files, such as mapped databases: what MAX_MEMORY limits.',
  },
  seenby_http3_memory_bytes: {
    type: 'gauge',
    aggregator: 'max',
    labels: [],
    help: 'Resident memory of the process for HTTP/3 without the pages of files, not part of process_resident_memory_bytes; absent without HTTP/3.',
  },
  seenby_http3_cpu_seconds_total: {
    type: 'counter',
    aggregator: 'max',
    labels: [],
    help: 'CPU time of the process for HTTP/3, not part of process_cpu_seconds_total; absent without HTTP/3.',
  },
  seenby_memory_limit_bytes: {
    type: 'gauge',
    aggregator: 'max',
    labels: [],
    help: 'Value of seenby_memory_bytes above which new connections are closed (MAX_MEMORY); absent without a limit.',
  },
  seenby_database_built_timestamp_seconds: {
    type: 'gauge',
    aggregator: 'max',
    labels: ['database'],
    help: 'Publication time of a database (city or asn) in seconds since the Unix epoch.',
  },
  seenby_certificate_start_timestamp_seconds: {
    type: 'gauge',
    aggregator: 'min',
    labels: [],
    help: 'Start of validity of the certificate in use, in seconds since the Unix epoch; absent for the generated one.',
  },
  seenby_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    aggregator: 'min',
    labels: [],
    help: 'End of validity of the certificate in use, in seconds since the Unix epoch; absent for the generated one.',
  },
  seenby_rate_store_connected: {
    type: 'gauge',
    aggregator: 'min',
    labels: [],
    help: 'Whether RATE_LIMIT_STORE is available (1), or each instance counts for itself (0); absent without a store.',
  },
} as const;

/** The metric of each UDP server (DNS, STUN), by result. */
export const datagramMetrics = {
  dns: 'seenby_dns_queries_total',
  stun: 'seenby_stun_requests_total',
} as const satisfies Record<string, keyof typeof countedMetrics>;
