/** What an edge saw of one request: plain values, null where the edge could not see. */

export interface ObservedRequest {
  readonly method: string;
  /** Path of the request target as sent, not decoded. */
  readonly path: string;
  /** Query of the request target as sent, without the question mark. */
  readonly query: string;
  /** Scheme, host and port the caller addressed, as a URL origin without a final slash. */
  readonly origin: string;
  /** The caller's public address, without port, brackets, zone or `::ffff:`. */
  readonly ip: string | null;
  /** Opaque name under which rates count this caller; an IPv6 caller shares it with its /64. */
  readonly rateKey: string;
  readonly location: ObservedLocation;
  readonly autonomousSystem: AutonomousSystem;
  /** IATA code of the data center that handled the request. */
  readonly colo: string | null;
  readonly transport: Transport;
  readonly tls: ObservedTls;
  readonly protocol: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2' | 'HTTP/3' | null;
  /** The edge's own account of the request's priority, else the `priority` header (RFC 9218). */
  readonly priority: string | null;
  /** `Accept-Encoding` as the client sent it, never what an intermediary made of it. */
  readonly acceptEncoding: string | null;
  /** Lower-case names, in order of arrival, without a prototype. */
  readonly headers: Readonly<Record<string, string>>;
  readonly edgeHeaders: Readonly<Record<string, string>>;
  /** True where network fields are simulated, on a local development server. */
  readonly simulated: boolean;
  /** Whether the request came in on an address that this machine alone can reach, and from nobody who is trusted to pass others' on. */
  readonly onLoopback: boolean;
}

/** What a database or an edge says of an address; what it leaves out is derived in `resources/geo`. */
export interface ObservedLocation {
  readonly country: string | null;
  readonly countryName: string | null;
  readonly region: string | null;
  readonly regionCode: string | null;
  readonly city: string | null;
  readonly postalCode: string | null;
  readonly metroCode: string | null;
  readonly continent: string | null;
  readonly timezone: string | null;
  readonly isEU: boolean | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

export interface AutonomousSystem {
  readonly asn: number | null;
  readonly asOrganization: string | null;
}

/** Measurements of the connection; an unmeasured value is null, never 0. */
export interface Transport {
  readonly clientTcpRttMs: number | null;
  readonly clientQuicRttMs: number | null;
  /** Bytes per second. */
  readonly deliveryRateBps: number | null;
}

export interface ObservedTls {
  readonly version: string | null;
  readonly cipher: string | null;
  /** Bytes of the ClientHello body, without record and handshake headers. */
  readonly clientHelloLength: number | null;
  /** Base64 of the SHA-1 of the cipher suites as sent (16-bit big-endian, GREASE included). */
  readonly clientCiphersSha1: string | null;
  /** Base64 of the SHA-1 of the extension ids as sent (16-bit big-endian). */
  readonly clientExtensionsSha1: string | null;
}
