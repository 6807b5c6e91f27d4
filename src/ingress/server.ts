/** The HTTP and the HTTPS server: their bounds, and the work on a connection before its first request. */
import { createServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { acceptWaiting } from '../native/accept.ts';
import { disableHttp2Compatibility, takeListener } from '../native/listeners.ts';
import { Message } from '../native/message.ts';
import { limitReceiveBuffers } from '../native/receive-buffer.ts';
import { resumeReading, stopReading } from '../native/socket.ts';
import { saveSyns } from '../native/tcp-syn.ts';
import { BodyMemory, HeldMemory } from './body.ts';
import { Connection, type Protocol, peerOf, type Shared } from './connection.ts';
import { drain } from './drain.ts';
import { readClientHello } from './handshake/client-hello.ts';
import { readHttp2Preface } from './handshake/http2-preface.ts';
import { readProxyHeader } from './handshake/proxy-header.ts';
import { readAhead } from './handshake/read-ahead.ts';
import { Http1 } from './http1.ts';
import { Http2 } from './http2.ts';
import type { Http2Exchange } from './http2-exchange.ts';
import { errorCodes } from './http3/errors.ts';
import { Http3 } from './http3/http3.ts';
import { acceptLink } from './http3/linked-connection.ts';
import type { Handler, IngressOptions } from './options.ts';
import { rejectFirstBytes } from './rejection.ts';
import { handleHttp1, handleStream } from './requests.ts';
import { Scheduler } from './scheduler.ts';
import { SendBuffer } from './send-buffer.ts';

/** The servers of a process, which share their bounds. */
export class Ingress {
  /** Spreads the handler's own work over the iterations of the event loop. */
  readonly scheduler: Scheduler;
  /** Connections that were admitted since the start. */
  accepted = 0;
  readonly #options: IngressOptions;
  readonly #shared: Shared;
  readonly #connections = new Set<Connection>();
  readonly #servers: NetServer[] = [];
  #isDraining = false;
  readonly #checks: NodeJS.Timeout;

  constructor(options: IngressOptions) {
    const { bounds, onClosed } = options;
    this.#options = options;
    this.scheduler = new Scheduler(bounds);
    const [sendBuffer, bodies] = [new SendBuffer(bounds), new BodyMemory(bounds, onClosed)];
    const waitingBodies = new HeldMemory(bounds.maxWaitingBodies, () => onClosed('body_bytes'));
    const heldHeaders = new HeldMemory(bounds.maxHeldHeaderParts, () => onClosed('held_headers'));
    this.#shared = { bounds, scheduler: this.scheduler, sendBuffer, bodies, waitingBodies, heldHeaders, onClosed };
    this.#checks = setInterval(() => this.#checkConnections(), bounds.connectionCheckMs);
    this.#checks.unref();
  }

  /** Open connections by protocol; `none`: before the end of the handshake. */
  countConnections(): Readonly<Record<Protocol['name'] | 'none', number>> {
    const counts = { 'http/1.1': 0, h2: 0, h3: 0, none: 0 };
    for (const { protocol } of this.#connections) counts[protocol?.name ?? 'none'] += 1;
    return counts;
  }

  /** Stops listening, completes the requests that have been sent, and closes all connections. */
  async close(): Promise<void> {
    this.#isDraining = true;
    await drain(this.#servers, this.#connections, this.#options.bounds);
    clearInterval(this.#checks);
  }

  /** Creates a server of plain HTTP/1, which does not listen yet. */
  createServer(handler: Handler): Server {
    const server = createServer({ ...this.#httpOptions(), IncomingMessage: Message });
    this.#applyBounds(server);
    this.#acceptConnections(server, handler, (connection, accept) => {
      accept();
      this.#serveHttp1(connection, connection.socket);
    });
    handleHttp1(server, handler);
    return server;
  }

  /** Creates a server of HTTP/2 and HTTP/1.1 over TLS, which keeps every ClientHello; it does not listen yet. */
  createSecureServer(handler: Handler, certificate: SecureContextOptions): Http2SecureServer {
    const { bounds, onClosed, onHandshake } = this.#options;
    const server = createSecureServer({
      ...this.#httpOptions(),
      ...certificate,
      allowHTTP1: true,
      Http1IncomingMessage: Message,
      handshakeTimeout: bounds.handshakeTimeoutMs,
      // Above any number of headers that fits into maxHeaderBytes, so that a larger set gets a response and not a reset.
      maxHeaderListPairs: Math.ceil(bounds.maxHeaderBytes / 4),
      settings: { maxConcurrentStreams: bounds.maxConcurrentStreams },
      streamResetBurst: bounds.streamResetBurst,
      streamResetRate: bounds.streamResetRate,
    });
    disableHttp2Compatibility(server);
    this.#applyBounds(server);
    this.#acceptConnections(server, handler, (connection, accept) => {
      const { socket } = connection;
      // Each handshake takes 0.5 ms, so only the first ones start in the iteration that reads their ClientHello.
      const startHandshake = (): void => this.#start(connection, this.scheduler.takeStart(), accept);
      readAhead(socket, { timeoutMs: bounds.helloTimeoutMs, parse: readClientHello }, (reading, firstBytes) => {
        if (reading.state === 'not-tls') rejectFirstBytes(socket, firstBytes, () => handler.reject('https_required'));
        else if (reading.state === 'fragmented') {
          onClosed('client_hello');
          socket.destroy();
          // Too large a ClientHello goes to the TLS library without being kept.
        } else if (reading.state !== 'complete') startHandshake();
        else if (!handler.takeOver?.(socket, reading.body)) {
          connection.clientHello = reading.body;
          startHandshake();
        }
      });
    });
    server.on('tlsClientError', () => onHandshake('none', 'failed'));
    const accept = takeListener(server, 'secureConnection', 'last');
    server.on('secureConnection', (socket) => {
      onHandshake(socket.getProtocol() ?? 'none', socket.isSessionReused() ? 'resumed' : 'full');
      // Each renegotiation costs a handshake, and HTTP/2 forbids it (RFC 9113 §9.2.1).
      socket.disableRenegotiation();
      const connection = Connection.bindTlsSocket(socket);
      if (connection === null) socket.destroy();
      else this.#acceptTls(connection, socket, () => accept.call(server, socket));
    });
    server.on('session', (session) => this.#acceptSession(session, handler));
    handleHttp1(server, handler);
    return server;
  }

  /** Creates a server of HTTP/3 for the process that ends QUIC, which opens a socket for each connection of a client. */
  createHttp3Server(handler: Handler): NetServer {
    const { bounds, admit, onHandshake } = this.#options;
    const server = createNetServer((socket) => {
      if (!this.#hasRoom('http3', server, socket)) return;
      socket.setTimeout(bounds.helloTimeoutMs, () => socket.destroy()).on('error', () => socket.destroy());
      acceptLink(socket, (quic) => {
        socket.setTimeout(0);
        onHandshake('TLSv1.3', 'full');
        // No proxy forwards requests over HTTP/3.
        const client = { ip: quic.ip, port: quic.port, trusted: false, relayed: false };
        const connection = new Connection(socket, client, this.#shared);
        connection.quic = quic;
        connection.clientHello = Buffer.from(quic.hello.clientHello);
        this.#connections.add(connection);
        socket.once('close', () => this.#connections.delete(connection));
        if (!admit(connection)) {
          quic.close(errorCodes.excessiveLoad);
          return null;
        }
        this.accepted += 1;
        const http3 = new Http3(connection, quic, {
          start: (exchange) => handleStream(exchange, handler),
          onError: handler.onError,
        });
        connection.protocol = http3;
        if (this.#isDraining) http3.drain();
        return http3;
      });
    });
    this.#limitConnections(server);
    this.#servers.push(server);
    return server;
  }

  #httpOptions() {
    const { bounds } = this.#options;
    return {
      noDelay: true,
      // Saves the stream events of requests without a body.
      optimizeEmptyRequests: true,
      keepAliveTimeout: bounds.idleTimeoutMs,
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      connectionsCheckingInterval: bounds.timeoutCheckMs,
      maxHeaderSize: bounds.maxHeaderBytes,
      // Its own rejection would have no error body; the missing host is a missing target.
      requireHostHeader: false,
    };
  }

  #applyBounds(server: NetServer & { setTimeout(ms: number): unknown }): void {
    const { bounds } = this.#options;
    server.on('listening', () => {
      saveSyns(server);
      limitReceiveBuffers(server, bounds.receiveBufferBytes);
      acceptWaiting(server, bounds.maxAcceptsPerIteration);
    });
    this.#limitConnections(server);
    // HTTP/2 has no idle timeout of its own.
    server.setTimeout(bounds.idleTimeoutMs);
    // By default the parser silently drops headers after the 2,000th; maxHeaderBytes bounds them already.
    Object.assign(server, { maxHeadersCount: 0 });
  }

  #limitConnections(server: NetServer): void {
    const { maxConnections, onClosed } = this.#options;
    if (maxConnections > 0) server.maxConnections = maxConnections;
    server.on('drop', () => onClosed('connections'));
  }

  /**
   * Calls `prepare` before the server's own connection listener, which `accept` then runs. That listener is replaced, and not fed from
   * another server, because a server starts its timeouts only when it listens itself.
   */
  #acceptConnections(
    server: NetServer,
    handler: Handler,
    prepare: (connection: Connection, accept: () => void) => void,
  ): void {
    const { bounds, proxyProtocol, isTrusted, admit } = this.#options;
    const accept = takeListener(server, 'connection');
    this.#servers.push(server);
    const open = (connection: Connection): void => {
      const { socket } = connection;
      if (admit(connection)) {
        this.accepted += 1;
        prepare(connection, () => accept.call(server, socket));
      } else socket.destroy();
    };
    server.on('connection', (socket) => {
      if (!this.#hasRoom('setSecureContext' in server ? 'https' : 'http', server, socket)) return;
      const ip = peerOf(socket);
      const peer = { ip, port: socket.remotePort ?? null, trusted: isTrusted(ip), relayed: false };
      const connection = new Connection(socket, peer, this.#shared);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
      if (!peer.trusted || !proxyProtocol) {
        open(connection);
        return;
      }
      readAhead(socket, { timeoutMs: bounds.helloTimeoutMs, parse: readProxyHeader }, (reading, firstBytes) => {
        if (reading.state === 'malformed') {
          const message = 'A PROXY protocol header must come first on this connection.';
          rejectFirstBytes(socket, firstBytes, () => handler.reject('malformed_request', message));
          return;
        }
        socket.read(reading.length);
        const { source } = reading;
        // A proxy that names no client is the client itself: its headers must not set another address.
        connection.client = { ...peer, ...source, trusted: isTrusted(source?.ip ?? null), relayed: true };
        open(connection);
      });
    });
  }

  /** Enforces the limit on connections over all threads; with one thread, Node does so at less cost. */
  #hasRoom(port: 'http' | 'https' | 'http3', server: NetServer, socket: Socket): boolean {
    const { sharedCounts, maxConnections } = this.#options;
    if (sharedCounts === null) return true;
    if (sharedCounts.add(port, maxConnections)) {
      socket.once('close', () => sharedCounts.remove(port));
      return true;
    }
    socket.destroy();
    server.emit('drop');
    return false;
  }

  /** Starts the next stage of a connection, now or in a step of the scheduler. */
  #start(connection: Connection, isNow: boolean, start: () => void): void {
    if (isNow) {
      start();
      return;
    }
    const { socket, tlsSocket } = connection;
    // Nothing else listens for errors until then.
    (tlsSocket ?? socket).on('error', () => {});
    this.scheduler.add(() => {
      if (!socket.destroyed) start();
      return false;
    }, connection.share);
  }

  /** Keeps the frames with which a client opens HTTP/2; Node's session then gets every byte. */
  #acceptTls(connection: Connection, socket: TLSSocket, accept: () => void): void {
    if (socket.alpnProtocol !== 'h2') {
      accept();
      this.#serveHttp1(connection, socket);
      return;
    }
    const { helloTimeoutMs, prefaceGraceMs } = this.#options.bounds;
    const parse = (bytes: Buffer) => readHttp2Preface(bytes, prefaceGraceMs);
    readAhead(socket, { timeoutMs: helloTimeoutMs, parse }, (reading) => {
      if (reading.state === 'complete') connection.http2Frames = reading.frames;
      // The session parses all that has been read, before a bound on reading applies to it.
      const isNow = this.scheduler.hasTime();
      if (!isNow) stopReading(connection.socket);
      this.#start(connection, isNow, () => {
        if (!isNow) resumeReading(connection.socket);
        accept();
      });
    });
  }

  #serveHttp1(connection: Connection, socket: Socket): void {
    connection.protocol = new Http1(connection, socket);
    if (this.#isDraining) connection.protocol.drain();
  }

  #acceptSession(session: ServerHttp2Session, handler: Handler): void {
    const connection = Connection.of(session.socket as TLSSocket);
    const start = (exchange: Http2Exchange): void => handleStream(exchange, handler);
    if (connection === null) {
      session.destroy();
      return;
    }
    connection.protocol = new Http2(connection, session, start);
    if (this.#isDraining) connection.protocol.drain();
  }

  #checkConnections(): void {
    const nowMs = performance.now();
    this.#shared.sendBuffer.closeStalled(nowMs);
    for (const { protocol, socket } of this.#connections) {
      const reason = protocol?.check(nowMs) ?? null;
      if (reason === null) continue;
      if (reason !== 'idle') this.#options.onClosed(reason);
      socket.destroy();
    }
  }
}
