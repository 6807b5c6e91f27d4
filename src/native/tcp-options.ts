/** Options of TCP sockets that Node does not expose, through getsockopt(2) and setsockopt(2); Linux only. */
import type { Server, Socket } from 'node:net';
import { loadFunctions } from './ffi.ts';

export const protocolTcp = 6;
/** SOL_SOCKET and SO_RCVBUF of socket(7). */
const receiveBuffer = { level: 1, option: 8 } as const;

/** Reads an option of a socket into bytes that are reused. */
export interface TcpOptionReader {
  /** Valid until the next call of `read`. */
  readonly bytes: Buffer;
  /** Returns the number of bytes read; 0 if the kernel or the socket has no such option. */
  read(socket: Socket): number;
}

const calls = await loadFunctions({
  // The last two are pointers. Declared as functions, numeric addresses take a quicker way through Node: 0.8 instead of 1.1 µs.
  getsockopt: { arguments: ['i32', 'i32', 'i32', 'function', 'function'], return: 'i32' },
  setsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' },
});

/** Whether this Node can read options; if not, the values that need them are null. */
export const hasTcpOptions = calls !== null;

/** Returns a reader of at most `maxBytes`. */
export function createTcpOptionReader(option: number, maxBytes: number): TcpOptionReader {
  const bytes = Buffer.alloc(maxBytes);
  if (calls === null) return { bytes, read: () => 0 };
  // Both live as long as the process, so their addresses are read once.
  const length = new Int32Array(1);
  const { getsockopt, getRawPointer } = calls;
  const [bytesAt, lengthAt] = [getRawPointer(bytes), getRawPointer(length)];
  return {
    bytes,
    read(socket) {
      const fd = descriptorOf(socket);
      if (fd === null) return 0;
      length[0] = maxBytes;
      return getsockopt(fd, protocolTcp, option, bytesAt, lengthAt) === 0 ? length[0] : 0;
    },
  };
}

/** An option of a socket: its number, and the level that it belongs to. */
interface SocketOption {
  readonly level: number;
  readonly option: number;
}

/** Sets an integer option of a listening socket; without effect if the kernel does not know it. */
export function setSocketOption(server: Server, { level, option }: SocketOption, value: number): void {
  const fd = descriptorOf(server);
  if (calls === null || fd === null) return;
  const content = Buffer.alloc(4);
  content.writeInt32LE(value);
  calls.setsockopt(fd, level, option, calls.getRawPointer(content), content.length);
}

/**
 * Limits the kernel's receive buffers, whose size accepted sockets inherit from the listening one; the kernel takes twice the value, half of
 * which is for its own structures. Without effect, a client can have up to 2 MB read in one iteration of the event loop.
 */
export function limitReceiveBuffers(server: Server, bytes: number): void {
  setSocketOption(server, receiveBuffer, bytes);
}

/** The socket's descriptor, through a private member; null if it is closed. */
function descriptorOf(socket: Socket | Server): number | null {
  const fd = (socket as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
  return fd === undefined || fd < 0 ? null : fd;
}
