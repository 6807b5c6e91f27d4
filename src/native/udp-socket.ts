/** UDP sockets on one address of the machine: what they send leaves from the address that a client has used. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** `bufferBytes` is for bursts while the event loop is busy; the kernel takes less if net.core.rmem_max or wmem_max is smaller. Throws the system's error. */
export async function bindSocket(address: string, port: number, bufferBytes: number): Promise<Socket> {
  const type = address.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({
    type,
    recvBufferSize: bufferBytes,
    sendBufferSize: bufferBytes,
    // It only sends to senders, whose addresses are numeric; Node would ask its resolver, in a later iteration, also for those.
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
