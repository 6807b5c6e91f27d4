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
import { Connection, type Shared } from './connection.ts';
import { Connections } from './connections.ts';
import { drain } from './drain.ts';
import { readClientHello } from './handshake/client-hello.ts';
import { readHttp2Preface } from './handshake/http2-preface.ts';
import { readAhead } from './handshake/read-ahead.ts';
import { Http1 } from './http1.ts';
import type { Http2Exchange } from './http2/exchange.ts';
import { Http2 } from './http2/http2.ts';
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
  readonly #options: IngressOptions;
  readonly #shared: Shared;
  readonly #connections: Connections;
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
    this.#connections = new Connections(options, this.#shared);
    this.#checks = setInterval(() => this.#connections.check(), bounds.connectionCheckMs);
    this.#checks.unref();
  }

  /** Connections that were admitted since the start. */
  get accepted(): number {
    return this.#connections.admitted;
  }

  /** Open connections by protocol; `none`: before the end of the handshake. */
  countConnections(): ReturnType<Connections['count']> {
    return this.#connections.count();
  }

  /** Stops listening, completes the requests that have been sent, and closes all connections. */
  async close(): Promise<void> {
    this.#isDraining = true;
    await drain(this.#servers, this.#connections.open, this.#options.bounds);
    clearInterval(this.#checks);
  }

  /** Creates a server of plain HTTP/1, which does not listen yet. */
  createServer(handler: Handler): Server {
    const server = createServer({ ...this.#httpOptions(), IncomingMessage: Message });
    this.#applyBounds(server);
    this.#receive(server, handler, (connection, passToNode) => {
      passToNode();
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
    this.#receive(server, handler, (connection, passToNode) => {
      const { socket } = connection;
      // Each handshake takes 0.5 ms, so only the first ones start in the iteration that reads their ClientHello.
      const startHandshake = (): void => this.#start(connection, this.scheduler.takeStart(), passToNode);
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
    const ofNode = takeListener(server, 'secureConnection', 'last');
    server.on('secureConnection', (socket) => {
      onHandshake(socket.getProtocol() ?? 'none', socket.isSessionReused() ? 'resumed' : 'full');
      // Each renegotiation costs a handshake, and HTTP/2 forbids it (RFC 9113 §9.2.1).
      socket.disableRenegotiation();
      const connection = Connection.bindTlsSocket(socket);
      if (connection === null) socket.destroy();
      else this.#serveTls(connection, socket, () => ofNode.call(server, socket));
    });
    server.on('session', (session) => this.#serveHttp2(session, handler));
    handleHttp1(server, handler);
    return server;
  }

  /** Creates a server of HTTP/3 for the process that ends QUIC, which opens a socket for each connection of a client. */
  createHttp3Server(handler: Handler): NetServer {
    const { bounds, onHandshake } = this.#options;
    const connections = this.#connections;
    const server = createNetServer((socket) => {
      if (!connections.hasRoom('http3', server, socket)) return;
      socket.setTimeout(bounds.helloTimeoutMs, () => socket.destroy()).on('error', () => socket.destroy());
      acceptLink(socket, (quic) => {
        socket.setTimeout(0);
        onHandshake('TLSv1.3', 'full');
        // No proxy forwards requests over HTTP/3.
        const client = { ip: quic.ip, port: quic.port, trusted: false, relayed: false };
        const connection = connections.add(socket, client);
        connection.quic = quic;
        connection.clientHello = quic.hello.clientHello;
        if (!connections.admit(connection)) {
          quic.close(errorCodes.excessiveLoad);
          return null;
        }
        const http3 = new Http3(connection, quic, {
          start: (exchange) => handleStream(exchange, handler),
          onError: handler.onError,
        });
        connection.protocol = http3;
        if (this.#isDraining) http3.drain();
        return http3;
      });
    });
    this.#connections.limit(server);
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
    this.#connections.limit(server);
    // HTTP/2 has no idle timeout of its own.
    server.setTimeout(bounds.idleTimeoutMs);
    // By default the parser silently drops headers after the 2,000th; maxHeaderBytes bounds them already.
    Object.assign(server, { maxHeadersCount: 0 });
  }

  /**
   * Calls `serve` with each connection that is admitted. `passToNode` calls the server's own connection listener, which must run when all
   * that comes before it has been read. That listener is replaced, and not fed from another server, because a server starts its timeouts
   * only when it listens itself.
   */
  #receive(server: NetServer, handler: Handler, serve: (connection: Connection, passToNode: () => void) => void): void {
    const ofNode = takeListener(server, 'connection');
    this.#servers.push(server);
    this.#connections.receive(server, handler, (connection) =>
      serve(connection, () => ofNode.call(server, connection.socket)),
    );
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
  #serveTls(connection: Connection, socket: TLSSocket, passToNode: () => void): void {
    if (socket.alpnProtocol !== 'h2') {
      passToNode();
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
        passToNode();
      });
    });
  }

  #serveHttp1(connection: Connection, socket: Socket): void {
    connection.protocol = new Http1(connection, socket);
    if (this.#isDraining) connection.protocol.drain();
  }

  #serveHttp2(session: ServerHttp2Session, handler: Handler): void {
    const connection = Connection.of(session.socket as TLSSocket);
    const start = (exchange: Http2Exchange): void => handleStream(exchange, handler);
    if (connection === null) {
      session.destroy();
      return;
    }
    connection.protocol = new Http2(connection, session, start);
    if (this.#isDraining) connection.protocol.drain();
  }
}
