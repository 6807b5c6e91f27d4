/**
 * The UDP sockets of the server: one for each address of the machine, so that responses leave from the address that a client has used.
 *
 * Relies on the handle of `dgram.Socket`, behind a symbol, for the descriptor through which OpenSSL sends. Checked in Node 26.10. Without
 * it, there is no HTTP/3, and the start says why.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { listLocalAddresses } from '../local-addresses.ts';

/** For bursts while the event loop is busy; the kernel takes less if net.core.rmem_max or wmem_max is smaller. */
const bufferBytes = 4_194_304;

/** Returns the addresses for a host; null: all of the machine. */
export function addressesOf(host: string | null): readonly string[] {
  if (host !== null && host !== '::' && host !== '0.0.0.0') return [host];
  return listLocalAddresses({ hasIpv6: host !== '0.0.0.0', hasLoopback: true });
}

/** Throws the system's error if it cannot bind. */
export async function bindSocket(address: string, port: number): Promise<Socket> {
  const type = address.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({ type, recvBufferSize: bufferBytes, sendBufferSize: bufferBytes });
  try {
    await once(socket.bind({ address, port, exclusive: true }), 'listening');
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

export function descriptorOf(socket: Socket): number {
  for (const symbol of Object.getOwnPropertySymbols(socket)) {
    const fd: unknown = Reflect.get(socket, symbol)?.handle?.fd;
    if (typeof fd === 'number' && fd >= 0) return fd;
  }
  throw new Error(`Node ${process.versions.node} does not reveal the descriptor of a UDP socket`);
}
