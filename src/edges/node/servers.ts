/** The HTTP and the HTTPS server: their bounds, and what they do with a connection before its first request. */
import { createServer } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Prefix } from '../../core/address.ts';
import type { Answer } from '../../http/app.ts';
import { isTrusted } from '../proxy/forwarded.ts';
import { readProxyHeader } from '../proxy/proxy-header.ts';
import type { Bounds } from './bounds.ts';
import type { Certificate } from './certificate.ts';
import { readClientHello } from './client-hello.ts';
import { type Connection, openConnection, peerOf, secureConnection } from './connection.ts';
import { readAhead } from './read-ahead.ts';
import { refuse } from './refuse.ts';

const longestMethodBytes = 16;

export interface Admission {
  /** 0 means no limit. */
  readonly maxConnections: number;
  /** 0 means no limit; trusted proxies have none, since their connections carry everyone's requests. */
  readonly maxConnectionsPerAddress: number;
  readonly trustProxy: readonly Prefix[];
  /** Whether those proxies put a PROXY header first. */
  readonly proxyProtocol: boolean;
}

/** Creates the plain server; requests are for the caller to handle, `noProxyHeader` is the answer where one is missing. */
export function createHttpServer(bounds: Bounds, admission: Admission, noProxyHeader: () => Answer): Server {
  const server = createServer(httpOptions(bounds));
  bound(server, bounds, admission);
  takeConnections(server, bounds, admission, noProxyHeader, (_, accept) => accept());
  return server;
}

/** Creates the TLS server (HTTP/2 and HTTP/1.1), which sees each ClientHello; `plainHttp` is the answer to those without one. */
export function createHttpsServer(
  bounds: Bounds,
  admission: Admission,
  certificate: Certificate,
  noProxyHeader: () => Answer,
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
  takeConnections(server, bounds, admission, noProxyHeader, (connection, accept) => {
    readAhead(connection.socket, bounds.helloTimeoutMs, readClientHello, (reading, firstBytes) => {
      if (reading.state === 'complete') connection.hello = reading.body;
      if (reading.state === 'not-tls') refuseHttp(connection.socket, firstBytes, plainHttp);
      else accept();
    });
  });
  server.prependListener('secureConnection', secureConnection);
  return server;
}

/** Answers what looks like a request; other bytes come from no one who could read an answer. */
function refuseHttp(socket: Socket, firstBytes: Buffer, answer: () => Answer): void {
  if (/^[A-Z]+( |$)/.test(firstBytes.toString('latin1', 0, longestMethodBytes))) refuse(socket, answer());
  else socket.destroy();
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
  { helloTimeoutMs }: Bounds,
  { maxConnectionsPerAddress, trustProxy, proxyProtocol }: Admission,
  noProxyHeader: () => Answer,
  meet: (connection: Connection, accept: () => void) => void,
): void {
  const [own] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (own === undefined) throw new Error('the server has no connection listener');
  const open = new Map<string, number>();
  const take = (connection: Connection): void => {
    const { socket, rateKey, trusted } = connection;
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
  };
  server.removeListener('connection', own);
  server.on('connection', (socket) => {
    const peer = peerOf(socket);
    const trusted = isTrusted(trustProxy, peer);
    if (!trusted || !proxyProtocol) {
      take(openConnection(socket, peer, { trusted, relayed: false }));
      return;
    }
    readAhead(socket, helloTimeoutMs, readProxyHeader, (reading, firstBytes) => {
      if (reading.state === 'malformed') {
        refuseHttp(socket, firstBytes, noProxyHeader);
        return;
      }
      socket.read(reading.length);
      const { source } = reading;
      // A proxy that names nobody speaks for itself: no header that it passes on may say otherwise.
      take(openConnection(socket, source ?? peer, { trusted: isTrusted(trustProxy, source), relayed: true }));
    });
  });
}
