/** UDP sockets on one address of the machine: what they send leaves from the address that a client has used. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/**
 * `bufferBytes`: size of the kernel's buffers for datagrams that arrive, and for those that are sent, while the event loop is busy. It is at most
 * net.core.rmem_max and wmem_max. Throws the system's error.
 */
export async function bindSocket(address: string, port: number, bufferBytes: number): Promise<Socket> {
  const type = address.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({
    type,
    recvBufferSize: bufferBytes,
    sendBufferSize: bufferBytes,
    // All destinations are numeric addresses. Without this function, Node would pass them to its resolver, and send in a later iteration.
    lookup: (host, _options, callback) => callback(null, host, isIP(host)),
  });
  // Set before the socket binds, which it does immediately with such a lookup.
  const listening = once(socket, 'listening');
  try {
    socket.bind({ address, port, exclusive: true });
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}
