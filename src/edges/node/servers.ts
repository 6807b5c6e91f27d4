/** The HTTP and the HTTPS server: their bounds, and what they do with a connection before its first request. */
import { createServer } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Prefix } from '../../core/address.ts';
import type { Answer } from '../../http/app.ts';
import type { Bounds } from './bounds.ts';
import type { Certificate } from './certificate.ts';
import { type Connection, openConnection, secureConnection } from './connection.ts';
import { readHello } from './hello-listener.ts';
import { refuse } from './refuse.ts';

const longestMethodBytes = 16;

export interface Admission {
  /** 0 means no limit. */
  readonly maxConnections: number;
  /** 0 means no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Peers without a limit of their own, since their connections carry everyone's requests. */
  readonly trustProxy: readonly Prefix[];
}

/** Creates the plain server; requests are for the caller to handle. */
export function createHttpServer(bounds: Bounds, admission: Admission): Server {
  const server = createServer(httpOptions(bounds));
  bound(server, bounds, admission);
  takeConnections(server, admission, (_, accept) => accept());
  return server;
}

/** Creates the TLS server (HTTP/2 and HTTP/1.1), which sees each ClientHello; `plainHttp` is the answer to those without one. */
export function createHttpsServer(
  bounds: Bounds,
  admission: Admission,
  certificate: Certificate,
  plainHttp: () => Answer,
): Http2SecureServer {
  const server = createSecureServer({
    ...httpOptions(bounds),
    ...certificate,
    allowHTTP1: true,
    handshakeTimeout: bounds.handshakeTimeoutMs,
    // Above any number of headers that fit into maxHeaderBytes, so that too large a set gets an answer and not a reset.
    maxHeaderListPairs: Math.ceil(bounds.maxHeaderBytes / 4),
    settings: { maxConcurrentStreams: bounds.maxConcurrentStreams },
  });
  bound(server, bounds, admission);
  takeConnections(server, admission, (connection, accept) => {
    readHello(connection.socket, bounds.helloTimeoutMs, (reading, firstBytes) => {
      if (reading.state === 'complete') connection.hello = reading.body;
      if (reading.state !== 'not-tls') accept();
      else if (/^[A-Z]+( |$)/.test(firstBytes.toString('latin1', 0, longestMethodBytes))) {
        refuse(connection.socket, plainHttp());
      } else connection.socket.destroy();
    });
  });
  server.prependListener('secureConnection', secureConnection);
  return server;
}

function httpOptions(bounds: Bounds) {
  return {
    noDelay: true,
    keepAliveTimeout: bounds.idleTimeoutMs,
    headersTimeout: bounds.headersTimeoutMs,
    requestTimeout: bounds.requestTimeoutMs,
    connectionsCheckingInterval: bounds.timeoutCheckMs,
    maxHeaderSize: bounds.maxHeaderBytes,
    // Its own refusal would have no error body; targetOf finds the missing host too.
    requireHostHeader: false,
  };
}

function bound(server: Server & { setTimeout(ms: number): unknown }, bounds: Bounds, admission: Admission): void {
  if (admission.maxConnections > 0) server.maxConnections = admission.maxConnections;
  // HTTP/2 has no idle limit of its own.
  server.setTimeout(bounds.idleTimeoutMs);
  // The parser's default drops headers after the 2,000th without a word; maxHeaderBytes bounds them already.
  Object.assign(server, { maxHeadersCount: 0 });
}

/**
 * Puts `meet` in front of the server's own connection listener, which `accept` then runs. Replacing that listener, and not
 * feeding the server from another one, keeps its timeouts at work: it starts them when it is itself told to listen.
 */
function takeConnections(
  server: Server,
  { maxConnectionsPerAddress, trustProxy }: Admission,
  meet: (connection: Connection, accept: () => void) => void,
): void {
  const [own] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (own === undefined) throw new Error('the server has no connection listener');
  const open = new Map<string, number>();
  server.removeListener('connection', own);
  server.on('connection', (socket) => {
    const connection = openConnection(socket, trustProxy);
    const { rateKey, trusted } = connection;
    const others = open.get(rateKey) ?? 0;
    if (maxConnectionsPerAddress > 0 && !trusted && others >= maxConnectionsPerAddress) {
      socket.destroy();
      return;
    }
    open.set(rateKey, others + 1);
    socket.once('close', () => {
      const left = (open.get(rateKey) ?? 1) - 1;
      if (left === 0) open.delete(rateKey);
      else open.set(rateKey, left);
    });
    meet(connection, () => own.call(server, socket));
  });
}
