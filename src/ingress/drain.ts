/** Ends a server without losing a request: signals clients to send no more, and responds to requests already sent. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { IngressBounds } from './bounds.ts';
import { Connection } from './connection.ts';

/** Last stream of a GOAWAY that only announces the end: every request in transit is still handled (RFC 9113 §6.8). */
const anyStream = 2 ** 31 - 1;

/**
 * Prepares the end of a server, before it listens. Connections without a request are closed after `closeGraceMs`, because the next one may be
 * in transit; the others when their responses are sent, or after `closeTimeoutMs`.
 */
export function prepareDrain(
  server: Server,
  { closeGraceMs, closeTimeoutMs }: Pick<IngressBounds, 'closeGraceMs' | 'closeTimeoutMs'>,
): () => Promise<void> {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const withoutTls = new Set<Socket>();
  server.on('connection', (socket) => {
    for (const set of [sockets, withoutTls]) set.add(socket);
    socket.once('close', () => {
      for (const set of [sockets, withoutTls]) set.delete(socket);
    });
  });
  server.on('secureConnection', (tlsSocket: TLSSocket) => {
    const raw = Connection.of(tlsSocket)?.socket;
    if (raw !== undefined) withoutTls.delete(raw);
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const isTls = 'setSecureContext' in server;

  const announce = (session: ServerHttp2Session): void => {
    if (!session.destroyed) session.goaway(0, anyStream);
  };
  // The client sends its next request on another connection.
  const endAfterResponse = (_: unknown, outgoing: ServerResponse): void => {
    outgoing.shouldKeepAlive = false;
  };
  return async () => {
    const closed = once(server, 'close');
    server.prependListener('request', endAfterResponse).prependListener('checkExpectation', endAfterResponse);
    server.prependListener('session', announce);
    for (const session of sessions) announce(session);
    // Only stops listening: a server's own close ends idle connections immediately.
    Server.prototype.close.call(server);
    const sweep = setInterval(() => {
      // Closes idle connections, and HTTP/2 sessions after their last stream.
      server.close();
      if (isTls) for (const socket of withoutTls) socket.destroy();
    }, closeGraceMs);
    const timeout = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, closeTimeoutMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(timeout);
  };
}
