/** What TLS handshakes with the addresses of a host show. */

export interface HandshakeRequest {
  /** IP address of the client that caused it; absent if none did. */
  readonly client?: string;
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Total time for name resolution and all handshakes. */
  readonly timeoutMs: number;
}

/**
 * How a handshake ended. `alert`: the server rejected it. `no_tls`: the server speaks another protocol. `closed`: it closed the connection.
 * `failed`: this side rejected what the server sent. `no_route`: this machine has no route to the address. `overloaded`: not sent, because
 * the process has too many connections or files open.
 */
export const handshakeOutcomes = [
  'ok',
  'alert',
  'no_tls',
  'refused',
  'closed',
  'timeout',
  'unreachable',
  'no_route',
  'failed',
  'overloaded',
] as const;
export type HandshakeOutcome = (typeof handshakeOutcomes)[number];

/** A handshake that was not `ok` may still have received a certificate. */
export interface Handshake {
  readonly address: string;
  readonly outcome: HandshakeOutcome;
  /** The name of the alert, or the reason of OpenSSL or of the system; null if the outcome states it. */
  readonly detail: string | null;
  readonly protocol: string | null;
  readonly cipher: string | null;
  readonly group: string | null;
  readonly alpn: string | null;
  readonly elapsedMs: number;
  readonly peer: Peer | null;
}

/** The certificates that a server sent. */
export interface Peer {
  /** In the order of the server, at most `maxChainLength`. */
  readonly chain: readonly [ObservedCertificate, ...ObservedCertificate[]];
  /** Certificates of the server that are not in `chain`. */
  readonly omitted: number;
  /** The name in the first certificate that matches the host; null if none does. */
  readonly matchedName: string | null;
  /** Positions in `chain` from the first certificate to the last one that the next has issued. */
  readonly path: readonly number[];
  /** Subject of the root of this machine that issued the last certificate of the path, or is it; null if there is none. */
  readonly root: string | null;
  /** OpenSSL's reason not to trust it, in its words, such as "certificate has expired"; null if it does; undefined if the handshake ended before. */
  readonly verifyError: string | null | undefined;
}

export const maxChainLength = 6;
export const maxCertificateNames = 100;
export const maxSctLogs = 8;

export interface ObservedCertificate {
  /** Distinguished names with a line for each attribute, escaped by OpenSSL, such as `C=US\nO=Let's Encrypt`. */
  readonly subject: string;
  readonly issuer: string;
  readonly serialNumber: string;
  /** Milliseconds since the Unix epoch. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** DNS names and IP addresses, at most `maxCertificateNames`. */
  readonly names: readonly string[];
  readonly omittedNames: number;
  /** Null if OpenSSL cannot read the key. */
  readonly key: { readonly type: string; readonly bits: number | null; readonly curve: string | null } | null;
  readonly signatureAlgorithm: string | null;
  /** SHA-256 with colons. */
  readonly fingerprint: string;
  /** Embedded signed certificate timestamps; null if the extension is malformed. */
  readonly scts: number | null;
  /** Ids of their logs in Base64, at most `maxSctLogs`. */
  readonly sctLogs: readonly string[];
  /** Where the certificate of the issuer is published (AIA, caIssuers); null if it does not state it. */
  readonly issuerUrl: string | null;
  readonly isSelfIssued: boolean;
}

export interface Handshakes {
  readonly handshakes: readonly Handshake[];
  /** Addresses of the host without a handshake. */
  readonly omitted: number;
  /** IP versions whose addresses are not known, because DNS failed. */
  readonly unknownVersions: readonly (4 | 6)[];
  /** A further handshake with TLS 1.0 and 1.1 only; null if there was none. */
  readonly oldVersions: Handshake | null;
}
