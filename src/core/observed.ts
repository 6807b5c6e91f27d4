/** One request as an edge observed it: plain values, null if the edge could not observe them. */

/** A client as the limits of its edge count it; opaque to all other code. */
export type RateKey = object | string;

/**
 * An edge that creates an observed request or one of its parts states every member, without a spread of defaults: the compiler then names
 * the edges that have not decided on a new member.
 */
export interface ObservedRequest extends Readonly<typeof unobserved> {
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
  /** IPv6 clients of one /64 are one. */
  readonly rateKey: RateKey;
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

export type HeaderField = readonly [name: string, value: string];

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

const text = null as string | null;
const number = null as number | null;
const bytes = null as Uint8Array | null;

/** What an edge may be unable to observe of a request, each member without a value; the types follow from it. */
export const unobserved = {
  /** The client's source port; null if an intermediary hides it. */
  port: number,
  /** IATA code of the data center that handled the request. */
  colo: text,
  protocol: null as Protocol | null,
  /** Number of the request on the client's connection, from 1; null if the connection is an intermediary's. */
  requestNumber: number,
  /** Request priority as the edge reports it, else the `priority` header (RFC 9218). */
  priority: text,
  /** `Accept-Encoding` as the client sent it, never as an intermediary rewrote it. */
  acceptEncoding: text,
  /**
   * Measures the round trip of a PING of HTTP/2 now, in milliseconds; null if the client does not acknowledge it in time, or the edge was
   * busy. Null over other protocols, and if the edge sends none.
   */
  ping: null as (() => Promise<number | null>) | null,
  /** Location of an address as a database or an edge reports it; `resources/geo` derives missing values. */
  location: {
    country: text,
    countryName: text,
    region: text,
    regionCode: text,
    city: text,
    postalCode: text,
    metroCode: text,
    continent: text,
    timezone: text,
    isEU: null as boolean | null,
    latitude: number,
    longitude: number,
  },
  autonomousSystem: { asn: number, asOrganization: text },
  /** Measurements of the connection; an unmeasured value is null, never 0. */
  transport: {
    clientTcpRttMs: number,
    clientQuicRttMs: number,
    /** Bytes per second. */
    deliveryRateBps: number,
  },
  tls: {
    version: text,
    cipher: text,
    /** Bytes of the ClientHello body, without record and handshake headers. */
    clientHelloLength: number,
    /** Base64 of the SHA-1 of the cipher suites as sent (16-bit big-endian, GREASE included). */
    clientCiphersSha1: text,
    /** Base64 of the SHA-1 of the extension ids as sent (16-bit big-endian). */
    clientExtensionsSha1: text,
  },
  /** Round trips of the client's connection above TCP, in milliseconds; null also if the edge was too busy to measure them. */
  layers: {
    /** Time from the ClientHello to the end of the TLS handshake. */
    tlsMs: number,
    /** Whether the handshake resumed a session: then the client did not verify the certificate meanwhile. */
    tlsResumed: null as boolean | null,
    /** Time from the edge's SETTINGS to their acknowledgment, which arrives after the first request. */
    http2Ms: number,
  },
  /** The client's bytes from which fingerprints are computed, as far as the edge received them unchanged. */
  handshake: {
    /** Body of the first ClientHello, without record and handshake headers. */
    clientHello: bytes,
    /** HTTP/2 frames after the preface, up to the priority of the first HEADERS frame. */
    http2Frames: bytes,
    /** Frames of the client's HTTP/3 control stream before its first request. */
    http3Frames: bytes,
    /** Null over TCP. */
    quic: null as QuicOpening | null,
    /** Header fields as sent, in order; names of pseudo-headers with their colon, values decoded as those of `headers`. */
    headerFields: null as readonly HeaderField[] | null,
    /** IP and TCP headers of the first packet. */
    tcpSyn: bytes,
    /** JA3 as a trusted edge computed it: its text, or the MD5 in hex. */
    ja3: text,
    /** JA4 as a trusted edge computed it. */
    ja4: text,
  },
};
export type ObservedLocation = Readonly<typeof unobserved.location>;
export type AutonomousSystem = Readonly<typeof unobserved.autonomousSystem>;
export type Transport = Readonly<typeof unobserved.transport>;
export type ObservedTls = Readonly<typeof unobserved.tls>;
export type ObservedLayers = Readonly<typeof unobserved.layers>;
export type ObservedHandshake = Readonly<typeof unobserved.handshake>;

/** Returns a text that has the form of a Base64 SHA-1: 20 bytes in 27 digits and one pad; else null. */
export const parseSha1 = (text: string): string | null => (/^[A-Za-z\d+/]{27}=$/.test(text) ? text : null);
