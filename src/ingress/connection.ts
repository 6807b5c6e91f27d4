/** The connections of clients: what each of them observed, what its requests share, and which are admitted and closed. */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { QuicConnection } from '../native/quic.ts';
import { rawSocketOf } from '../native/socket.ts';
import { takeSyn } from '../native/tcp.ts';
import type { ClosingReason, IngressBounds } from './bounds.ts';
import { Bodies } from './limits/bodies.ts';
import type { Identify, Identity } from './limits/identity.ts';
import type { PortName } from './limits/network-share.ts';
import { Pool } from './limits/pool.ts';
import { PortLimit, type PortPeers } from './limits/port-limit.ts';
import { Rate } from './limits/rate.ts';
import { Scheduler, type StepKind } from './schedule/scheduler.ts';
import type { EndTiming } from './schedule/stopwatch.ts';
import { SendBuffer } from './send-buffer.ts';

/** Options that all servers of a process share. */
export interface IngressOptions {
  readonly bounds: IngressBounds;
  /** Open connections of each server; 0: no limit. */
  readonly maxConnections: number;
  /** The connections of each port in the other threads; null in a process with one. */
  readonly peers: PortPeers | null;
  readonly identify: Identify;
  /** Whether trusted proxies send a PROXY header before anything else. */
  readonly proxyProtocol: boolean;
  /** Whether an address is that of a trusted proxy, whose connections carry the requests of many clients. */
  isTrusted(ip: string | null): boolean;
  /** Decides, before any TLS work, whether to serve a connection; `onClosed` of the connection ends what it has counted. */
  admit(connection: Connection): boolean;
  /** Counts what a bound has closed or rejected. */
  onClosed(reason: ClosingReason): void;
  /** Counts a TLS handshake. */
  onHandshake(version: string, result: 'full' | 'resumed' | 'failed'): void;
}

/** Values that the connections of all servers share. */
type IngressContext = ReturnType<typeof createContext>;

/** A request that may be refused before its response, or all requests that wait on a connection. */
interface Refusable {
  refuse(): void;
}

/** Names and values of headers are compared in this unit: a request has up to 1,000. */
const headerPartsUnit = 10;

function createContext(options: IngressOptions) {
  const { bounds, onClosed } = options;
  const { clientsOfNetwork } = bounds;
  /** Memory of all connections' requests which no reader of a body controls: above it, requests of the largest holder are refused. */
  const memoryOf = (capacity: number, reason: ClosingReason, unit = 1): Pool<Refusable> => {
    const evict = (request: Refusable): void => {
      onClosed(reason);
      request.refuse();
    };
    return new Pool({ capacity, unit, clientsOfNetwork, evict });
  };
  return {
    ...options,
    scheduler: new Scheduler(bounds),
    /** Bytes of a connection over HTTP/2 or HTTP/3 that belong to no request. */
    uselessBytes: new Rate(bounds.uselessBytesPerSecond, bounds.maxUselessBytes),
    sendBuffer: new SendBuffer(bounds),
    bodies: new Bodies(bounds, onClosed),
    /**
     * Requests over HTTP/2 that wait for their step while a body arrives: a client may send 64 KB of each (RFC 9113 §6.9.2) before anything
     * reads it.
     */
    waitingBodies: memoryOf(bounds.maxWaitingBodies, 'body_bytes'),
    /** Connections with many requests that wait. */
    waitingRequests: memoryOf(bounds.maxWaitingRequests, 'waiting_requests'),
    /** Names and values of requests over HTTP/2 with many headers and without a response. */
    heldHeaders: memoryOf(bounds.maxHeldHeaderParts, 'held_headers', headerPartsUnit),
  };
}

/** The requests of a connection, in its version of HTTP. */
export interface Protocol {
  readonly name: 'http/1.1' | 'h2' | 'h3';
  /** Milliseconds until the client acknowledges a PING that is sent now; null if it does not in time, or if they were not measured. */
  ping?(): Promise<number | null>;
  /** Whether a request has arrived completely and its response is not sent yet, although the client reads. */
  readonly hasRequest: boolean;
  /** Called regularly: ends requests and streams that take too long, and returns why to close the connection, null if it stays. `idle` is not misuse. */
  sweep(nowMs: number): ClosingReason | 'idle' | null;
  /** Tells the client to send further requests on another connection. */
  drain(): void;
  /** Ends the requests of a connection that has closed; absent if the end of each is reported. */
  endRequests?(): void;
}

/** The client's address: the peer, or what a PROXY header names. */
export interface Client {
  /** Without zone and `::ffff:`; null if the peer has disconnected. */
  readonly ip: string | null;
  /** Source port; null if unknown. */
  readonly port: number | null;
  /** Whether this is a trusted proxy, which forwards other clients' requests. */
  readonly trusted: boolean;
  /** Whether a PROXY header came first: then the socket's peer is a proxy, and not `ip`. */
  readonly relayed: boolean;
}

const connectionKey = Symbol('connection');

declare module 'node:net' {
  interface Socket {
    [connectionKey]?: Connection;
  }
}

export class Connection {
  readonly socket: Socket;
  readonly context: IngressContext;
  /** The peer, until a PROXY header names the client. */
  client: Client;
  /** Null on plain HTTP, and before the end of the handshake. */
  tlsSocket: TLSSocket | null = null;
  /** Body of the ClientHello (RFC 8446 §4.1.2); null on plain HTTP or if it was not read. */
  clientHello: Uint8Array | null = null;
  /** Ends the measurement of the TLS handshake; null before its start. */
  endHandshake: EndTiming | null = null;
  /** Milliseconds from the ClientHello until the end of the handshake: one round trip, two with HelloRetryRequest. Null if not measured. */
  tlsMs: number | null = null;
  /** Milliseconds from our SETTINGS of HTTP/2 until the client acknowledges them; null before that, and if not measured. */
  http2Ms: number | null = null;
  /** HTTP/2 frames after the connection preface up to the first request's priority; null over HTTP/1. */
  http2Frames: Uint8Array | null = null;
  /** Null over TCP. Over QUIC, `socket` is what carries the connection from the process that ends QUIC. */
  quic: QuicConnection | null = null;
  /** Frames of the client's HTTP/3 control stream up to the first request; null without any. */
  http3Frames: Uint8Array | null = null;
  /** Null before the end of the handshake. */
  protocol: Protocol | null = null;
  /** Bytes in the send buffer: of all bodies over HTTP/2 and HTTP/3, of large ones over HTTP/1. */
  bufferedBytes = 0;
  /** Time at which the client last took a part of them, or there were none (`performance.now`). */
  progressedMs = 0;
  /** Latest valid host of a request, which usually repeats. */
  authority: string | null = null;
  /** What the owner of the server knows of the connection; `admit` sets it. */
  facts: object | null = null;
  /** Requests that have begun. */
  begun = 0;
  /** Whether one of them has been started; over HTTP/2, it may have had to wait. */
  hasStarted = false;
  isReplaceable = false;
  /** Whether a sweep has found a reason to close it. */
  isClosing = false;
  /** Null until the connection is to be admitted. */
  limit: PortLimit | null = null;
  /** Ends what the owner of the server has counted, when the socket has closed; `admit` may set it. */
  onClosed: (() => void) | null = null;
  #identity: Identity | null = null;
  #syn: Uint8Array | null | undefined;

  constructor(socket: Socket, client: Client, context: IngressContext) {
    this.socket = socket;
    this.client = client;
    this.context = context;
    socket[connectionKey] = this;
  }

  /** Whether the client does not read what is sent to it. */
  get isUnread(): boolean {
    return this.bufferedBytes > 0 && performance.now() - this.progressedMs > this.context.bounds.unreadMs;
  }

  /** Kind of the next step for its requests. */
  get stepKind(): StepKind {
    return this.tlsSocket !== null && !this.hasStarted ? 'first' : 'request';
  }

  get isSecure(): boolean {
    return this.tlsSocket !== null || this.quic !== null;
  }

  /** The flow of its work for the scheduler: its client's, or one of its own if it carries the requests of many clients. */
  get flow(): unknown {
    return this.holder?.prefix ?? this;
  }

  /** Computed once: first read when it is known whether a PROXY header names the client. */
  get identity(): Identity {
    this.#identity ??= this.context.identify(this.client.ip);
    return this.#identity;
  }

  /** Whose share of a pool the connection uses; null for a trusted proxy, whose connections carry the requests of many clients. */
  get holder(): Identity | null {
    const { ip, trusted } = this.client;
    return trusted || ip === null ? null : this.identity;
  }

  /** IP and TCP headers of the client's first packet; null if unknown, and behind a PROXY header, where it is the proxy's. */
  get syn(): Uint8Array | null {
    // The kernel returns it only once.
    if (this.#syn === undefined) this.#syn = this.client.relayed || this.quic !== null ? null : takeSyn(this.socket);
    return this.#syn;
  }

  /** Lets requests find the connection by the TLS socket that carries them; null if Node does not reveal it. */
  static bindTlsSocket(tlsSocket: TLSSocket): Connection | null {
    const raw = rawSocketOf(tlsSocket);
    const connection = raw && Connection.of(raw);
    if (!connection) return null;
    connection.tlsSocket = tlsSocket;
    tlsSocket[connectionKey] = connection;
    return connection;
  }

  /** Returns the connection of a socket, or of the TLS socket over it; HTTP/2's proxy of a socket passes the symbol through. */
  static of(socket: Socket): Connection | null {
    return socket[connectionKey] ?? null;
  }
}

/** The open connections of all servers. */
export class Connections {
  /** Connections that were admitted since the start. */
  admitted = 0;
  readonly open = new Set<Connection>();
  readonly #limits: PortLimit[] = [];
  readonly context: IngressContext;
  /** Whether the server drains: each connection asks its client to send the next requests on another one. */
  isDraining = false;

  constructor(options: IngressOptions) {
    this.context = createContext(options);
  }

  /** Open connections by protocol; `none`: before the end of the handshake. */
  count(): Readonly<Record<Protocol['name'] | 'none', number>> {
    const counts = { 'http/1.1': 0, h2: 0, h3: 0, none: 0 };
    for (const { protocol } of this.open) counts[protocol?.name ?? 'none'] += 1;
    return counts;
  }

  /** Returns what limits the connections of a server. */
  createLimit(name: PortName): PortLimit {
    const { maxConnections: max, bounds, peers, onClosed, scheduler } = this.context;
    const limit = new PortLimit({ name, max, bounds, peers, scheduler, onClosed });
    this.#limits.push(limit);
    return limit;
  }

  /** Registers a connection until its socket closes. `limit`, if given, counts it until then; otherwise the caller does. */
  add(socket: Socket, client: Client, limit: PortLimit | null = null): Connection {
    const connection = new Connection(socket, client, this.context);
    this.open.add(connection);
    limit?.add();
    // One listener for all that ends with a connection: each further one takes 6 µs of a visit.
    socket.on('close', () => {
      this.open.delete(connection);
      connection.protocol?.endRequests?.();
      limit?.remove();
      connection.limit?.forget(connection);
      connection.onClosed?.();
    });
    return connection;
  }

  /** Decides whether to serve a connection; `limit` is its port's, null if a carrier has counted it. */
  admit(connection: Connection, limit: PortLimit | null): boolean {
    if (!this.context.admit(connection)) return false;
    connection.limit = limit;
    if (limit?.enter(connection) === false) {
      this.context.onClosed('connections');
      return false;
    }
    this.admitted += 1;
    return true;
  }

  /** Sets the protocol of a connection at the end of its handshake. */
  serve(connection: Connection, protocol: Protocol): void {
    connection.protocol = protocol;
    if (this.isDraining) protocol.drain();
  }

  /** Closes stalled readers, and the connections that their protocol gives a reason to close, in steps; called regularly. */
  sweep(): void {
    const nowMs = performance.now();
    const { sendBuffer, scheduler, onClosed } = this.context;
    if (sendBuffer.isSending) scheduler.add(sendBuffer.closeStalled, sendBuffer);
    for (const limit of this.#limits) limit.sweep(nowMs);
    for (const connection of this.open) {
      const { protocol, socket, isClosing } = connection;
      const reason = isClosing ? null : (protocol?.sweep(nowMs) ?? null);
      if (reason === null) continue;
      connection.isClosing = true;
      scheduler.defer(() => {
        if (socket.destroyed) return;
        if (reason !== 'idle') onClosed(reason);
        socket.destroy();
      }, connection.flow);
    }
  }
}
