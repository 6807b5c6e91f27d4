/** One request as an edge observed it: plain values, null if the edge could not observe them. */

/**
 * An edge that creates an observed request or one of its parts states every member, without a spread of defaults: the compiler then names
 * the edges that have not decided on a new member.
 */
export interface ObservedRequest {
  readonly method: string;
  /** Path of the request target as sent, not decoded. */
  readonly path: string;
  /** Query of the request target as sent, without the question mark. */
  readonly query: string;
  /** Scheme, host and port that the client requested, as a URL origin without a final slash. */
  readonly origin: string;
  /** Whether the scheme of `origin` is https; cheaper to read than the origin. */
  readonly isSecure: boolean;
  /** Client IP address, without port, brackets, zone or `::ffff:`. */
  readonly ip: string | null;
  /** The client's source port; null if an intermediary hides it. */
  readonly port: number | null;
  /** Opaque key for rate limits; IPv6 clients of one /64 share it. */
  readonly rateKey: string;
  readonly location: ObservedLocation;
  readonly autonomousSystem: AutonomousSystem;
  /** IATA code of the data center that handled the request. */
  readonly colo: string | null;
  readonly transport: Transport;
  readonly tls: ObservedTls;
  readonly handshake: ObservedHandshake;
  readonly protocol: Protocol | null;
  /** Request priority as the edge reports it, else the `priority` header (RFC 9218). */
  readonly priority: string | null;
  /** `Accept-Encoding` as the client sent it, never as an intermediary rewrote it. */
  readonly acceptEncoding: string | null;
  /** Client headers: lower-case names, in order of arrival, without a prototype. */
  readonly headers: Readonly<Record<string, string>>;
  readonly edgeHeaders: Readonly<Record<string, string>>;
  /** Whether network fields are simulated (local development server). */
  readonly simulated: boolean;
  /** Whether the request arrived on a loopback address, and not from a trusted proxy. */
  readonly onLoopback: boolean;
}

export const protocols = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2', 'HTTP/3'] as const;
export type Protocol = (typeof protocols)[number];

/** Location of an address as a database or an edge reports it; `resources/geo` derives missing values. */
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

export type HeaderField = readonly [name: string, value: string];

/** The client's bytes from which fingerprints are computed, as far as the edge received them unchanged. */
export interface ObservedHandshake {
  /** Body of the first ClientHello, without record and handshake headers. */
  readonly clientHello: Uint8Array | null;
  /** HTTP/2 frames after the preface, up to the priority of the first HEADERS frame. */
  readonly http2Frames: Uint8Array | null;
  /** Frames of the client's HTTP/3 control stream before its first request. */
  readonly http3Frames: Uint8Array | null;
  /** Null over TCP. */
  readonly quic: QuicOpening | null;
  /** Header fields as sent, in order; names of pseudo-headers with their colon, values decoded as those of `headers`. */
  readonly headerFields: readonly HeaderField[] | null;
  /** IP and TCP headers of the first packet. */
  readonly tcpSyn: Uint8Array | null;
  /** JA3 as a trusted edge computed it: its text, or the MD5 in hex. */
  readonly ja3: string | null;
  /** JA4 as a trusted edge computed it. */
  readonly ja4: string | null;
}

/** The packets of a QUIC client before the end of the handshake. */
export interface QuicOpening {
  readonly version: number;
  /** Bytes of the connection id that the client chose for the server in its first packet, and of its own. */
  readonly destinationIdLength: number | null;
  readonly sourceIdLength: number;
  /** CRYPTO frames and datagrams that carried the ClientHello. */
  readonly cryptoFrames: number;
  readonly datagrams: number;
}

/** The parts of a request of which an edge observed nothing. */
export const unobserved = {
  location: {
    country: null,
    countryName: null,
    region: null,
    regionCode: null,
    city: null,
    postalCode: null,
    metroCode: null,
    continent: null,
    timezone: null,
    isEU: null,
    latitude: null,
    longitude: null,
  },
  autonomousSystem: { asn: null, asOrganization: null },
  transport: { clientTcpRttMs: null, clientQuicRttMs: null, deliveryRateBps: null },
  tls: {
    version: null,
    cipher: null,
    clientHelloLength: null,
    clientCiphersSha1: null,
    clientExtensionsSha1: null,
  },
  handshake: {
    clientHello: null,
    http2Frames: null,
    http3Frames: null,
    quic: null,
    headerFields: null,
    tcpSyn: null,
    ja3: null,
    ja4: null,
  },
} satisfies Partial<ObservedRequest>;

/** Returns a text that has the form of a Base64 SHA-1: 20 bytes in 27 digits and one pad; else null. */
export function checkSha1(text: string): string | null {
  return /^[A-Za-z\d+/]{27}=$/.test(text) ? text : null;
}
