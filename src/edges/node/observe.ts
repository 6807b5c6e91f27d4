/** Observes one request on a socket that this process accepted. */
import { Http2ServerRequest } from 'node:http2';
import type { Metrics } from '../../core/metrics.ts';
import {
  type AutonomousSystem,
  type ObservedLocation,
  type ObservedOpening,
  type ObservedRequest,
  type ObservedTls,
  type Transport,
  unobserved,
} from '../../core/observed.ts';
import type { RequestBody } from '../../core/platform.ts';
import { readBody } from '../../ingress/body.ts';
import { type Connection, connectionOf, tlsOf } from '../../ingress/connection.ts';
import type { TurnQueue } from '../../ingress/scheduler.ts';
import type { Incoming, Target } from '../../ingress/target.ts';
import type { Geoip } from './geoip/geoip.ts';
import { openingOf } from './handshake.ts';
import { headersOfRequest } from './headers.ts';
import type { Bounds } from './limits/bounds.ts';
import { transportOf } from './tcp-info.ts';

const protocols: Readonly<Record<string, ObservedRequest['protocol']>> = {
  '1.0': 'HTTP/1.0',
  '1.1': 'HTTP/1.1',
  '2.0': 'HTTP/2',
};

const noEdgeHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** Services that observe a request. */
export interface RequestServices {
  readonly geoip: Geoip;
  readonly bounds: Bounds;
  readonly queue: TurnQueue;
  readonly metrics: Metrics;
}

/**
 * A class, because getters on an object literal cost a tenth of a request to `/ip` (1.3 µs). The same object provides the body,
 * because a second object per request is measurable too.
 */
export class NodeRequest implements ObservedRequest, RequestBody {
  readonly #incoming: Incoming;
  readonly #target: Target;
  readonly #connection: Connection;
  readonly #services: RequestServices;
  #headers: Readonly<Record<string, string>> | null = null;

  constructor(incoming: Incoming, target: Target, connection: Connection, services: RequestServices) {
    this.#incoming = incoming;
    this.#target = target;
    this.#connection = connection;
    this.#services = services;
  }

  get path(): string {
    return this.#target.path;
  }

  get query(): string {
    return this.#target.query;
  }

  get origin(): string {
    return `${this.isSecure ? 'https' : 'http'}://${this.#target.authority}`;
  }

  get isSecure(): boolean {
    return this.#connection.tlsSocket !== null;
  }

  get method(): string {
    return this.#incoming.method ?? 'GET';
  }

  get ip(): string | null {
    return this.#connection.ip;
  }

  get port(): number | null {
    return this.#connection.port;
  }

  get rateKey(): string {
    return this.#connection.rateKey;
  }

  get location(): ObservedLocation {
    this.#connection.location ??= this.#services.geoip.locate(this.ip);
    return this.#connection.location;
  }

  get autonomousSystem(): AutonomousSystem {
    this.#connection.autonomousSystem ??= this.#services.geoip.autonomousSystem(this.ip);
    return this.#connection.autonomousSystem;
  }

  get colo(): null {
    return null;
  }

  get transport(): Transport {
    return this.#connection.relayed ? unobserved.transport : transportOf(this.#connection.socket);
  }

  get tls(): ObservedTls {
    return tlsOf(this.#connection);
  }

  get opening(): ObservedOpening {
    return openingOf(this.#connection, this.#incoming.rawHeaders);
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
    this.#headers ??= headersOfRequest(this.#incoming);
    return this.#headers;
  }

  get edgeHeaders(): Readonly<Record<string, string>> {
    return noEdgeHeaders;
  }

  get simulated(): boolean {
    return false;
  }

  get onLoopback(): boolean {
    const { relayed, socket } = this.#connection;
    return !relayed && /^(?:(?:::ffff:)?127\.|::1$)/i.test(socket.localAddress ?? '');
  }

  read(maxBytes: number): Promise<Uint8Array | null> {
    const { 'content-length': declared, 'transfer-encoding': coding } = this.headers;
    // Node emits no end for a request without these headers, see optimizeEmptyRequests in servers.ts.
    if (declared === undefined && coding === undefined && this.#incoming.httpVersionMajor === 1)
      return Promise.resolve(new Uint8Array());
    const { bounds, queue, metrics } = this.#services;
    const body = readBody(this.#incoming, Number(declared ?? 0), maxBytes, bounds, metrics, (release) => {
      const owner = this.#incoming instanceof Http2ServerRequest ? this.#incoming.stream : this.#connection.latest;
      owner?.once('close', release);
    });
    // The bodies of many requests may end in one turn, and each takes milliseconds.
    return body.then((bytes) => queue.wait(this.#connection).then(() => bytes));
  }
}

/** Returns the connection of a request; null if the client has disconnected. */
export function connectionOfRequest(incoming: Incoming): Connection | null {
  const socket = incoming instanceof Http2ServerRequest ? incoming.stream?.session?.socket : incoming.socket;
  return socket ? connectionOf(socket) : null;
}
