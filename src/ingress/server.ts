/** The servers of all versions of HTTP: creates them, accepts their connections, and closes them. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { createServer } from '../native/http.ts';
import { Message } from '../native/http1.ts';
import { takeListener } from '../native/socket.ts';
import { acceptWaiting, isAcknowledged, saveSyns, setReceiveBuffers } from '../native/tcp.ts';
import { runEvery } from '../native/ticks.ts';
import { type Connection, Connections, type IngressOptions } from './connection.ts';
import { readAhead } from './first-bytes.ts';
import { Http1 } from './http1.ts';
import type { Carrier } from './http3/carrier.ts';
import { AcceptFilter } from './limits/accept-filter.ts';
import { readProxyHeader } from './proxy-header.ts';
import { type Handler, handleHttp1, rejectFirstBytes } from './requests.ts';
import { createTlsServer, keepClientHello } from './tls-server.ts';

/** The peer's address without zone and `::ffff:`; null if it has disconnected. In steps, because an expression costs more if it runs rarely. */
function addressOf({ remoteAddress }: Socket): string | null {
  if (remoteAddress === undefined) return null;
  if (remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.')) return remoteAddress.slice('::ffff:'.length);
  const zoneAt = remoteAddress.indexOf('%');
  return zoneAt === -1 ? remoteAddress : remoteAddress.slice(0, zoneAt);
}

/** The servers of a process, which share their bounds. */
export class Ingress {
  readonly connections: Connections;
  readonly #servers: NetServer[] = [];
  readonly #carriers: Carrier[] = [];
  readonly #endSweeps: () => void;

  constructor(options: IngressOptions) {
    this.connections = new Connections(options);
    this.#endSweeps = runEvery(options.bounds.connectionCheckMs, () => this.connections.sweep());
  }

  /**
   * Stops listening, tells clients to send no more, and completes the requests that have been sent. Connections without a request are closed
   * after `closeGraceMs`, because the next one may be in transit; the others when their responses are sent, or after `closeTimeoutMs`.
   */
  async close(): Promise<void> {
    this.connections.isDraining = true;
    const { open, context } = this.connections;
    const { closeGraceMs, closeTimeoutMs } = context.bounds;
    const closed = this.#servers.map((server) => once(server, 'close'));
    for (const { protocol } of open) protocol?.drain();
    // Only stops listening: a server's own close ends idle connections immediately.
    for (const server of this.#servers) NetServer.prototype.close.call(server);
    const carried = this.#carriers.map((carrier) => carrier.close());
    const closeTimer = setInterval(() => {
      // Connections without a finished handshake, and ended connections whose client has everything but keeps its side open.
      for (const { protocol, socket, tlsSocket } of open)
        if (protocol === null || ((tlsSocket ?? socket).writableFinished && isAcknowledged(socket))) socket.destroy();
      for (const carrier of this.#carriers) carrier.closeEnded();
      // Ends idle connections, and HTTP/2 sessions after their last stream.
      for (const server of this.#servers) server.close();
    }, closeGraceMs);
    const timeout = setTimeout(() => {
      for (const { socket } of open) socket.destroy();
      for (const carrier of this.#carriers) carrier.destroy();
    }, closeTimeoutMs);
    await Promise.all([...closed, ...carried]);
    // Ends the timers of servers that closed within `closeGraceMs`.
    for (const server of this.#servers) server.close();
    clearInterval(closeTimer);
    clearTimeout(timeout);
    this.#endSweeps();
  }

  /** Creates a server of plain HTTP/1, which does not listen yet. */
  createServer(handler: Handler): Server {
    const server = createServer({ ...this.#httpOptions(), IncomingMessage: Message });
    this.#receive(server, handler, (connection, passToNode) => {
      this.connections.serve(connection, new Http1(connection, connection.socket, passToNode));
    });
    return server;
  }

  /** Creates a server of HTTP/2 and HTTP/1.1 over TLS, which keeps every ClientHello; it does not listen yet. */
  createSecureServer(handler: Handler, certificate: SecureContextOptions): Http2SecureServer {
    const options = { ...this.#httpOptions(), Http1IncomingMessage: Message, ...certificate };
    const server = createTlsServer(this.connections, handler, options);
    // HTTP/2 has no idle timeout of its own.
    server.setTimeout(this.connections.context.bounds.idleTimeoutMs);
    this.#receive(server, handler, (connection, passToNode) => keepClientHello(connection, handler, passToNode));
    return server;
  }

  /** Serves HTTP/3 on the connections of a carrier. Its modules, a thirtieth of the start, are loaded here: few services have it. */
  async serveHttp3(carrier: Carrier, handler: Handler): Promise<void> {
    const { createAccept } = await import('./http3/carrier.ts');
    await carrier.listen(createAccept(this.connections, handler));
    this.#carriers.push(carrier);
  }

  #httpOptions() {
    const { bounds } = this.connections.context;
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

  /**
   * Bounds a server, and calls `serve` with each connection that is admitted, after a PROXY header if one is expected. Node's own listener
   * for connections is removed; `serve` calls it by `passToNode` when it has read ahead. The server listens itself, and is not fed by
   * another one, because Node starts the timeouts of a server only when it listens.
   */
  #receive(
    server: Server | Http2SecureServer,
    handler: Handler,
    serve: (connection: Connection, passToNode: () => void) => void,
  ): void {
    const { connections } = this;
    const { bounds, proxyProtocol, isTrusted, identify, onClosed } = connections.context;
    server.on('listening', () => {
      saveSyns(server);
      setReceiveBuffers(server, bounds.receiveBufferBytes);
      acceptWaiting(server, bounds.maxAcceptsPerIteration, filter);
    });
    // By default the parser silently drops headers after the 2,000th; maxHeaderBytes bounds them already.
    Object.assign(server, { maxHeadersCount: 0 });
    const ofNode = takeListener(server, 'connection');
    this.#servers.push(server);
    const limit = connections.createLimit('setSecureContext' in server ? 'https' : 'http');
    const filter = new AcceptFilter({ limit, identify, isTrusted, onClosed: () => onClosed('connections_again') });
    const serveAdmitted = (connection: Connection): void => {
      const { socket } = connection;
      if (connections.admit(connection, limit)) serve(connection, () => ofNode.call(server, socket));
      else {
        const { ip, relayed } = connection.client;
        if (ip !== null && !relayed) filter.reject(ip);
        socket.destroy();
      }
    };
    server.on('connection', (socket) => {
      const ip = addressOf(socket);
      const peer = { ip, port: socket.remotePort ?? null, trusted: isTrusted(ip), relayed: false };
      const connection = connections.add(socket, peer, limit);
      if (!peer.trusted || !proxyProtocol) return serveAdmitted(connection);
      readAhead(socket, { timeoutMs: bounds.helloTimeoutMs, parse: readProxyHeader }, (header, firstBytes) => {
        if (header === 'malformed') {
          const message = 'A PROXY protocol header must come first on this connection.';
          rejectFirstBytes(socket, firstBytes, () => handler.reject('malformed_request', { message }));
          return;
        }
        socket.read(header.length);
        const { source } = header;
        // A proxy that names no client is the client itself: its headers must not set another address.
        connection.client = { ...peer, ...source, trusted: isTrusted(source?.ip ?? null), relayed: true };
        serveAdmitted(connection);
      });
    });
    handleHttp1(server, handler);
  }
}
