/** Ends servers without losing a request: tells clients to send no more, and responds to what they have sent already. */
import { once } from 'node:events';
import { Server } from 'node:net';
import type { IngressBounds } from './bounds.ts';
import type { Connection } from './connection.ts';

/**
 * Resolves when all servers and connections are closed. Connections without a request are closed after `closeGraceMs`, because the next
 * one may be in transit; the others when their responses are sent, or after `closeTimeoutMs`.
 */
export async function drain(
  servers: readonly Server[],
  connections: ReadonlySet<Connection>,
  { closeGraceMs, closeTimeoutMs }: IngressBounds,
): Promise<void> {
  const closed = servers.map((server) => once(server, 'close'));
  for (const { protocol } of connections) protocol?.drain();
  // Only stops listening: a server's own close ends idle connections immediately.
  for (const server of servers) Server.prototype.close.call(server);
  const sweep = setInterval(() => {
    // Closes idle connections, and HTTP/2 sessions after their last stream.
    for (const server of servers) server.close();
    // Those that have not finished a handshake.
    for (const { protocol, socket } of connections) if (protocol === null) socket.destroy();
  }, closeGraceMs);
  const timeout = setTimeout(() => {
    for (const { socket } of connections) socket.destroy();
  }, closeTimeoutMs);
  await Promise.all(closed);
  clearInterval(sweep);
  clearTimeout(timeout);
}
