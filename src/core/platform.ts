/** Runtime services for endpoints and lookups: rate limits, metrics, time, outbound requests, request bodies. */
import type { ErrorCode } from './errors.ts';
import type { RateName } from './limits.ts';
import type { NameServer } from './name-server.ts';
import type { AutonomousSystem, ObservedLocation, ObservedRequest, RateKey } from './observed.ts';
import type { HandshakeRequest, Handshakes } from './tls/handshakes.ts';

/** Stands for every name that no tool has. */
export const unknownTool = 'unknown';

export interface Platform {
  /** Counts one request against each of these rates, or against none if one is exhausted. */
  limit(rates: readonly RateName[], rateKey: RateKey): RateDecision | Promise<RateDecision>;
  /** What a client has left of a rate, without counting anything; absent if the runtime does not know. */
  left?(rate: RateName, rateKey: RateKey): RateDecision;
  /** Counts one response by endpoint and status, without request data. */
  count(endpoint: string, status: number): void;
  /** Counts one lookup by its name in the list of lookups and by its outcome, without request data. */
  countLookup(lookup: string, outcome: 'ok' | ErrorCode): void;
  /**
   * Counts one call by the name of a tool in the list, or `unknownTool` for every other name, and by its outcome, without request data.
   */
  countToolCall(tool: string, outcome: 'ok' | ErrorCode): void;
  /** Reports an internal error to the operator, without request data. */
  report(error: unknown): void;
  /** Whether the service is stopping: open requests end, new connections are rejected. */
  isDraining(): boolean;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Sends one request to a URL from the settings. Does not follow redirects. Never rejects. */
  fetch(request: OutboundRequest): Promise<OutboundResult>;
  /** Sends one request, only to public addresses: it connects to the address it checked. Never rejects. */
  fetchPublic(request: OutboundRequest): Promise<OutboundResult>;
  /**
   * Opens a TCP connection to the client that sent the request, and to nothing else; sends no byte, and closes it. Never rejects. Null if
   * the operator does not permit it, or the runtime cannot.
   */
  readonly connectBack:
    | ((client: ObservedRequest, port: number) => Promise<ConnectionOutcome | { readonly failure: ConnectionFailure }>)
    | null;
  /**
   * TLS handshakes with public addresses of a host, without application data. Never rejects. Absent if the runtime does not show
   * the certificates of servers.
   */
  handshakes?(request: HandshakeRequest): Promise<Handshakes | { readonly failure: OutboundFailure }>;
  /** IANA's bootstrap file of this name, cached by the runtime, or why no copy is available. */
  bootstrapFile(name: BootstrapName): Promise<BootstrapFile | { readonly failure: BootstrapFailure }>;
  /** The IP databases; null if the runtime has none. */
  readonly addressData: AddressData | null;
  /** URLs of DNS over HTTPS resolvers, in order of preference. */
  readonly resolvers: readonly string[];
  /** Absent if no zone is delegated to the service. */
  readonly nameServer?: NameServer;
}

/** Whether a request is within its rates, and what its client has left. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** Requests left in the window of the rate with the fewest; null if there is no limit, or the runtime does not report it. */
  readonly remaining: number | null;
  /** Seconds until that window ends, rounded up; null if unknown. */
  readonly resetSeconds: number | null;
}

/** The decision about a request without a rate limit. */
export const unlimited: RateDecision = { isAllowed: true, remaining: null, resetSeconds: null };

/** Data about any IP address; unknown members are null. */
export interface AddressData {
  locate(ip: string): ObservedLocation;
  autonomousSystem(ip: string): AutonomousSystem;
  /** When the data was published; null without a database. */
  builtAt?(kind: 'city'): Date | null;
}

export interface OutboundRequest {
  /** IP address of the client that caused the request; absent if none did, or if it is not known. */
  readonly client?: string;
  readonly method: 'GET' | 'POST';
  /** An absolute http or https URL. */
  readonly url: string;
  /** All headers sent, except those of HTTP itself (Host, Connection, Content-Length). */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Total time for name resolution, connection, headers and body. */
  readonly timeoutMs: number;
  /** A larger body is `too_large`. 0: the body is not read. */
  readonly maxBodyBytes: number;
}

export interface OutboundResponse {
  readonly status: number;
  /** Lower-case names without a prototype; repeated ones joined by `, `; without Set-Cookie. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  /** Set if it has several different Location headers; clients do not agree on the one to follow. */
  readonly hasSeveralLocations?: true;
  /** Lines that break the rules of HTTP/1.1, if the runtime read them all the same. */
  readonly malformed?: readonly MalformedLine[];
  readonly body: Uint8Array;
}

/**
 * A line of a response that breaks the rules of HTTP/1.1 (RFC 9112). `folded`: continues the header before it. `name`: with an invalid
 * character, such as a space. `lengths`: several values of Content-Length; `length_repeated`: of which all are equal.
 */
export interface MalformedLine {
  readonly kind:
    | 'status_line'
    | 'folded'
    | 'no_colon'
    | 'name'
    | 'space_before_colon'
    | 'line_feed'
    | 'carriage_return'
    | 'control_character'
    | 'null_character'
    | 'lengths'
    | 'length_repeated'
    | 'length_invalid'
    | 'length_and_encoding';
  /** Name of the header or, if it has none, the beginning of the line, as sent: untrusted. */
  readonly name: string;
}

/**
 * Reason for a missing response. `blocked`: not a public address. `own`: an address of the service itself. `unresolved`: the name has
 * no address. `dns_failed`: a query for its addresses failed, and none is known. `unreachable`: no connection. `malformed`: not a response of HTTP/1.1. `certificate`: it
 * is not valid. `timeout`: no response in time. `too_large`: the headers or the body. `informational`: too many responses before the final
 * one (1xx). `overloaded`: not sent, because the process has too many requests, files or ports open.
 */
export type OutboundFailure =
  | 'blocked'
  | 'own'
  | 'unresolved'
  | 'dns_failed'
  | 'unreachable'
  | 'malformed'
  | 'certificate'
  | 'timeout'
  | 'too_large'
  | 'informational'
  | 'overloaded';

export type OutboundResult =
  | OutboundResponse
  | {
      readonly failure: OutboundFailure;
      /** IP versions over which this side has no route to the target; absent if that is not known. */
      readonly noRouteOver?: readonly (4 | 6)[];
    };

/**
 * What a client's port does with a connection. `open`: accepts it. `closed`: refuses it, by a reset or the ICMP message of a firewall, which
 * a program cannot tell apart. `filtered`: no response in time, or the message that the client cannot be reached.
 */
export const portStates = ['open', 'closed', 'filtered'] as const;

export interface ConnectionOutcome {
  readonly state: (typeof portStates)[number];
  readonly elapsedMs: number;
}

/**
 * Why a client's port has no known state. `unknown`: the edge does not know the client's address for certain. `blocked`: it is not public.
 * `own`: it is the service's. `hosts_unknown`: that could not be decided, because DNS fails. `no_route`: the service has no route to it, or
 * no address of its family. `overloaded`: the process has too many requests, files or ports open.
 */
export type ConnectionFailure = 'unknown' | 'blocked' | 'own' | 'hosts_unknown' | 'no_route' | 'overloaded';

/** The bootstrap files of RFC 9224. */
export type BootstrapName = 'dns' | 'ipv4' | 'ipv6' | 'asn';

export type BootstrapFailure = 'timeout' | 'overloaded' | 'unavailable';

/** A bootstrap file: its entries (labels, prefixes, ranges) with the base URLs that serve them. */
export interface BootstrapFile {
  /** Publication time in RFC 3339 form; null if the file has none. */
  readonly publication: string | null;
  readonly services: readonly { readonly entries: readonly string[]; readonly urls: readonly string[] }[];
}

/** The request body, which only one endpoint accepts, and the end of the request. */
export interface RequestBody {
  /**
   * Reads the whole body, once. Null if it is larger: enough of the rest is then discarded for the client to receive the response.
   * Rejects with `request_timeout` if the body does not arrive.
   */
  read(maxBytes: number): Promise<Uint8Array | null>;
  /** Calls the function when the response was sent, or cannot be sent, because the client has disconnected; absent if the runtime does not report it. */
  onEnd?(listener: () => void): void;
}
