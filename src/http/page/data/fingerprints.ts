/** The members of `/fingerprint`: who defined them, what they are computed from, and whether they stay the same. */

interface FingerprintRow {
  readonly names: readonly string[];
  readonly definedBy: string;
  /** URL of the definition. */
  readonly url?: string;
  readonly computedFrom: string;
  /** Whether it is equal between connections of one client. */
  readonly isEqual: string;
}

export const fingerprints: readonly FingerprintRow[] = [
  {
    names: ['ja3'],
    definedBy: 'Salesforce, 2017',
    url: 'https://github.com/salesforce/ja3',
    computedFrom:
      'MD5 of legacy version, cipher suites, extensions, groups and point formats in the order sent, without GREASE',
    isEqual: 'No for Chromium, which shuffles extensions',
  },
  {
    names: ['ja3n'],
    definedBy: 'Common practice; no specification',
    computedFrom: 'JA3 with the extensions sorted by number',
    isEqual: 'Yes, unless a session is resumed',
  },
  {
    names: ['ja4'],
    definedBy: 'FoxIO, 2023',
    url: 'https://github.com/FoxIO-LLC/ja4/blob/main/technical_details/JA4.md',
    computedFrom:
      'Protocol (t: TCP, q: QUIC), version, SNI, counts and ALPN; SHA-256 of the sorted cipher suites; SHA-256 of the sorted extensions and the signature algorithms',
    isEqual: 'Yes, unless a session is resumed; the middle part always',
  },
  {
    names: ['ja4_r', 'ja4_o', 'ja4_ro'],
    definedBy: 'FoxIO, 2023',
    computedFrom: 'JA4 with lists in place of hashes (r), in the order sent (o), or both',
    isEqual: 'ja4_r: like ja4; ja4_o and ja4_ro: like ja3',
  },
  {
    names: ['akamai'],
    definedBy: 'Akamai, 2017',
    url: 'https://blackhat.com/docs/eu-17/materials/eu-17-Shuster-Passive-Fingerprinting-Of-HTTP2-Clients-wp.pdf',
    computedFrom: 'MD5 of SETTINGS, the first WINDOW_UPDATE, PRIORITY frames and the order of pseudo-headers',
    isEqual: 'Yes',
  },
  {
    names: ['h3'],
    definedBy: 'Other fingerprint services',
    computedFrom:
      'MD5 of the HTTP/3 SETTINGS, further frames of the control stream and the order of pseudo-headers, with GREASE in place of reserved ones',
    isEqual: 'Yes',
  },
  {
    names: ['tls', 'quic', 'http', 'tcp'],
    definedBy: 'IETF and IANA',
    computedFrom:
      'ClientHello, QUIC transport parameters, HTTP/2 and HTTP/3 frames, headers and the first TCP packet, not hashed',
    isEqual: 'Yes, except key shares, GREASE and shuffled extensions',
  },
  {
    names: ['roundTrip'],
    definedBy: 'Seenby',
    computedFrom:
      'Measured: TCP by the kernel; TLS from the ClientHello to the end of the handshake; HTTP/2 from SETTINGS to their acknowledgment; QUIC by its library',
    isEqual: 'No',
  },
];
