/**
 * Names of the values in a ClientHello, except cipher suites. https://www.iana.org/assignments/tls-parameters/ and
 * https://www.iana.org/assignments/tls-extensiontype-values/. Last updated: 2026-11-21
 */

/** The ids of the extensions that are read; RFC 8446 §4.2 and the RFC named beside each. */
export const extensionIds = {
  serverName: 0, // RFC 6066
  supportedGroups: 10, // RFC 8422
  ecPointFormats: 11, // RFC 8422
  signatureAlgorithms: 13,
  alpn: 16, // RFC 7301
  compressCertificate: 27, // RFC 8879
  sessionTicket: 35, // RFC 5077
  preSharedKey: 41,
  earlyData: 42,
  supportedVersions: 43,
  pskKeyExchangeModes: 45,
  keyShare: 51,
  quicTransportParameters: 57, // RFC 9001
  encryptedClientHello: 65037, // RFC 9849
} as const;

/** TLS ExtensionType values; 13172, 17513, 17613, 30032, 51764 and 65486 are in use without a registration and have their drafts’ names. */
export const extensionNames: ReadonlyMap<number, string> = new Map([
  [0, 'server_name'],
  [1, 'max_fragment_length'],
  [2, 'client_certificate_url'],
  [3, 'trusted_ca_keys'],
  [4, 'truncated_hmac'],
  [5, 'status_request'],
  [6, 'user_mapping'],
  [7, 'client_authz'],
  [8, 'server_authz'],
  [9, 'cert_type'],
  [10, 'supported_groups'],
  [11, 'ec_point_formats'],
  [12, 'srp'],
  [13, 'signature_algorithms'],
  [14, 'use_srtp'],
  [15, 'heartbeat'],
  [16, 'application_layer_protocol_negotiation'],
  [17, 'status_request_v2'],
  [18, 'signed_certificate_timestamp'],
  [19, 'client_certificate_type'],
  [20, 'server_certificate_type'],
  [21, 'padding'],
  [22, 'encrypt_then_mac'],
  [23, 'extended_master_secret'],
  [24, 'token_binding'],
  [25, 'cached_info'],
  [26, 'tls_lts'],
  [27, 'compress_certificate'],
  [28, 'record_size_limit'],
  [29, 'pwd_protect'],
  [30, 'pwd_clear'],
  [31, 'password_salt'],
  [32, 'ticket_pinning'],
  [33, 'tls_cert_with_extern_psk'],
  [34, 'delegated_credential'],
  [35, 'session_ticket'],
  [36, 'TLMSP'],
  [37, 'TLMSP_proxying'],
  [38, 'TLMSP_delegate'],
  [39, 'supported_ekt_ciphers'],
  [41, 'pre_shared_key'],
  [42, 'early_data'],
  [43, 'supported_versions'],
  [44, 'cookie'],
  [45, 'psk_key_exchange_modes'],
  [47, 'certificate_authorities'],
  [48, 'oid_filters'],
  [49, 'post_handshake_auth'],
  [50, 'signature_algorithms_cert'],
  [51, 'key_share'],
  [52, 'transparency_info'],
  [54, 'connection_id'],
  [55, 'external_id_hash'],
  [56, 'external_session_id'],
  [57, 'quic_transport_parameters'],
  [58, 'ticket_request'],
  [59, 'dnssec_chain'],
  [60, 'sequence_number_encryption_algorithms'],
  [61, 'rrc'],
  [62, 'tls_flags'],
  [13172, 'next_protocol_negotiation'],
  [17513, 'application_settings (old)'],
  [17613, 'application_settings'],
  [30032, 'channel_id'],
  [51764, 'trust_anchors'],
  [64768, 'ech_outer_extensions'],
  [65037, 'encrypted_client_hello'],
  [65281, 'renegotiation_info'],
  [65486, 'encrypted_server_name'],
]);

/** TLS Supported Groups, post-quantum ones included. */
export const groupNames: ReadonlyMap<number, string> = new Map([
  [1, 'sect163k1'],
  [2, 'sect163r1'],
  [3, 'sect163r2'],
  [4, 'sect193r1'],
  [5, 'sect193r2'],
  [6, 'sect233k1'],
  [7, 'sect233r1'],
  [8, 'sect239k1'],
  [9, 'sect283k1'],
  [10, 'sect283r1'],
  [11, 'sect409k1'],
  [12, 'sect409r1'],
  [13, 'sect571k1'],
  [14, 'sect571r1'],
  [15, 'secp160k1'],
  [16, 'secp160r1'],
  [17, 'secp160r2'],
  [18, 'secp192k1'],
  [19, 'secp192r1'],
  [20, 'secp224k1'],
  [21, 'secp224r1'],
  [22, 'secp256k1'],
  [23, 'secp256r1'],
  [24, 'secp384r1'],
  [25, 'secp521r1'],
  [26, 'brainpoolP256r1'],
  [27, 'brainpoolP384r1'],
  [28, 'brainpoolP512r1'],
  [29, 'x25519'],
  [30, 'x448'],
  [31, 'brainpoolP256r1tls13'],
  [32, 'brainpoolP384r1tls13'],
  [33, 'brainpoolP512r1tls13'],
  [34, 'GC256A'],
  [35, 'GC256B'],
  [36, 'GC256C'],
  [37, 'GC256D'],
  [38, 'GC512A'],
  [39, 'GC512B'],
  [40, 'GC512C'],
  [41, 'curveSM2'],
  [256, 'ffdhe2048'],
  [257, 'ffdhe3072'],
  [258, 'ffdhe4096'],
  [259, 'ffdhe6144'],
  [260, 'ffdhe8192'],
  [512, 'MLKEM512'],
  [513, 'MLKEM768'],
  [514, 'MLKEM1024'],
  [4587, 'SecP256r1MLKEM768'],
  [4588, 'X25519MLKEM768'],
  [4589, 'SecP384r1MLKEM1024'],
  [4590, 'curveSM2MLKEM768'],
  [25497, 'X25519Kyber768Draft00'],
  [25498, 'SecP256r1Kyber768Draft00'],
  [65281, 'arbitrary_explicit_prime_curves'],
  [65282, 'arbitrary_explicit_char2_curves'],
]);

/** TLS SignatureScheme. The pairs of hash and signature of TLS 1.2 (RFC 5246 §7.4.1.4.1) that are not a scheme have names made like these. */
export const signatureSchemeNames: ReadonlyMap<number, string> = new Map([
  [0x0101, 'rsa_md5'],
  [0x0201, 'rsa_pkcs1_sha1'],
  [0x0202, 'dsa_sha1'],
  [0x0203, 'ecdsa_sha1'],
  [0x0301, 'rsa_sha224'],
  [0x0302, 'dsa_sha224'],
  [0x0303, 'ecdsa_sha224'],
  [0x0401, 'rsa_pkcs1_sha256'],
  [0x0402, 'dsa_sha256'],
  [0x0403, 'ecdsa_secp256r1_sha256'],
  [0x0420, 'rsa_pkcs1_sha256_legacy'],
  [0x0501, 'rsa_pkcs1_sha384'],
  [0x0502, 'dsa_sha384'],
  [0x0503, 'ecdsa_secp384r1_sha384'],
  [0x0520, 'rsa_pkcs1_sha384_legacy'],
  [0x0601, 'rsa_pkcs1_sha512'],
  [0x0602, 'dsa_sha512'],
  [0x0603, 'ecdsa_secp521r1_sha512'],
  [0x0620, 'rsa_pkcs1_sha512_legacy'],
  [0x0704, 'eccsi_sha256'],
  [0x0705, 'iso_ibs1'],
  [0x0706, 'iso_ibs2'],
  [0x0707, 'iso_chinese_ibs'],
  [0x0708, 'sm2sig_sm3'],
  [0x0709, 'gostr34102012_256a'],
  [0x070a, 'gostr34102012_256b'],
  [0x070b, 'gostr34102012_256c'],
  [0x070c, 'gostr34102012_256d'],
  [0x070d, 'gostr34102012_512a'],
  [0x070e, 'gostr34102012_512b'],
  [0x070f, 'gostr34102012_512c'],
  [0x0804, 'rsa_pss_rsae_sha256'],
  [0x0805, 'rsa_pss_rsae_sha384'],
  [0x0806, 'rsa_pss_rsae_sha512'],
  [0x0807, 'ed25519'],
  [0x0808, 'ed448'],
  [0x0809, 'rsa_pss_pss_sha256'],
  [0x080a, 'rsa_pss_pss_sha384'],
  [0x080b, 'rsa_pss_pss_sha512'],
  [0x081a, 'ecdsa_brainpoolP256r1tls13_sha256'],
  [0x081b, 'ecdsa_brainpoolP384r1tls13_sha384'],
  [0x081c, 'ecdsa_brainpoolP512r1tls13_sha512'],
  [0x0904, 'mldsa44'],
  [0x0905, 'mldsa65'],
  [0x0906, 'mldsa87'],
]);

/** ProtocolVersion (RFC 8446 §4.1.2, RFC 9147 §5.3). */
export const versionNames: ReadonlyMap<number, string> = new Map([
  [0x0002, 'SSLv2'],
  [0x0300, 'SSLv3'],
  [0x0301, 'TLSv1'],
  [0x0302, 'TLSv1.1'],
  [0x0303, 'TLSv1.2'],
  [0x0304, 'TLSv1.3'],
  [0xfefc, 'DTLSv1.3'],
  [0xfefd, 'DTLSv1.2'],
  [0xfeff, 'DTLSv1.0'],
]);

/** Codes of the versions in JA4. */
export const versionCodes: ReadonlyMap<number, string> = new Map([
  [0x0304, '13'],
  [0x0303, '12'],
  [0x0302, '11'],
  [0x0301, '10'],
  [0x0300, 's3'],
  [0x0002, 's2'],
  [0xfeff, 'd1'],
  [0xfefd, 'd2'],
  [0xfefc, 'd3'],
]);

/** TLS EC Point Formats. */
export const pointFormatNames: ReadonlyMap<number, string> = new Map([
  [0, 'uncompressed'],
  [1, 'ansiX962_compressed_prime'],
  [2, 'ansiX962_compressed_char2'],
]);

/** TLS Certificate Compression Algorithm IDs (RFC 8879). */
export const certificateCompressionNames: ReadonlyMap<number, string> = new Map([
  [1, 'zlib'],
  [2, 'brotli'],
  [3, 'zstd'],
]);

/** TLS PskKeyExchangeMode; its GREASE values are single bytes (RFC 8701 §2). */
export const pskModeNames: ReadonlyMap<number, string> = new Map([
  [0, 'psk_ke'],
  [1, 'psk_dhe_ke'],
  [0x0b, 'GREASE'],
  [0x2a, 'GREASE'],
  [0x49, 'GREASE'],
  [0x68, 'GREASE'],
  [0x87, 'GREASE'],
  [0xa6, 'GREASE'],
  [0xc5, 'GREASE'],
  [0xe4, 'GREASE'],
]);

/** TLS Compression Method Identifiers. */
export const compressionMethodNames: ReadonlyMap<number, string> = new Map([
  [0, 'NULL'],
  [1, 'DEFLATE'],
  [64, 'LZS'],
]);

/** HPKE KDF Identifiers. https://www.iana.org/assignments/hpke/ */
export const hpkeKdfNames: ReadonlyMap<number, string> = new Map([
  [1, 'HKDF-SHA256'],
  [2, 'HKDF-SHA384'],
  [3, 'HKDF-SHA512'],
]);

/** HPKE AEAD Identifiers. https://www.iana.org/assignments/hpke/ */
export const hpkeAeadNames: ReadonlyMap<number, string> = new Map([
  [1, 'AES-128-GCM'],
  [2, 'AES-256-GCM'],
  [3, 'ChaCha20Poly1305'],
]);
