/** The functions of OpenSSL and the C library that QUIC needs, as their headers declare them. */
const pointer = 'pointer';
const nothing = { arguments: [], return: pointer } as const;
const fromPointer = { arguments: [pointer], return: pointer } as const;
const ofPointer = { arguments: [pointer], return: 'i32' } as const;
const free = { arguments: [pointer], return: 'void' } as const;
const withCallback = { arguments: [pointer, pointer], return: 'void' } as const;

export const signatures = {
  // Certificates
  BIO_new_mem_buf: { arguments: [pointer, 'i32'], return: pointer },
  BIO_free: ofPointer,
  PEM_read_bio_X509: { arguments: [pointer, pointer, pointer, pointer], return: pointer },
  PEM_read_bio_PrivateKey: { arguments: [pointer, pointer, pointer, pointer], return: pointer },
  X509_free: free,
  EVP_PKEY_free: free,
  OPENSSL_sk_new_null: nothing,
  OPENSSL_sk_push: { arguments: [pointer, pointer], return: 'i32' },
  OPENSSL_sk_free: free,
  // Contexts and listeners
  OSSL_QUIC_server_method: nothing,
  SSL_CTX_new: fromPointer,
  SSL_CTX_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  SSL_CTX_set_domain_flags: { arguments: [pointer, 'u64'], return: 'i32' },
  SSL_CTX_use_cert_and_key: { arguments: [pointer, pointer, pointer, pointer, 'i32'], return: 'i32' },
  SSL_CTX_set_alpn_select_cb: { arguments: [pointer, pointer, pointer], return: 'void' },
  SSL_CTX_set_msg_callback: withCallback,
  SSL_CTX_set_num_tickets: { arguments: [pointer, 'u64'], return: 'i32' },
  SSL_select_next_proto: { arguments: [pointer, pointer, pointer, 'u32', pointer, 'u32'], return: 'i32' },
  SSL_new_listener: { arguments: [pointer, 'u64'], return: pointer },
  SSL_set0_rbio: withCallback,
  SSL_set0_wbio: withCallback,
  SSL_listen: ofPointer,
  SSL_handle_events: ofPointer,
  SSL_get_event_timeout: { arguments: [pointer, pointer, pointer], return: 'i32' },
  SSL_accept_connection: { arguments: [pointer, 'u64'], return: pointer },
  BIO_new_bio_dgram_pair: { arguments: [pointer, 'u64', pointer, 'u64'], return: 'i32' },
  BIO_new_dgram: { arguments: ['i32', 'i32'], return: pointer },
  BIO_up_ref: ofPointer,
  BIO_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  BIO_sendmmsg: { arguments: [pointer, pointer, 'u64', 'u64', 'u64', pointer], return: 'i32' },
  // Connections
  SSL_set_value_uint: { arguments: [pointer, 'u32', 'u32', 'u64'], return: 'i32' },
  SSL_get_value_uint: { arguments: [pointer, 'u32', 'u32', pointer], return: 'i32' },
  SSL_set_blocking_mode: { arguments: [pointer, 'i32'], return: 'i32' },
  SSL_set_default_stream_mode: { arguments: [pointer, 'u32'], return: 'i32' },
  SSL_set_incoming_stream_policy: { arguments: [pointer, 'i32', 'u64'], return: 'i32' },
  SSL_set_msg_callback: withCallback,
  SSL_is_init_finished: ofPointer,
  SSL_session_reused: ofPointer,
  SSL_get_current_cipher: fromPointer,
  SSL_CIPHER_get_name: fromPointer,
  SSL_group_to_name: { arguments: [pointer, 'i32'], return: pointer },
  SSL_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  SSL_get_conn_close_info: { arguments: [pointer, pointer, 'u64'], return: 'i32' },
  SSL_shutdown_ex: { arguments: [pointer, 'u64', pointer, 'u64'], return: 'i32' },
  SSL_free: free,
  ossl_quic_conn_get_channel: fromPointer,
  ossl_quic_channel_get_diag_local_cid: { arguments: [pointer, pointer], return: 'void' },
  ossl_quic_channel_get_statm: fromPointer,
  ossl_statm_get_rtt_info: { arguments: [pointer, pointer], return: 'void' },
  // Streams
  SSL_accept_stream: { arguments: [pointer, 'u64'], return: pointer },
  SSL_new_stream: { arguments: [pointer, 'u64'], return: pointer },
  SSL_get_stream_id: { arguments: [pointer], return: 'u64' },
  SSL_read_ex: { arguments: [pointer, pointer, 'u64', pointer], return: 'i32' },
  SSL_write_ex2: { arguments: [pointer, pointer, 'u64', 'u64', pointer], return: 'i32' },
  SSL_stream_conclude: { arguments: [pointer, 'u64'], return: 'i32' },
  SSL_get_stream_read_state: ofPointer,
  SSL_get_stream_write_state: ofPointer,
  SSL_get_stream_read_error_code: { arguments: [pointer, pointer], return: 'i32' },
  SSL_stream_reset: { arguments: [pointer, pointer, 'u64'], return: 'i32' },
  ERR_clear_error: { arguments: [], return: 'void' },
  // The C library
  inet_pton: { arguments: ['i32', pointer, pointer], return: 'i32' },
  if_nametoindex: { arguments: [pointer], return: 'u32' },
} as const;
