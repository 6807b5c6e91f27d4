/** The HTTP and the HTTPS server: their bounds, and the work on a connection before its first request. */
import { createServer } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Metrics } from '../core/metrics.ts';
import type { Settings } from '../core/settings.ts';
import { Message } from '../edges/node/headers.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import type { RateKeyOf } from '../edges/node/limits/rate-key.ts';
import type { SharedCounts } from '../edges/node/limits/shared-counts.ts';
import { isTrusted } from '../edges/proxy/forwarded.ts';
import { saveSyns } from '../native/tcp-syn.ts';
import { type Challenges, completeTlsChallenge } from '../runtime/acme/challenges.ts';
import { type Certificate, secureContextOf } from '../runtime/certificate.ts';
import type { Admission } from './admission.ts';
import { bindTlsSocket, type Connection, connectionOf, openConnection, peerOf } from './connection.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { readClientHello } from './handshake/client-hello.ts';
import { keepHttp2Openings } from './handshake/http2-preface.ts';
import { readProxyHeader } from './handshake/proxy-header.ts';
import { readAhead } from './handshake/read-ahead.ts';
import { Http1Gate } from './http1.ts';
import { Http2Gate } from './http2.ts';
import { createHttp2Reads } from './http2-reads.ts';
import { type Reject, rejectFirstBytes } from './rejection.ts';
import type { TurnQueue } from './scheduler.ts';

/** Values that the servers share; `settings` are those about connections. */
export interface ServerParts {
  readonly settings: Pick<Settings, 'maxConnections' | 'trustProxy' | 'proxyProtocol'>;
  readonly bounds: Bounds;
  readonly rateKeyOf: RateKeyOf;
  readonly threads: number;
  /** Open connections of each port in all threads. */
  readonly totals: SharedCounts;
  readonly queue: TurnQueue;
  readonly admission: Admission;
  readonly connectionWatch: ConnectionWatch;
  readonly metrics: Metrics;
}

/** Creates the plain HTTP server, without a handler for requests. */
export function createHttpServer(parts: ServerParts, reject: Reject): Server {
  const server = createServer({ ...httpOptions(parts.bounds), IncomingMessage: Message });
  applyBounds(server, parts);
  acceptConnections(server, parts, reject, (connection, accept) => {
    accept();
    connection.http1Gate = new Http1Gate(connection, connection.socket, parts.queue, parts.bounds);
  });
  return server;
}

/** Creates the TLS server (HTTP/2 and HTTP/1.1), which reads every ClientHello; without a handler for requests. */
export function createHttpsServer(
  parts: ServerParts,
  certificate: Certificate,
  reject: Reject,
  challenges: Challenges | null,
): Http2SecureServer {
  const { bounds, queue, metrics } = parts;
  const server = createSecureServer({
    ...httpOptions(bounds),
    ...secureContextOf(certificate),
    allowHTTP1: true,
    Http1IncomingMessage: Message,
    handshakeTimeout: bounds.handshakeTimeoutMs,
    // Above any number of headers that fits into maxHeaderBytes, so that a larger set gets a response and not a reset.
    maxHeaderListPairs: Math.ceil(bounds.maxHeaderBytes / 4),
    settings: { maxConcurrentStreams: bounds.maxConcurrentStreams },
    streamResetBurst: bounds.streamResetBurst,
    streamResetRate: bounds.streamResetRate,
  });
  applyBounds(server, parts);
  acceptConnections(server, parts, reject, (connection, accept) => {
    const { socket } = connection;
    readAhead(socket, bounds.helloTimeoutMs, readClientHello, (reading, firstBytes) => {
      if (reading.state === 'complete') {
        const challenge = challenges?.tlsContext(reading.body) ?? null;
        if (challenge !== null) {
          completeTlsChallenge(socket, challenge, bounds.handshakeTimeoutMs);
          return;
        }
        connection.hello = reading.body;
      }
      if (reading.state === 'not-tls') rejectFirstBytes(socket, firstBytes, () => reject('https_required'));
      else if (reading.state === 'fragmented') {
        metrics.countRejection('client_hello');
        socket.destroy();
      } else startInTurn(queue, socket, accept);
    });
  });
  server.prependListener('secureConnection', bindTlsSocket);
  keepHttp2Openings(server, bounds);
  countHandshakes(server, metrics);
  const reads = createHttp2Reads(bounds);
  server.on('secureConnection', (tlsSocket) => {
    const connection = connectionOf(tlsSocket);
    if (connection === null) return;
    if (tlsSocket.alpnProtocol === 'h2')
      connection.http2Gate = new Http2Gate(connection, queue, reads, metrics, bounds);
    else connection.http1Gate = new Http1Gate(connection, tlsSocket, queue, bounds);
  });
  return server;
}

function countHandshakes(server: Http2SecureServer, metrics: Metrics): void {
  server.on('secureConnection', (socket) =>
    metrics.countHandshake(socket.getProtocol() ?? 'none', socket.isSessionReused() ? 'resumed' : 'full'),
  );
  server.on('tlsClientError', () => metrics.countHandshake('none', 'failed'));
}

/** Each handshake takes 0.5 ms, so only the first ones start in the turn that reads their ClientHello. */
function startInTurn(queue: TurnQueue, socket: Socket, start: () => void): void {
  if (queue.startsNow()) {
    start();
    return;
  }
  // Nothing else listens for errors until then.
  socket.on('error', () => {});
  queue.add(() => {
    if (!socket.destroyed) start();
    return false;
  });
}

function httpOptions(bounds: Bounds) {
  return {
    noDelay: true,
    // Saves the stream events of requests without a body.
    optimizeEmptyRequests: true,
    keepAliveTimeout: bounds.idleTimeoutMs,
    headersTimeout: bounds.headersTimeoutMs,
    requestTimeout: bounds.requestTimeoutMs,
    connectionsCheckingInterval: bounds.timeoutCheckMs,
    maxHeaderSize: bounds.maxHeaderBytes,
    // Its own rejection would have no error body; targetOf also detects the missing host.
    requireHostHeader: false,
  };
}

function applyBounds(server: Server & { setTimeout(ms: number): unknown }, parts: ServerParts): void {
  const { bounds, settings, metrics } = parts;
  server.on('listening', () => saveSyns(server));
  if (settings.maxConnections > 0) server.maxConnections = settings.maxConnections;
  server.on('drop', () => metrics.countRejection('connections'));
  // HTTP/2 has no idle timeout of its own.
  server.setTimeout(bounds.idleTimeoutMs);
  // By default the parser silently drops headers after the 2,000th; maxHeaderBytes bounds them already.
  Object.assign(server, { maxHeadersCount: 0 });
}

/**
 * Calls `prepare` before the server's own connection listener, which `accept` then runs. That listener is replaced, and not fed from
 * another server, because a server starts its timeouts only when it listens itself.
 */
function acceptConnections(
  server: Server,
  { bounds, settings, threads, totals, rateKeyOf, admission, connectionWatch }: ServerParts,
  reject: Reject,
  prepare: (connection: Connection, accept: () => void) => void,
): void {
  const [own] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (own === undefined) throw new Error('the server has no connection listener');
  const { trustProxy, proxyProtocol, maxConnections } = settings;
  const port = 'setSecureContext' in server ? 'https' : 'http';
  // One thread's server itself enforces the limit at less cost.
  const hasRoom = (socket: Socket): boolean => {
    if (threads === 1) return true;
    if (!totals.add(port, maxConnections)) return false;
    socket.once('close', () => totals.remove(port));
    return true;
  };
  const admit = (connection: Connection): void => {
    if (!admission.admit(connection)) return;
    connectionWatch.add(connection);
    prepare(connection, () => own.call(server, connection.socket));
  };
  server.removeListener('connection', own);
  server.on('connection', (socket) => {
    if (!hasRoom(socket)) {
      socket.destroy();
      server.emit('drop');
      return;
    }
    const peer = peerOf(socket);
    const trusted = isTrusted(trustProxy, peer);
    if (!trusted || !proxyProtocol) {
      admit(openConnection(socket, { ip: peer, port: socket.remotePort ?? 0 }, { trusted, relayed: false }, rateKeyOf));
      return;
    }
    readAhead(socket, bounds.helloTimeoutMs, readProxyHeader, (reading, firstBytes) => {
      if (reading.state === 'malformed') {
        const message = 'A PROXY protocol header must come first on this connection.';
        rejectFirstBytes(socket, firstBytes, () => reject('malformed_request', message));
        return;
      }
      socket.read(reading.length);
      const { source } = reading;
      // A proxy that names no client is the client itself: its headers must not set another address.
      const client = source ?? { ip: peer, port: socket.remotePort ?? 0 };
      const isSourceTrusted = isTrusted(trustProxy, source?.ip ?? null);
      admit(openConnection(socket, client, { trusted: isSourceTrusted, relayed: true }, rateKeyOf));
    });
  });
}
