/**
 * Names of QUIC transport parameters and HTTP/3 settings. https://www.iana.org/assignments/quic and
 * https://www.iana.org/assignments/http3-parameters. Last updated: 2026-11-22
 */

/** QUIC Transport Parameters. */
export const transportParameterNames: ReadonlyMap<number, string> = new Map([
  [0x00, 'original_destination_connection_id'],
  [0x01, 'max_idle_timeout'],
  [0x02, 'stateless_reset_token'],
  [0x03, 'max_udp_payload_size'],
  [0x04, 'initial_max_data'],
  [0x05, 'initial_max_stream_data_bidi_local'],
  [0x06, 'initial_max_stream_data_bidi_remote'],
  [0x07, 'initial_max_stream_data_uni'],
  [0x08, 'initial_max_streams_bidi'],
  [0x09, 'initial_max_streams_uni'],
  [0x0a, 'ack_delay_exponent'],
  [0x0b, 'max_ack_delay'],
  [0x0c, 'disable_active_migration'],
  [0x0d, 'preferred_address'],
  [0x0e, 'active_connection_id_limit'],
  [0x0f, 'initial_source_connection_id'],
  [0x10, 'retry_source_connection_id'],
  [0x11, 'version_information'],
  [0x20, 'max_datagram_frame_size'],
  [0x173e, 'discard'],
  [0x26ab, 'google handshake message'],
  [0x2ab2, 'grease_quic_bit'],
  [0x3127, 'initial_rtt'],
  [0x3128, 'google_connection_options'],
  [0x3129, 'user_agent'],
  [0x4752, 'google_version'],
  // A value of its drafts, which Firefox sends.
  [0xff02de1a, 'min_ack_delay'],
  [0xff04de1b, 'min_ack_delay'],
]);

/** HTTP/3 Settings, without the prefix SETTINGS_. */
export const http3SettingNames: ReadonlyMap<number, string> = new Map([
  [0x01, 'QPACK_MAX_TABLE_CAPACITY'],
  [0x06, 'MAX_FIELD_SECTION_SIZE'],
  [0x07, 'QPACK_BLOCKED_STREAMS'],
  [0x08, 'ENABLE_CONNECT_PROTOCOL'],
  [0x33, 'H3_DATAGRAM'],
  [0x4d44, 'ENABLE_METADATA'],
  // Of the drafts of WebTransport and of HTTP datagrams.
  [0x2b603742, 'ENABLE_WEBTRANSPORT'],
  [0xffd277, 'H3_DATAGRAM'],
]);
