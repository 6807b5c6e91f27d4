/** Functions for raw sockets, besides `node:net`. */
import type { Socket } from 'node:net';

/**
 * Resolves when the socket is closed, or immediately if it already is. Unlike `once(socket, 'close')`, it does not reject if
 * the other side resets the connection first: the timing of the machine decides between a reset and an ordinary end.
 */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
