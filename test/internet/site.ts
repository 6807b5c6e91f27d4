/** A row in the tables of hosts: name, addresses and behavior of its server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { CertificateFlaw } from './certificates.ts';

export interface Site {
  readonly host: string;
  /** Behavior of its server; null if nothing listens. */
  readonly behavior: Behavior | null;
  /** Addresses in the DNS; if absent, a unique IPv4 address. */
  readonly addresses?: readonly string[];
  /** Addresses on which it listens, if not on all. */
  readonly listens?: readonly string[];
  /** If absent: [80, 443]. */
  readonly ports?: readonly number[];
  /** Supports HTTP/2 in addition to HTTP/1.1. */
  readonly http2?: boolean;
  readonly certificate?: CertificateFlaw;
  /** True if a zone or a DNS server of the simulated internet is authoritative for the name. */
  readonly delegated?: boolean;
}

/** Level at which a server differs from others: after the HTTP parser, on the wire, or at the TCP connection. */
export type Behavior =
  | { readonly http: (request: IncomingMessage, response: ServerResponse) => void | Promise<void> }
  /** Receives the connection, after TLS on a TLS port, when the head of the first request was read. */
  | { readonly wire: (socket: Duplex) => void }
  | { readonly tcp: (socket: Socket) => void };

/** Ports with TLS. The service uses 8080 and 8443 itself. */
export const tlsPorts: readonly number[] = [443, 9000];
