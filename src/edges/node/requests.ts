/** Passes the requests of a server to the application, sends its responses, and rejects what is not a valid request. */
import { Http2ServerRequest } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../core/errors.ts';
import type { Platform } from '../../core/platform.ts';
import type { App } from '../../http/app.ts';
import { connectionOf } from '../../ingress/connection.ts';
import { gateStreams } from '../../ingress/http2.ts';
import { isParserError, type ParserError, parserError, type Reject, sendAndClose } from '../../ingress/rejection.ts';
import type { Outgoing } from '../../ingress/send-buffer.ts';
import { type Incoming, targetOf } from '../../ingress/target.ts';
import type { ResolveClientRequest } from '../proxy/client-request.ts';
import type { Intercept } from './intercept.ts';
import { connectionOfRequest, NodeRequest, type RequestServices } from './observe.ts';
import type { Responses } from './responses.ts';

/** Services that the requests of all servers share. */
export interface ServerContext extends RequestServices {
  readonly app: App;
  readonly platform: Platform;
  readonly responses: Responses;
  /** For requests of trusted proxies. */
  readonly resolveClient: ResolveClientRequest;
}

/** `base` returns the server's own URL, for requests that name no host. */
export function handleRequests(
  server: Server,
  context: ServerContext,
  base: () => string,
  reject: Reject,
  intercept: Intercept | null = null,
): void {
  const { app, platform, metrics, resolveClient, bounds } = context;
  const { isCompressible, send, sendLater } = context.responses;
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => {
    const startedMs = metrics.now();
    const connection = connectionOfRequest(incoming);
    // The client has disconnected already.
    if (connection === null) return;
    if ('assignSocket' in outgoing) connection.http1Gate?.begin(outgoing);
    const problem = problemOf(incoming, bounds.maxHeaderBytes);
    if (problem !== null) {
      send(connection, outgoing, incoming.method, reject(problem));
      return;
    }
    if ('shouldKeepAlive' in outgoing && mustClose(incoming)) outgoing.shouldKeepAlive = false;
    const target = targetOf(incoming, connection, base);
    if (target === null) {
      send(connection, outgoing, incoming.method, reject('malformed_request'));
      return;
    }
    const request = new NodeRequest(incoming, target, connection, context);
    const observed = connection.trusted ? resolveClient(request) : request;
    if (observed === null) {
      send(connection, outgoing, incoming.method, reject('malformed_request'));
      return;
    }
    const response = intercept?.(observed, connection.trusted) ?? app(observed, platform, request);
    if (response instanceof Promise || isCompressible(response))
      sendLater(connection, incoming, outgoing, response).then(
        () => metrics.observeDuration(target.path, startedMs),
        fail(outgoing),
      );
    else {
      send(connection, outgoing, incoming.method, response);
      metrics.observeDuration(target.path, startedMs);
    }
  };
  const fail = (outgoing: Outgoing) => (error: unknown) => {
    platform.report(error);
    outgoing.destroy();
  };
  const onConnect = (incoming: Incoming, target: Outgoing | Duplex): void => {
    const response = reject('method_not_allowed');
    const connection = connectionOfRequest(incoming);
    if ('writeHead' in target) {
      if (connection !== null) send(connection, target, 'CONNECT', response);
    } else {
      connection?.http1Gate?.close();
      sendAndClose(target, response);
    }
  };
  const onClientError = (error: ParserError, socket: Duplex): void => {
    const connection = connectionOf(socket as Socket);
    connection?.http1Gate?.close();
    const latest = connection?.latest ?? null;
    const isWithinBody = latest?.req.complete === false;
    if (!socket.writable || !isParserError(error) || (isWithinBody && latest.headersSent)) socket.destroy();
    else if (connection !== null && isWithinBody) {
      // The request gets this response, after those to the requests before it.
      latest.shouldKeepAlive = false;
      send(connection, latest, latest.req.method, reject(parserError(error)));
    } else sendAndClose(socket, reject(parserError(error)));
  };
  const onRequestSafely = (incoming: Incoming, outgoing: Outgoing): void => {
    try {
      onRequest(incoming, outgoing);
    } catch (error) {
      fail(outgoing)(error);
    }
  };
  server.on('request', onRequestSafely).on('checkExpectation', onRequestSafely);
  server.on('connect', onConnect).on('clientError', onClientError);
  // After the listener for requests, with which Node adds its own for streams.
  gateStreams(server);
}

/** Checks what the parsers accept: HTTP/1's any version up to 2.0, HTTP/2's any number of header bytes. */
function problemOf(incoming: Incoming, maxHeaderBytes: number): ErrorCode | null {
  if (!(incoming instanceof Http2ServerRequest)) return incoming.httpVersionMajor > 1 ? 'version_not_supported' : null;
  let headerBytes = 0;
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headerBytes += `${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}\r\n`.length;
  }
  return headerBytes > maxHeaderBytes ? 'headers_too_large' : null;
}

/** Whether an HTTP/1 connection cannot carry another request: after faulty framing, or an upgrade request with a body. */
function mustClose({ httpVersion, headers }: Incoming): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  // RFC 9112 §6.1.
  if (httpVersion === '1.0' && isChunked) return true;
  // After such a body, Node's parser drops the bytes that follow it in the same read.
  return headers.upgrade !== undefined && (isChunked || headers['content-length'] !== undefined);
}
