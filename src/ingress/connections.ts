/** The open connections of all servers: who is admitted, how many there are, and which must be closed. */
import type { Server, Socket } from 'node:net';
import { type Client, Connection, type Protocol, peerOf, type Shared } from './connection.ts';
import { readProxyHeader } from './handshake/proxy-header.ts';
import { readAhead } from './handshake/read-ahead.ts';
import type { Handler, IngressOptions } from './options.ts';
import { rejectFirstBytes } from './rejection.ts';

/** The ports whose connections are limited separately. */
type Port = 'http' | 'https' | 'http3';

export class Connections {
  /** Connections that were admitted since the start. */
  admitted = 0;
  readonly #open = new Set<Connection>();
  readonly #options: IngressOptions;
  readonly #shared: Shared;

  constructor(options: IngressOptions, shared: Shared) {
    this.#options = options;
    this.#shared = shared;
  }

  get open(): ReadonlySet<Connection> {
    return this.#open;
  }

  /** Open connections by protocol; `none`: before the end of the handshake. */
  count(): Readonly<Record<Protocol['name'] | 'none', number>> {
    const counts = { 'http/1.1': 0, h2: 0, h3: 0, none: 0 };
    for (const { protocol } of this.#open) counts[protocol?.name ?? 'none'] += 1;
    return counts;
  }

  /** Calls `serve` with each new connection of a TCP port, after a PROXY header that is expected, if it is admitted. */
  receive(server: Server, handler: Handler, serve: (connection: Connection) => void): void {
    const { bounds, proxyProtocol, isTrusted } = this.#options;
    const port = 'setSecureContext' in server ? 'https' : 'http';
    const serveAdmitted = (connection: Connection): void => {
      if (this.admit(connection)) serve(connection);
      else connection.socket.destroy();
    };
    server.on('connection', (socket) => {
      if (!this.hasRoom(port, server, socket)) return;
      const ip = peerOf(socket);
      const peer = { ip, port: socket.remotePort ?? null, trusted: isTrusted(ip), relayed: false };
      const connection = this.add(socket, peer);
      if (!peer.trusted || !proxyProtocol) {
        serveAdmitted(connection);
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
        serveAdmitted(connection);
      });
    });
  }

  /** Lets Node limit the connections of a server. */
  limit(server: Server): void {
    const { maxConnections, onClosed } = this.#options;
    if (maxConnections > 0) server.maxConnections = maxConnections;
    server.on('drop', () => onClosed('connections'));
  }

  /** Enforces the limit on connections over all threads; with one thread, Node does so at less cost. Closes the socket if it is exceeded. */
  hasRoom(port: Port, server: Server, socket: Socket): boolean {
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

  /** Registers a connection until its socket closes. */
  add(socket: Socket, client: Client): Connection {
    const connection = new Connection(socket, client, this.#shared);
    this.#open.add(connection);
    socket.once('close', () => this.#open.delete(connection));
    return connection;
  }

  /** Decides whether to serve a connection. */
  admit(connection: Connection): boolean {
    if (!this.#options.admit(connection)) return false;
    this.admitted += 1;
    return true;
  }

  /** Closes stalled readers, and the connections that their protocol gives a reason to close; called regularly. */
  check(): void {
    const nowMs = performance.now();
    this.#shared.sendBuffer.closeStalled(nowMs);
    for (const { protocol, socket } of this.#open) {
      const reason = protocol?.check(nowMs) ?? null;
      if (reason === null) continue;
      if (reason !== 'idle') this.#options.onClosed(reason);
      socket.destroy();
    }
  }
}
