/**
 * Reading, progress and origin of sockets, through private members of Node; and Node's own listeners on its servers and sockets, taken off
 * so that this process can work on a connection before Node does.
 *
 * Relies on `_handle` of `net.Socket` with `reading`, `readStart()`, `readStop()`, `bytesWritten` and `writeQueueSize`, and on `_parent`
 * of `TLSSocket`, or of the `_handle` of one that has opened its connection itself. Checked in Node 26.10. Without `_handle`, reading is never
 * stopped, and progress and overhead are 0; without `_parent`, a TLS connection is not found again after its handshake, and is closed. Relies on
 * `verifyError()` of the `_handle` of a `TLSSocket`, without which most reasons not to trust a certificate are named UNSPECIFIED.
 *
 * Relies also on listeners that Node adds itself and does not document: `connection` of a server, the last `secureConnection` of an HTTP/2
 * server, `data` of a socket with an HTTP parser, and `newListener` of an HTTP/2 server. Checked in Node 26.10. Without one of them,
 * the function throws an Error when the server is created, and the process does not start. Relies on `ALPNProtocols` of `tls.Server`, without
 * which clients that offer only `http/1.0` are rejected, as by Node itself.
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

export interface SocketHandle {
  onread: (this: SocketHandle, arrayBuffer: ArrayBuffer | undefined) => unknown;
  readonly bytesRead: number;
  reading: boolean;
  readStart(): unknown;
  readStop(): unknown;
  /** Reads into a given buffer; without it, each read allocates one (1 µs). */
  useUserBuffer?(buffer: Uint8Array): void;
  /** Set by Node when a parser of HTTP/1 reads from the handle, instead of the socket. */
  _consumed?: boolean;
  readonly bytesWritten?: number;
  /** Bytes that the kernel has not accepted yet. */
  readonly writeQueueSize?: number;
}

/** Returns null after the end of the socket. */
export const handleOf = (socket: Socket): SocketHandle | null =>
  (socket as Socket & { _handle?: SocketHandle | null })._handle ?? null;

/** Returns the socket under a TLS socket. */
export const rawSocketOf = (tlsSocket: TLSSocket): Socket | null =>
  (tlsSocket as TLSSocket & { _parent?: Socket })._parent ?? null;

/** Bytes of a client's TLS connection that were received, and are no data. */
export function overheadBytesOf(tlsSocket: TLSSocket): number {
  const { _parent: raw } = (handleOf(tlsSocket) ?? {}) as { _parent?: SocketHandle };
  return raw === undefined ? 0 : raw.bytesRead - tlsSocket.bytesRead;
}

/**
 * OpenSSL's reason not to trust the certificate of the other side, in its words (X509_verify_cert_error_string(3)); null if it does. After the
 * handshake, of a connection that does not reject such certificates.
 */
export function verifyErrorOf(tlsSocket: TLSSocket): string | null {
  // In its type, an Error; in fact, the code of one.
  const code = tlsSocket.authorizationError as unknown as string | null;
  const handle = handleOf(tlsSocket) as { verifyError?(): Error | undefined } | null;
  // Node appends advice.
  return code && (handle?.verifyError?.()?.message.replace(/;.*/, '') ?? code);
}

/**
 * Keeps Node from reading a trusted chain for `checkServerIdentity`, which must not need it: Node 26.10 ends the process at a key on a curve
 * without a name of NIST, as those of Brainpool.
 */
export function skipPeerCertificate(tlsSocket: TLSSocket): void {
  tlsSocket.getPeerCertificate = () => ({}) as DetailedPeerCertificate;
}

/** Bytes that the kernel has accepted; it accepts more as the client acknowledges them. */
export function acceptedBytesOf(socket: Socket): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = handleOf(socket) ?? {};
  return bytesWritten - writeQueueSize;
}

/** Stops reading below TLS and HTTP/2, which do not notice; the bytes wait in the kernel. */
export function stopReading(socket: Socket): void {
  handleOf(socket)?.readStop();
}

/** Undoes `stopReading`. */
export function startReading(socket: Socket): void {
  handleOf(socket)?.readStart();
}

/** Undoes `stopReading` below HTTP/2; without effect while bytes wait for the client, when Node reads nothing. */
export function resumeReading(socket: Socket): void {
  if (handleOf(socket)?.writeQueueSize === 0) startReading(socket);
}

type Listener = (...args: unknown[]) => void;

/** Returns the first or the last listener of an event. */
export function listenerOf(emitter: EventEmitter, event: string, position: 'first' | 'last' = 'first'): Listener {
  const listener = emitter.listeners(event).at(position === 'first' ? 0 : -1) as Listener | undefined;
  if (listener === undefined) throw new Error(`Node ${process.version} has no listener of its own for "${event}"`);
  return listener;
}

/** Removes and returns it; the caller decides when it runs. */
export function takeListener(emitter: EventEmitter, event: string, position: 'first' | 'last' = 'first'): Listener {
  const listener = listenerOf(emitter, event, position);
  emitter.removeListener(event, listener);
  return listener;
}

/**
 * Keeps an HTTP/2 server from adding its compatibility layer (13 µs per request) with the first listener for `request`, which then gets
 * requests over HTTP/1 only.
 */
export function disableHttp2Compatibility(server: EventEmitter): void {
  takeListener(server, 'newListener');
}

/** Lets a server of HTTP/2 also accept clients that offer only `http/1.0` by ALPN; Node sets its own list of protocols. */
export function offerHttp10(server: EventEmitter): void {
  const names = ['h2', 'http/1.1', 'http/1.0'];
  const ALPNProtocols = Buffer.concat(names.map((name) => Buffer.from([name.length, ...Buffer.from(name)])));
  Object.assign(server, { ALPNProtocols });
}
