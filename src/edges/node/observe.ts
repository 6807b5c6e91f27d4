/** Observes one request on a socket that this process accepted. */
import { Http2ServerRequest } from 'node:http2';
import type {
  AutonomousSystem,
  ObservedLocation,
  ObservedRequest,
  ObservedTls,
  Transport,
} from '../../core/observed.ts';
import { type Connection, connectionOf, tlsOf } from './connection.ts';
import type { Geoip } from './geoip.ts';
import { headersOf } from './headers.ts';
import type { Incoming, Target } from './target.ts';
import { transportOf } from './tcp-info.ts';

const protocols: Readonly<Record<string, ObservedRequest['protocol']>> = {
  '1.0': 'HTTP/1.0',
  '1.1': 'HTTP/1.1',
  '2.0': 'HTTP/2',
};

const noEdgeHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** A class for the sake of its getters: on an object literal they cost a tenth of a call to `/ip` (1.3 µs). */
export class NodeRequest implements ObservedRequest {
  readonly #incoming: Incoming;
  readonly #target: Target;
  readonly #connection: Connection;
  readonly #geoip: Geoip;
  #headers: Readonly<Record<string, string>> | null = null;

  constructor(incoming: Incoming, target: Target, connection: Connection, geoip: Geoip) {
    this.#incoming = incoming;
    this.#target = target;
    this.#connection = connection;
    this.#geoip = geoip;
  }

  get path(): string {
    return this.#target.path;
  }

  get query(): string {
    return this.#target.query;
  }

  get origin(): string {
    return `${this.#connection.tlsSocket === null ? 'http' : 'https'}://${this.#target.authority}`;
  }

  get method(): string {
    return this.#incoming.method ?? 'GET';
  }

  get ip(): string | null {
    return this.#connection.ip;
  }

  get rateKey(): string {
    return this.#connection.rateKey;
  }

  get location(): ObservedLocation {
    this.#connection.location ??= this.#geoip.locate(this.ip);
    return this.#connection.location;
  }

  get autonomousSystem(): AutonomousSystem {
    this.#connection.autonomousSystem ??= this.#geoip.autonomousSystem(this.ip);
    return this.#connection.autonomousSystem;
  }

  get colo(): null {
    return null;
  }

  get transport(): Transport {
    return transportOf(this.#connection.socket);
  }

  get tls(): ObservedTls {
    return tlsOf(this.#connection);
  }

  get protocol(): ObservedRequest['protocol'] {
    return protocols[this.#incoming.httpVersion] ?? null;
  }

  get priority(): string | null {
    return this.headers.priority ?? null;
  }

  get acceptEncoding(): string | null {
    return this.headers['accept-encoding'] ?? null;
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= headersOf(this.#incoming.rawHeaders);
    return this.#headers;
  }

  get edgeHeaders(): Readonly<Record<string, string>> {
    return noEdgeHeaders;
  }

  get simulated(): boolean {
    return false;
  }
}

/** The connection a request came over; null once the client has gone. */
export function connectionOfRequest(incoming: Incoming): Connection | null {
  const socket = incoming instanceof Http2ServerRequest ? incoming.stream?.session?.socket : incoming.socket;
  return socket ? connectionOf(socket) : null;
}
