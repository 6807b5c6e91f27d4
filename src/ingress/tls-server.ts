/** The HTTPS server: what it reads of a connection before Node's TLS and HTTP/2 serve it. */
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { disableHttp2Compatibility, offerHttp10, resumeReading, stopReading, takeListener } from '../native/socket.ts';
import { hasClientLeft } from '../native/tcp.ts';
import { Connection, type Connections } from './connection.ts';
import { joinRecords, readAhead, readClientHello, readHttp2Preface } from './first-bytes.ts';
import { Http1 } from './http1.ts';
import { Http2 } from './http2.ts';
import { handshakeCost } from './limits/handshake-cost.ts';
import { type Handler, handleStream, rejectFirstBytes } from './requests.ts';

/** Creates a server of HTTP/2 and HTTP/1.1 over TLS, which keeps the frames that open HTTP/2. */
export function createTlsServer(connections: Connections, handler: Handler, options: object): Http2SecureServer {
  const { bounds, onHandshake } = connections.context;
  const server = createSecureServer({
    ...options,
    allowHTTP1: true,
    handshakeTimeout: bounds.handshakeTimeoutMs,
    maxHeaderListPairs: bounds.maxHeaderFields,
    settings: { maxConcurrentStreams: bounds.maxConcurrentStreams },
    streamResetBurst: bounds.streamResetBurst,
    streamResetRate: bounds.streamResetRate,
  });
  disableHttp2Compatibility(server);
  offerHttp10(server);
  server.on('tlsClientError', () => onHandshake('none', 'failed'));
  const ofNode = takeListener(server, 'secureConnection', 'last');
  server.on('secureConnection', (socket) => {
    onHandshake(socket.getProtocol() ?? 'none', socket.isSessionReused() ? 'resumed' : 'full');
    const connection = Connection.bindTlsSocket(socket);
    if (connection !== null) connection.tlsMs = connection.endHandshake?.() ?? null;
    const passToNode = (): void => ofNode.call(server, socket);
    if (connection === null) socket.destroy();
    else if (socket.alpnProtocol === 'h2') keepPreface(connection, socket, passToNode);
    else {
      // Node serves HTTP/1 only by this name or without any.
      if (socket.alpnProtocol === 'http/1.0') socket.alpnProtocol = false;
      connections.serve(connection, new Http1(connection, socket, passToNode));
    }
  });
  server.on('session', (session) => {
    const connection = Connection.of(session.socket as TLSSocket);
    if (connection === null) session.destroy();
    else connections.serve(connection, new Http2(connection, session, (exchange) => handleStream(exchange, handler)));
  });
  return server;
}

/** Description of an alert (RFC 8446 §6.2). */
const unexpectedMessage = 10;

/** Whether the first bytes are a TLS record of the handshake, in which something else than a ClientHello came. */
const isTlsRecord = (bytes: Buffer): boolean => bytes[0] === 22 && bytes[1] === 3;

/** Ends a connection before its TLS begins, with a fatal alert. */
function sendAlert(socket: Socket, description: number): void {
  socket.on('error', () => {});
  socket.end(Buffer.from([21, 3, 3, 0, 2, 2, description]), () => socket.destroy());
}

/** Keeps the ClientHello of a connection that is admitted; the TLS library then gets it, in one record. */
export function keepClientHello(connection: Connection, handler: Handler, passToNode: () => void): void {
  const { socket, context } = connection;
  // Each handshake takes 0.5 ms, so only the first ones start in the iteration that reads their ClientHello, and none that takes more.
  const startHandshake = (cost = 1): void =>
    start(
      connection,
      { kind: 'handshake', turns: cost === 1 && context.scheduler.tryStart('handshake') ? 0 : cost },
      () => {
        connection.endHandshake = context.scheduler.stopwatch.start();
        passToNode();
      },
    );
  const { helloTimeoutMs: timeoutMs } = context.bounds;
  readAhead(socket, { timeoutMs, parse: readClientHello, join: joinRecords }, (reading, firstBytes) => {
    if ('body' in reading) {
      if (handler.takeOver?.(socket, reading.body)) return;
      connection.clientHello = reading.body;
      startHandshake(handshakeCost(reading.body));
      return;
    }
    switch (reading.unread) {
      // The TLS library gets the bytes, and decides.
      case 'oversized':
        return startHandshake();
      case 'not-tls':
        if (isTlsRecord(firstBytes)) sendAlert(socket, unexpectedMessage);
        else rejectFirstBytes(socket, firstBytes, () => handler.reject('https_required'));
    }
  });
}

/** Keeps the frames with which a client opens HTTP/2; Node's session then gets every byte. */
function keepPreface(connection: Connection, socket: TLSSocket, passToNode: () => void): void {
  const { bounds, scheduler } = connection.context;
  const { helloTimeoutMs: timeoutMs, prefaceGraceMs: graceMs } = bounds;
  readAhead(socket, { timeoutMs, graceMs, parse: readHttp2Preface }, (frames) => {
    connection.http2Frames = frames;
    // The session parses all that has been read, before a bound on reading applies to it.
    const isNow = scheduler.hasTime();
    if (!isNow) stopReading(connection.socket);
    start(connection, { kind: 'first', turns: isNow ? 0 : 1 }, () => {
      if (!isNow) resumeReading(connection.socket);
      passToNode();
    });
  });
}

interface Wait {
  readonly kind: 'handshake' | 'first';
  readonly turns: number;
}

/**
 * Starts the next stage of a connection after so many turns of its flow: now, or in a step of the scheduler. The step gives up a client that
 * has left, which nothing reports while its bytes are unread, or that has waited for `handshakeTimeoutMs`. Otherwise, after a pause, the
 * service would work only for clients that have given up, while new ones wait until they give up too.
 */
function start({ socket, tlsSocket, context, flow }: Connection, { kind, turns }: Wait, stage: () => void) {
  if (turns === 0) return stage();
  // Nothing else listens for errors until then.
  (tlsSocket ?? socket).on('error', () => {});
  const untilMs = performance.now() + context.bounds.handshakeTimeoutMs;
  let passed = 0;
  context.scheduler.add(
    () => {
      if (socket.destroyed) return false;
      if (performance.now() > untilMs || hasClientLeft(socket)) {
        if (kind === 'handshake') context.onHandshake('none', 'failed');
        socket.destroy();
        return false;
      }
      passed += 1;
      if (passed === turns) stage();
      return passed < turns;
    },
    flow,
    kind,
  );
}
