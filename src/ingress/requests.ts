/** Turns what Node's servers receive into exchanges, and rejects what no handler could answer. */
import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Message } from '../native/http1.ts';
import { Connection } from './connection.ts';
import { authorityOf, type Exchange, hostOf, targetOf } from './exchange.ts';
import { Http1, Http1Exchange } from './http1.ts';
import type { Handler, Problem } from './options.ts';
import { isParserError, type ParserError, problemOf, sendAndClose } from './rejection.ts';
import type { StreamExchange } from './streams.ts';

/** What a request names: its target as sent, and the host of its headers; undefined if there is none, null if it is ambiguous. */
interface Named {
  readonly url: string;
  readonly named: string | null | undefined;
}

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
  if (target === null) return reject(exchange, 'malformed_request', handler);
  exchange.target = target;
  return handler.handle(exchange);
}

function reject(exchange: Exchange, problem: Problem, handler: Handler): void {
  exchange.respond(handler.reject(problem));
}

/** Handles a request over HTTP/2 or HTTP/3. */
export function handleStream(exchange: StreamExchange, handler: Handler): void {
  const { fields, rawHeaders } = exchange;
  exchange.fail = contain(exchange, handler, () => {
    if (exchange.method === 'CONNECT') return reject(exchange, 'method_not_allowed', handler);
    if (exchange.isTooLarge) return reject(exchange, 'headers_too_large', handler);
    if (fields.expect === '100-continue') exchange.continue();
    const authority = fields[':authority'];
    // Most clients send no Host with `:authority`, so that it is not searched for.
    const named = fields.host === undefined ? authority : authorityOf(authority, rawHeaders);
    return handle(exchange, { named, url: fields[':path'] ?? '/' }, handler);
  });
}

/** Handles the requests over HTTP/1 of a server, and the errors of its parser. */
export function handleHttp1(server: Server, handler: Handler): void {
  const onRequest = (incoming: Message, outgoing: ServerResponse): void => {
    const connection = Connection.of(incoming.socket);
    // The client has disconnected already.
    if (!(connection?.protocol instanceof Http1)) return;
    const exchange = new Http1Exchange(connection, connection.protocol, outgoing);
    contain(exchange, handler, () => {
      if (incoming.httpVersionMajor > 1) return reject(exchange, 'version_not_supported', handler);
      if (mustClose(incoming)) exchange.endConnection();
      return handle(exchange, { named: hostOf(incoming.rawHeaders), url: incoming.url ?? '/' }, handler);
    });
  };
  const onConnect = (_: Message, socket: Duplex): void => {
    const protocol = Connection.of(socket as Socket)?.protocol;
    if (protocol instanceof Http1) protocol.close();
    sendAndClose(socket, handler.reject('method_not_allowed'));
  };
  const onClientError = (error: ParserError, socket: Duplex): void => {
    const protocol = Connection.of(socket as Socket)?.protocol;
    if (protocol instanceof Http1) protocol.close();
    const latest = protocol instanceof Http1 ? protocol.latest : null;
    const isWithinBody = latest?.isReceived === false;
    if (!socket.writable || !isParserError(error) || (isWithinBody && latest.isAnswered)) socket.destroy();
    else if (isWithinBody) {
      // The request gets this response, after those to the requests before it.
      latest.endConnection();
      reject(latest, problemOf(error), handler);
    } else sendAndClose(socket, handler.reject(problemOf(error)));
  };
  server.on('request', onRequest).on('checkExpectation', onRequest);
  server.on('connect', onConnect).on('clientError', onClientError);
}

/** Whether an HTTP/1 connection cannot carry another request: after faulty framing, or an upgrade request with a body. */
function mustClose({ httpVersion, headers }: Message): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  // RFC 9112 §6.1.
  if (httpVersion === '1.0' && isChunked) return true;
  // After such a body, Node's parser drops the bytes that follow it in the same read.
  return headers.upgrade !== undefined && (isChunked || headers['content-length'] !== undefined);
}
