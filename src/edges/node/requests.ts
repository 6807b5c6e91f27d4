/** Hands the requests of a server to the application, and answers those that cannot be. */
import type { ServerResponse } from 'node:http';
import { Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import type { Platform } from '../../core/platform.ts';
import { type App, errorAnswer } from '../../http/app.ts';
import { connectionOf } from './connection.ts';
import type { Geoip } from './geoip.ts';
import { connectionOfRequest, type Incoming, NodeRequest } from './observe.ts';
import { parserError, refuse } from './refuse.ts';

type Outgoing = ServerResponse | Http2ServerResponse;

/** What the requests of every server share. */
export interface Destination {
  readonly app: App;
  readonly platform: Platform;
  readonly geoip: Geoip;
  readonly maxHeaderBytes: number;
}

/** `base` is the server's own address, for answers to requests that name none. */
export function handleRequests(server: Server, destination: Destination, base: () => string): void {
  const { app, platform, geoip, maxHeaderBytes } = destination;
  const refused = (code: ErrorCode): Response => {
    const { status, headers, body } = errorAnswer(code, base());
    platform.count('unknown', status);
    return new Response(body, { status, headers });
  };
  const listener = getRequestListener(
    (request, { incoming }) => {
      const code = faultOf(incoming, maxHeaderBytes);
      if (code !== null) return refused(code);
      const connection = connectionOfRequest(incoming);
      // The client has gone: nobody reads this.
      if (connection === null) return refused('malformed_request');
      if (incoming.method !== 'GET' && incoming.method !== 'HEAD') connection.withBody = incoming;
      return app.fetch(request, { observed: new NodeRequest(incoming, request.url, connection, geoip), platform });
    },
    { errorHandler: (error) => refused(error instanceof ServiceError ? error.code : 'malformed_request') },
  );
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => {
    // HTTP/1.0 may leave the host out; the adapter may not.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= new URL(base()).host;
    void listener(incoming, outgoing);
  };
  const onConnect = (_: Incoming, target: Outgoing | Duplex): void => {
    const { status, headers, body } = errorAnswer('method_not_allowed', base());
    platform.count('unknown', status);
    if ('writeHead' in target) (target as ServerResponse).writeHead(status, headers).end(body);
    else refuse(target, 'method_not_allowed', base());
  };
  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // Within the body of a request, that request has its own answer.
    const withinBody = connectionOf(socket as Socket)?.withBody?.complete === false;
    if (!socket.writable || error.code === 'ECONNRESET' || withinBody) {
      socket.destroy();
      return;
    }
    const code = parserError(error.code);
    platform.count('unknown', errorAnswer(code, '').status);
    refuse(socket, code, base());
  };
  server.on('request', onRequest).on('checkExpectation', onRequest);
  server.on('connect', onConnect).on('clientError', onClientError);
}

/** What is wrong with a request that the parser let through; null when nothing is. */
function faultOf(incoming: Incoming, maxHeaderBytes: number): ErrorCode | null {
  const { rawHeaders } = incoming;
  if (incoming instanceof Http2ServerRequest) {
    // HTTP/1's parser holds this limit itself; HTTP/2's has none in bytes.
    let headerBytes = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      headerBytes += (rawHeaders[at]?.length ?? 0) + (rawHeaders[at + 1]?.length ?? 0) + ': \r\n'.length;
    }
    return headerBytes > maxHeaderBytes ? 'headers_too_large' : null;
  }
  return countOf('host', rawHeaders) > 1 ? 'malformed_request' : null; // RFC 9112 §3.2
}

function countOf(name: string, rawPairs: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawPairs.length; at += 2) {
    const raw = rawPairs[at] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}
