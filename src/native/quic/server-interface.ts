/** The interface of the QUIC server, which enforces the bounds on connections, handshakes, streams and unsent bytes. */
import type { QuicConnection, QuicConnectionHandler } from '../quic.ts';

/** PEM. */
export interface QuicCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface QuicEndpoint {
  /** The UDP port. */
  readonly port: number;
  /** Replaces the certificate for the handshakes that follow. */
  setCertificate(certificate: QuicCertificate): void;
  /** Accepts no connections from now on; those that are open continue. */
  drain(): void;
  /** Closes what is still open, and then the port. What was written before is sent first, for at most this time (default 0). */
  close(withinMs?: number): Promise<void>;
}

/** A connection of this process. */
export interface HeldConnection extends QuicConnection {
  /** Bytes that the engine holds for it now: of its streams, of what it has not sent or the user has not read; estimated. */
  readonly heldBytes: number;
  /** Whether a request has arrived completely and its response is not written completely. */
  readonly hasRequest: boolean;
}

export interface QuicOptions {
  /** Null: every IPv6 and IPv4 address, or only IPv4 if the machine has no IPv6. */
  readonly host: string | null;
  readonly port: number;
  readonly certificate: QuicCertificate;
  /** Groups of the key exchange by OpenSSL's names. A client without a key share of one of them gets a HelloRetryRequest for one it supports. */
  readonly groups: readonly string[];
  readonly bounds: {
    /** Request streams of a connection that are open. Further ones wait in OpenSSL, which permits as many more. */
    readonly maxConcurrentStreams: number;
    /** Requests of a connection, and of all connections of an address, whose response has not been written completely. */
    readonly maxRequestsInFlight: number;
    readonly maxAddressRequestsInFlight: number;
    /** Streams that a connection may open in all. */
    readonly quicConnectionStreams: number;
    /** Time for the first bytes of a request stream. */
    readonly headersTimeoutMs: number;
    /** Time in an event-loop iteration for datagrams, and for the connections that have something to do. */
    readonly iterationMs: number;
    /** Datagrams that have arrived and wait for their turn. */
    readonly maxWaitingDatagrams: number;
    /** Time for a handshake, after the validation of the address. */
    readonly handshakeTimeoutMs: number;
    /** Handshakes without it that may be open, and their time until then. */
    readonly maxUnvalidatedHandshakes: number;
    readonly unvalidatedTimeoutMs: number;
    /** Interval in which connections are checked. */
    readonly connectionCheckMs: number;
    /** Bytes of one connection that are kept until the client acknowledges them. */
    readonly quicConnectionBufferBytes: number;
    /** A client is closed if it acknowledges fewer than stallBytes in stallTimeoutMs while data waits. */
    readonly stallBytes: number;
    readonly stallTimeoutMs: number;
  };
  /** Cost of the handshake for the body of a ClientHello, in usual handshakes: its address leaves as many turns to others. */
  handshakeCost(clientHello: Uint8Array): number;
  /** Counts a new connection as soon as its address is validated, by a packet of its handshake or before; returns what ends the count, or null to reject it. */
  admit(connection: HeldConnection): (() => void) | null;
  /** Returns the handler of a connection whose handshake is complete. */
  onConnection(connection: HeldConnection): QuicConnectionHandler;
}
