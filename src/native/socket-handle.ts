/** The undocumented part of Node's sockets that reads and writes. */
import type { Socket } from 'node:net';

export interface SocketHandle {
  onread: (this: SocketHandle, arrayBuffer: ArrayBuffer | undefined) => unknown;
  readonly bytesRead: number;
  reading: boolean;
  readStart(): unknown;
  readStop(): unknown;
  /** Reads into a given buffer; without it, each read allocates one (1 µs). */
  useUserBuffer?(buffer: Uint8Array): void;
  readonly bytesWritten?: number;
  /** Bytes that the kernel has not accepted yet. */
  readonly writeQueueSize?: number;
}

/** Returns null after the end of the socket. */
export function handleOf(socket: Socket): SocketHandle | null {
  return (socket as Socket & { _handle?: SocketHandle | null })._handle ?? null;
}
