/** Hands requests to the handler, and rejects requests that no handler could answer. */
import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from '../native/http.ts';
import type { Message } from '../native/http1.ts';
import { Connection } from './connection.ts';
import type { Exchange, OutgoingResponse } from './exchange.ts';
import { Http1, Http1Exchange } from './http1.ts';
import { authorityOf, hostOf, isAuthority, targetOf } from './message/target.ts';
import type { StreamExchange } from './streams.ts';

/** Why a request is rejected before it reaches the handler. */
type Problem =
  | 'malformed_request'
  | 'request_timeout'
  | 'headers_too_large'
  | 'uri_too_long'
  | 'version_not_supported'
  | 'method_not_allowed'
  /** A request without TLS on the port that requires it. */
  | 'https_required';

/** Handles the requests that one server receives. */
export interface Handler {
  handle(exchange: Exchange): Promise<void> | void;
  /** Called if handling an exchange, or its rejection, has thrown; the exchange has ended. */
  onError(error: unknown): void;
  /** Creates the response to a request that is rejected; `message` says what this server expects, `authority` is the host it names, if known. */
  reject(
    problem: Problem,
    details?: { readonly message?: string; readonly authority?: string | null },
  ): OutgoingResponse;
  /** Host and port for requests that may omit them (HTTP/1.0). */
  defaultAuthority(): string;
  /** Takes over a connection that is not for this server, by its ClientHello; returns whether it did. */
  takeOver?(socket: Socket, clientHello: Buffer): boolean;
}

/** The target of a request as sent, and the host of its headers; undefined if there is none, null if it is ambiguous. */
type Named = { readonly url: string; readonly named: string | null | undefined };

/** Ends an exchange whose handling fails, immediately or later; returns what ends it. */
function contain(exchange: Exchange, handler: Handler, work: () => Promise<void> | void): (error: unknown) => void {
  const fail = (error: unknown): void => {
    exchange.destroy();
    handler.onError(error);
  };
  try {
    work()?.catch(fail);
  } catch (error) {
    fail(error);
  }
  return fail;
}

/** Rejects what no handler could answer; else hands out the exchange. */
function handle(exchange: Exchange, { named, url }: Named, handler: Handler): Promise<void> | void {
  const { connection, protocol } = exchange;
  // An empty host, and HTTP/1.0 without one, stand for this server.
  const needsDefault = named === '' || (named === undefined && protocol === 'HTTP/1.0');
  const target = targetOf(url, needsDefault ? handler.defaultAuthority() : (named ?? null), connection);
  // The target `*` stands for the whole server, not for a resource (RFC 9112 §3.2.4).
  if (target === null || (url === '*' && exchange.method !== 'OPTIONS'))
    return exchange.respond(handler.reject('malformed_request'));
  exchange.target = target;
  return handler.handle(exchange);
}

/** The targets that the parser of HTTP/1 accepts, without the absolute form; the parsers of HTTP/2 and HTTP/3 accept bytes beyond ASCII, too. */
const streamTarget = /^(?:\/[!-~]*|\*)$/;
const malformedUrl =
  'The path must start with / and contain only visible ASCII characters; percent-encode all others, such as %C3%BC for ü.';

/** Handles a request over HTTP/2 or HTTP/3. */
export function handleStream(exchange: StreamExchange, handler: Handler): void {
  const { fields, rawHeaders } = exchange;
  exchange.fail = contain(exchange, handler, () => {
    if (exchange.method === 'CONNECT') return exchange.respond(handler.reject('method_not_allowed'));
    if (exchange.isTooLarge) return exchange.respond(handler.reject('headers_too_large'));
    exchange.expectsContinue = fields.expect === '100-continue';
    const { ':authority': authority, ':path': url = '' } = fields;
    // Most clients send no Host with `:authority`, so that it is not searched for.
    const named = fields.host === undefined ? authority : authorityOf(authority, rawHeaders);
    if (streamTarget.test(url)) return handle(exchange, { named, url }, handler);
    const details = { message: malformedUrl, authority: named && isAuthority(named) ? named : null };
    return exchange.respond(handler.reject('malformed_request', details));
  });
}

/** Handles the requests over HTTP/1 of a server, and the errors of its parser. */
export function handleHttp1(server: Server, handler: Handler): void {
  const onRequest = (incoming: Message, outgoing: ServerResponse, expectsContinue = false): void => {
    const connection = Connection.of(incoming.socket);
    // The client has disconnected already.
    if (!(connection?.protocol instanceof Http1)) return;
    const exchange = new Http1Exchange(connection, connection.protocol, outgoing);
    exchange.expectsContinue = expectsContinue;
    contain(exchange, handler, () => {
      const { httpVersionMajor: major } = incoming;
      if (major !== 1) {
        exchange.endConnection();
        // The parser mistakes a request line without a version for HTTP/0.9.
        return exchange.respond(handler.reject(major > 1 ? 'version_not_supported' : 'malformed_request'));
      }
      if (mustClose(incoming)) exchange.endConnection();
      // The parser rejects it next, and the request gets that response.
      if (!hasKnownLength(incoming)) return;
      return handle(exchange, { named: hostOf(incoming.rawHeaders), url: incoming.url ?? '/' }, handler);
    });
  };
  const onConnect = (_: Message, socket: Duplex): void => {
    const protocol = Connection.of(socket as Socket)?.protocol;
    const latest = protocol instanceof Http1 ? protocol.latest : null;
    if (protocol instanceof Http1) protocol.close();
    endAfterResponses(socket, latest, () => sendAndClose(socket, handler.reject('method_not_allowed')));
  };
  const rejectBytes = (error: ParserError, socket: Duplex, connection: Connection | null): void => {
    const protocol = connection?.protocol;
    const latest = protocol instanceof Http1 ? protocol.latest : null;
    const isWithinBody = latest?.isReceived === false;
    const reject = (): OutgoingResponse => {
      const problem = problemOf(error);
      const isOfTarget = problem === 'headers_too_large' && protocol instanceof Http1 && protocol.head.isInRequestLine;
      const authority = hostIn(error.rawPacket) ?? connection?.authority ?? null;
      if (error.code === 'HPE_INVALID_URL') return handler.reject(problem, { authority, message: malformedUrl });
      return handler.reject(isOfTarget ? 'uri_too_long' : problem, { authority });
    };
    if (!socket.writable || !parserErrorCode.test(error.code ?? '')) {
      socket.destroy();
      return;
    }
    // Created now, because the next read, perhaps of another connection, overwrites the bytes of the error.
    const response = reject();
    if (isWithinBody && !latest.isAnswered) {
      // The request gets this response, after those to the requests before it.
      latest.endConnection();
      latest.respond(response);
    } else endAfterResponses(socket, latest, () => (isWithinBody ? socket.destroy() : sendAndClose(socket, response)));
  };
  const onClientError = (error: ParserError, socket: Duplex): void => {
    const connection = Connection.of(socket as Socket);
    const protocol = connection?.protocol;
    if (protocol instanceof Http1) protocol.close();
    if (connection !== null && error.code === timeoutCode) {
      // Node reports all connections together whose time is over.
      connection.context.scheduler.defer(() => rejectBytes(error, socket, connection), connection.flow);
    } else rejectBytes(error, socket, connection);
  };
  server.on('request', onRequest).on('checkExpectation', onRequest);
  server.on('checkContinue', (incoming: Message, outgoing) => onRequest(incoming, outgoing, true));
  server.on('connect', onConnect).on('clientError', onClientError);
}

/** Whether the end of the body can be found (RFC 9112 §6.3). The parser hands out the request before it reports that. */
function hasKnownLength({ headers }: Message): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || /(?:^|,)[ \t]*chunked$/i.test(coding);
}

/** Whether an HTTP/1 connection cannot carry another request: after faulty framing, or an upgrade request with a body. */
function mustClose({ httpVersion, headers }: Message): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  // RFC 9112 §6.1.
  if (httpVersion === '1.0' && isChunked) return true;
  // After such a body, Node's parser drops the bytes that follow it in the same read.
  return headers.upgrade !== undefined && (isChunked || headers['content-length'] !== undefined);
}

/**
 * Ends a connection on which nothing more can be read, after the responses to the requests before (RFC 9112 §9.3.2). Until then, its bytes wait
 * in the kernel, which makes the client wait.
 */
function endAfterResponses(socket: Duplex, latest: Http1Exchange | null, end: () => void): void {
  if (latest === null || latest.isSent) {
    end();
    return;
  }
  // After CONNECT, Node no longer listens.
  socket.on('error', () => socket.destroy());
  socket.pause();
  // The latest response may have ended the connection.
  latest.output.once('finish', () => socket.writable && end());
}

/** Time for the client to read the response; closing a socket with unread bytes resets it and may lose the response. */
const lingerMs = 1000;

/** Sends a response on a connection whose bytes did not become a request, and closes it. */
function sendAndClose(socket: Duplex, { status, headers, body }: OutgoingResponse): void {
  const head = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

const longestMethodBytes = 16;

/** Sends the response if the first bytes look like a request; else only closes, because no client would read it. */
export function rejectFirstBytes(socket: Socket, firstBytes: Buffer, response: () => OutgoingResponse): void {
  if (/^[A-Z]+( |$)/.test(firstBytes.toString('latin1', 0, longestMethodBytes))) sendAndClose(socket, response());
  else socket.destroy();
}

/** An error of Node's HTTP parser, with the bytes it was parsing. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Errors of the parser: the bytes are at fault. Others are the connection's, such as a reset or an attempt to renegotiate TLS. */
const parserErrorCode = /^HPE_|^ERR_HTTP_/;

/** The host that the bytes of a malformed request name; null if there is none that is valid. */
function hostIn(bytes: Buffer | undefined): string | null {
  const host = /^host:[ \t]*([^ \t\r\n]+)/im.exec(bytes?.toString('latin1') ?? '')?.[1];
  return host !== undefined && isAuthority(host) ? host : null;
}

/** Returns the problem that an error of Node's HTTP parser stands for. */
function problemOf({ code, rawPacket, bytesParsed = 0 }: ParserError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === timeoutCode) return 'request_timeout';
  // The connection preface of HTTP/2.
  if (code === 'HPE_PAUSED_H2_UPGRADE') return 'version_not_supported';
  const version = code === 'HPE_INVALID_VERSION' ? rawPacket?.toString('latin1', bytesParsed - 3, bytesParsed) : '';
  return /^[2-9]\.\d$/.test(version ?? '') ? 'version_not_supported' : 'malformed_request';
}
