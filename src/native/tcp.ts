/**
 * TCP sockets as Linux knows them and Node does not: their options by getsockopt(2) and setsockopt(2), the first packet of each connection
 * (TCP_SAVE_SYN and TCP_SAVED_SYN of include/uapi/linux/tcp.h), and several connections in one iteration of the event loop by accept4(2).
 *
 * Relies on `_handle` of `net.Socket` and `net.Server` with `fd`; on `onconnection` of a server's handle, and its constructor; on
 * `open(fd)` of the handles that this makes; and on `node:ffi`. Checked in Node 26.10 on Linux. Without them, options are not read or set,
 * the first packet is null, and one connection is accepted in each iteration.
 */
import type { Server, Socket } from 'node:net';
import { loadFunctions } from './ffi.ts';

const protocolTcp = 6;
/** SOL_SOCKET and SO_RCVBUF of socket(7). */
const receiveBuffer = { level: 1, option: 8 };
/** TCP_SAVE_SYN and TCP_SAVED_SYN of include/uapi/linux/tcp.h. */
const saveSyn = { level: protocolTcp, option: 27 };
const optionSavedSyn = 28;
/** TCP_INFO of include/uapi/linux/tcp.h. */
export const optionTcpInfo = 11;
/** TCP_CLOSE and TCP_CLOSE_WAIT of include/net/tcp_states.h: a connection that was reset, and one of which the peer sends no more. */
const endedStates: readonly (number | undefined)[] = [7, 8];

const calls = await loadFunctions({
  // The last two are pointers. Declared as functions, numeric addresses take a quicker way through Node: 0.8 instead of 1.1 µs.
  getsockopt: { arguments: ['i32', 'i32', 'i32', 'function', 'function'], return: 'i32' },
  setsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' },
  // The two in the middle are pointers to where the client's address and its length are to be stored.
  accept4: { arguments: ['i32', 'u64', 'u64', 'i32'], return: 'i32' },
  close: { arguments: ['i32'], return: 'i32' },
});

/** Whether this Node has the functions; if not, the values that need them are null. */
export const hasTcpOptions = calls !== null;

/** Returns a reader of an option of at most `maxBytes`, into bytes that are reused. */
export function createTcpOptionReader(option: number, maxBytes: number) {
  const bytes = Buffer.alloc(maxBytes);
  if (calls === null) return { bytes, read: (_: Socket) => 0 };
  // Both live as long as the process, so their addresses are read once.
  const length = new Int32Array(1);
  const { getsockopt, getRawPointer } = calls;
  const bytesAt = getRawPointer(bytes);
  const lengthAt = getRawPointer(length);
  return {
    /** Valid until the next call of `read`. */
    bytes,
    /** Returns the number of bytes read; 0 if the kernel or the socket has no such option. */
    read(socket: Socket): number {
      const fd = descriptorOf(socket);
      if (fd === null) return 0;
      length[0] = maxBytes;
      return getsockopt(fd, protocolTcp, option, bytesAt, lengthAt) === 0 ? length[0] : 0;
    },
  };
}

/** Sets an integer option of a listening socket; without effect if the kernel does not know it. */
function setSocketOption(server: Server, { level, option }: typeof receiveBuffer, value: number): void {
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
export const setReceiveBuffers = (server: Server, bytes: number): void => setSocketOption(server, receiveBuffer, bytes);

/** The socket's descriptor, through a private member; null if it is closed. */
function descriptorOf(socket: Socket | Server): number | null {
  const fd = (socket as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
  return fd === undefined || fd < 0 ? null : fd;
}

/** Twice the size of IPv6 and TCP headers with all options. */
const maxSynBytes = 256;

const savedSyn = createTcpOptionReader(optionSavedSyn, maxSynBytes);

/** Makes the kernel store the headers of each SYN, 40 to 120 bytes for each connection, until they are read or it closes. */
export const saveSyns = (server: Server): void => setSocketOption(server, saveSyn, 1);

/** Returns IP and TCP headers; null if none were saved, as with SYN cookies. The kernel returns them only once. */
export function takeSyn(socket: Socket): Uint8Array | null {
  const length = savedSyn.read(socket);
  return length === 0 ? null : new Uint8Array(savedSyn.bytes.subarray(0, length));
}

/** The first byte of `struct tcp_info`. */
const tcpState = createTcpOptionReader(optionTcpInfo, 1);

/** Whether the client has closed the connection or sends no more, even while bytes from it are unread; false if unknown. */
export const hasClientLeft = (socket: Socket): boolean =>
  tcpState.read(socket) === 1 && endedStates.includes(tcpState.bytes[0]);

/** Places of `tcpi_unacked` and `tcpi_notsent_bytes` in `struct tcp_info`: packets in flight, and bytes that have not been sent. */
const unackedAt = 24;
const notSentAt = 144;
const tcpSending = createTcpOptionReader(optionTcpInfo, notSentAt + 4);

/** Whether the client has acknowledged all bytes that were written; false if unknown. */
export function isAcknowledged(socket: Socket): boolean {
  const { bytes } = tcpSending;
  if (tcpSending.read(socket) < bytes.length) return false;
  return bytes.readUInt32LE(unackedAt) === 0 && bytes.readUInt32LE(notSentAt) === 0;
}

interface ListeningHandle {
  readonly fd: number;
  onconnection(this: ListeningHandle, status: number, connection: object): void;
  readonly constructor: new (type: number) => { open(fd: number): number };
}

/** Which connections are accepted. */
interface AcceptFilter {
  /** Whether there are any that are not. */
  readonly isActive: boolean;
  isWelcome(ip: string): boolean;
}

/** Type of a handle for a connection. */
const connectionType = 0;

/** SOCK_NONBLOCK and SOCK_CLOEXEC of socket(2). */
const socketFlags = 0o2004000;

/** Connections that are closed in the time for which one is accepted: 5 to 28 µs each (quiet, and under a flood on a loaded machine), instead of 0.1 ms. */
const closedForAccepted = 16;

/** `struct sockaddr_storage`, into which the kernel writes. */
const peerAddress = Buffer.alloc(128);
const peerLength = new Uint32Array(1);
const peerAddressAt = calls?.getRawPointer(peerAddress) ?? 0n;
const peerLengthAt = calls?.getRawPointer(peerLength) ?? 0n;
const ipv4Family = 2;

/** The address that the kernel has written: `struct sockaddr_in`, or `sockaddr_in6`, whose text has no `::`. */
function readPeer(): string {
  if (peerAddress.readUInt16LE() === ipv4Family) return peerAddress.subarray(4, 8).join('.');
  const ip = peerAddress.subarray(8, 24);
  if (ip.readBigUInt64BE() === 0n && ip.readUInt32BE(8) === 0xffff) return ip.subarray(12).join('.');
  return Array.from({ length: 8 }, (_, at) => ip.readUInt16BE(2 * at).toString(16)).join(':');
}

/**
 * If the event loop has waited for events so long since the latest connection, others rarely wait behind this one, and the look for them
 * would take 30 µs of a visit.
 */
const idleMs = 5;

/**
 * Accepts up to `max` of the connections that wait, in each iteration but the first after an idle time; expects a server that listens. Node
 * accepts one, so that in a flood each new client waits for as many iterations as connections are ahead of its own. Those after the first whose
 * address is not welcome are closed before Node makes objects for them.
 */
export function acceptWaiting(server: Server, max: number, filter: AcceptFilter | null = null): void {
  const handle = (server as Server & { readonly _handle?: ListeningHandle | null })._handle;
  if (calls === null || !handle?.onconnection) return;
  const { accept4, close } = calls;
  const { onconnection, constructor: Handle } = handle;
  let idleBeforeMs = Number.POSITIVE_INFINITY;
  handle.onconnection = function (status, connection) {
    const { idleTime } = performance.nodeTiming;
    const isAlone = idleTime - idleBeforeMs > idleMs;
    idleBeforeMs = idleTime;
    onconnection.call(this, status, connection);
    if (isAlone) return;
    for (let left = (max - 1) * closedForAccepted; left > 0; ) {
      peerLength[0] = peerAddress.length;
      const fd = accept4(this.fd, peerAddressAt, peerLengthAt, socketFlags);
      if (fd === -1) return;
      if (filter?.isActive && !filter.isWelcome(readPeer())) {
        close(fd);
        left -= 1;
        continue;
      }
      left -= closedForAccepted;
      const next = new Handle(connectionType);
      next.open(fd);
      onconnection.call(this, 0, next);
    }
  };
}
