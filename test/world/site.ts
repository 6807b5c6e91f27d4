/** What a row in the tables of hosts says: the name, its addresses, and what its server does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { CertificateFlaw } from './certificates.ts';

export interface Site {
  readonly host: string;
  /** What its server does; null: nobody listens. */
  readonly behaviour: Behaviour | null;
  /** What the DNS says; one IPv4 address of its own where absent. */
  readonly addresses?: readonly string[];
  /** Where it listens, if not at every address. */
  readonly listens?: readonly string[];
  /** [80, 443] where absent. */
  readonly ports?: readonly number[];
  /** Offers HTTP/2 beside HTTP/1.1. */
  readonly http2?: boolean;
  readonly certificate?: CertificateFlaw;
  /** True: a zone or a DNS server of the world answers for the name. */
  readonly delegated?: boolean;
}

/** At which level a server begins to differ from others: after the HTTP parser, on its wire, or at the TCP connection. */
export type Behaviour =
  | { readonly http: (request: IncomingMessage, response: ServerResponse) => void | Promise<void> }
  /** Takes the connection, after TLS on a TLS port, when the head of a first request has been read. */
  | { readonly wire: (socket: Duplex) => void }
  | { readonly tcp: (socket: Socket) => void };

/** These ports speak TLS. The service's own, 8080 and 8443, are left to it. */
export const tlsPorts: readonly number[] = [443, 9000];
