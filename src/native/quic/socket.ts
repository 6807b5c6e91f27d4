/**
 * The descriptor of a UDP socket. Relies on the handle of `dgram.Socket`, behind a symbol, for the descriptor through which OpenSSL sends.
 * Checked in Node 26.10. Without it, there is no HTTP/3, and the start says why.
 */
import type { Socket } from 'node:dgram';

export function descriptorOf(socket: Socket): number {
  for (const symbol of Object.getOwnPropertySymbols(socket)) {
    const fd: unknown = Reflect.get(socket, symbol)?.handle?.fd;
    if (typeof fd === 'number' && fd >= 0) return fd;
  }
  throw new Error(`Node ${process.versions.node} does not reveal the descriptor of a UDP socket`);
}
