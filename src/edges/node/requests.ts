/** Hands the requests of a server to the application, sends its answers, and answers requests that cannot be one. */
import type { ServerResponse } from 'node:http';
import { Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../core/errors.ts';
import type { Platform } from '../../core/platform.ts';
import { type Answer, type App, errorAnswer, unknownEndpoint } from '../../http/app.ts';
import { mediaTypes } from '../../http/negotiate.ts';
import type { ThroughProxy } from '../proxy/through-proxy.ts';
import { compressed } from './compression.ts';
import { connectionOf } from './connection.ts';
import { connectionOfRequest, type Instruments, NodeRequest } from './observe.ts';
import { parserError, refuse } from './refuse.ts';
import { type Incoming, targetOf } from './target.ts';

type Outgoing = ServerResponse | Http2ServerResponse;

/** What the requests of every server share. */
export interface Destination extends Instruments {
  readonly app: App;
  readonly platform: Platform;
  /** For requests of trusted proxies. */
  readonly throughProxy: ThroughProxy;
}

/** `base` is the server's own address, for requests that name none. */
export function handleRequests(server: Server, destination: Destination, base: () => string): void {
  const { app, platform, throughProxy, bounds } = destination;
  const refusal = (code: ErrorCode): Answer => refusalOf(code, platform, base);
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => {
    const connection = connectionOfRequest(incoming);
    // The client has gone already.
    if (connection === null) return;
    connection.latest = incoming;
    if (headersTooLarge(incoming, bounds.maxHeaderBytes)) {
      send(outgoing, incoming.method, refusal('headers_too_large'));
      return;
    }
    const target = targetOf(incoming, connection, base);
    if (target === null) {
      send(outgoing, incoming.method, refusal('malformed_request'));
      return;
    }
    const request = new NodeRequest(incoming, target, connection, destination);
    const observed = connection.trusted ? throughProxy(request) : request;
    if (observed === null) {
      send(outgoing, incoming.method, refusal('malformed_request'));
      return;
    }
    const answer = app(observed, platform, request);
    if (answer instanceof Promise) answer.then((later) => sendLater(incoming, outgoing, later)).catch(lost(outgoing));
    else if (isPage(answer)) sendLater(incoming, outgoing, answer).catch(lost(outgoing));
    else send(outgoing, incoming.method, answer);
  };
  const lost = (outgoing: Outgoing) => (error: unknown) => {
    platform.report(error);
    outgoing.destroy();
  };
  const onConnect = (_: Incoming, target: Outgoing | Duplex): void => {
    const answer = refusal('method_not_allowed');
    if ('writeHead' in target) send(target, 'CONNECT', answer);
    else refuse(target, answer);
  };
  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // Within the body of a request, that request has its own answer.
    const withinBody = connectionOf(socket as Socket)?.latest?.complete === false;
    if (!socket.writable || error.code === 'ECONNRESET' || withinBody) socket.destroy();
    else refuse(socket, refusal(parserError(error.code)));
  };
  const guarded = (incoming: Incoming, outgoing: Outgoing): void => {
    try {
      onRequest(incoming, outgoing);
    } catch (error) {
      lost(outgoing)(error);
    }
  };
  server.on('request', guarded).on('checkExpectation', guarded);
  server.on('connect', onConnect).on('clientError', onClientError);
}

/** The answer to what never reaches the application, counted. */
export function refusalOf(code: ErrorCode, platform: Platform, base: () => string, message?: string): Answer {
  const answer = errorAnswer(code, base(), message);
  platform.count(unknownEndpoint, answer.status);
  return answer;
}

type Sent = Omit<Answer, 'body'> & { readonly body: string | Uint8Array };

/** Pages alone are worth compressing: every other answer is small. */
const isPage = ({ headers }: Answer): boolean => headers['Content-Type']?.startsWith(mediaTypes.html) === true;

async function sendLater(incoming: Incoming, outgoing: Outgoing, answer: Answer): Promise<void> {
  const sent = isPage(answer) ? await compressedPage(answer, `${incoming.headers['accept-encoding'] ?? ''}`) : answer;
  // With a body that was not read to its end, nothing more can come over an HTTP/1 connection.
  if (!incoming.complete && 'shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false;
  send(outgoing, incoming.method, sent);
}

async function compressedPage({ status, headers, body }: Answer, acceptEncoding: string): Promise<Sent> {
  const page = await compressed(body, acceptEncoding);
  const vary = [headers.Vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
  const coding = page === null ? null : { 'Content-Encoding': page.coding };
  return { status, headers: { ...headers, Vary: vary, ...coding }, body: page?.body ?? body };
}

function send(outgoing: Outgoing, method: string | undefined, { status, headers, body }: Sent): void {
  // RFC 9110 §8.6: none with 204.
  const length = status === 204 ? null : { 'Content-Length': Buffer.byteLength(body) };
  // Both kinds take the same arguments, which the union of their overloads does not show.
  (outgoing as ServerResponse).writeHead(status, { ...headers, ...length });
  if (method === 'HEAD') outgoing.end();
  else outgoing.end(body);
}

/** HTTP/1's parser holds this limit itself; HTTP/2's has none in bytes. */
function headersTooLarge(incoming: Incoming, maxHeaderBytes: number): boolean {
  if (!(incoming instanceof Http2ServerRequest)) return false;
  let headerBytes = 0;
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headerBytes += `${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}\r\n`.length;
  }
  return headerBytes > maxHeaderBytes;
}
