/**
 * The size of the kernel's receive buffers (SO_RCVBUF of socket(7)), which accepted sockets inherit from the listening one.
 *
 * Relies on `_handle.fd` of `net.Server` and on `node:ffi`. Checked in Node 26.10 on Linux. Without them, the kernel chooses the size: a
 * client can then have up to 2 MB read in one iteration of the event loop.
 */
import type { Server } from 'node:net';
import { setSocketOption } from './tcp-options.ts';

const levelSocket = 1;
const optionReceiveBuffer = 8;

/** The kernel takes twice the value, half of which is for its own structures. */
export function limitReceiveBuffers(server: Server, bytes: number): void {
  setSocketOption(server, { level: levelSocket, option: optionReceiveBuffer }, bytes);
}
