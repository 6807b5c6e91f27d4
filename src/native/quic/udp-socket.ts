/**
 * The UDP socket of the server, with its descriptor, through which OpenSSL sends.
 *
 * Relies on the handle of `dgram.Socket`, behind a symbol. Checked in Node 26.10. Without it, there is no HTTP/3, and the start says why.
 */
import { createSocket, type Socket, type SocketType } from 'node:dgram';
import { once } from 'node:events';

/** For bursts while the event loop is busy; the kernel takes less if net.core.rmem_max or wmem_max is smaller. */
const bufferBytes = 4_194_304;

export interface UdpSocket {
  readonly socket: Socket;
  readonly fd: number;
}

/** `host` null is every IPv6 and IPv4 address, or only IPv4 if the machine has no IPv6. Throws the system's error if it cannot bind. */
export async function openUdpSocket(host: string | null, port: number): Promise<UdpSocket> {
  const isIpv6 = host === null || host.includes(':');
  try {
    return await bind(isIpv6 ? 'udp6' : 'udp4', host ?? '::', port);
  } catch (error) {
    if (host !== null || (error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
    return bind('udp4', '0.0.0.0', port);
  }
}

async function bind(type: SocketType, address: string, port: number): Promise<UdpSocket> {
  const socket = createSocket({ type, recvBufferSize: bufferBytes, sendBufferSize: bufferBytes });
  try {
    await once(socket.bind({ address, port, exclusive: true }), 'listening');
    const fd = descriptorOf(socket);
    if (fd === null) throw new Error(`Node ${process.versions.node} does not reveal the descriptor of a UDP socket`);
    return { socket, fd };
  } catch (error) {
    socket.close();
    throw error;
  }
}

function descriptorOf(socket: Socket): number | null {
  for (const symbol of Object.getOwnPropertySymbols(socket)) {
    const fd: unknown = Reflect.get(socket, symbol)?.handle?.fd;
    if (typeof fd === 'number' && fd >= 0) return fd;
  }
  return null;
}
