/** Sockets and TLS clients without Node's event loop, by system calls and by the OpenSSL inside Node (node:ffi); Linux only. */
import { dlopen, getRawPointer } from 'node:ffi';

// include/bits/socket.h of Linux.
const addressFamilyIpv4 = 2;
const streamSocket = 1;
const nonBlocking = 0o4000;
const dontWait = 0x40;
const noSignal = 0x4000;
// openssl/ssl.h and openssl/tls1.h.
const wantRead = 2;
const wantWrite = 3;
const zeroReturn = 6;
const setGroupsList = 92;

const pointer = 'pointer';
const functions = dlopen(null, {
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  connect: { arguments: ['i32', pointer, 'u32'], return: 'i32' },
  send: { arguments: ['i32', pointer, 'u64', 'i32'], return: 'i64' },
  recv: { arguments: ['i32', pointer, 'u64', 'i32'], return: 'i64' },
  close: { arguments: ['i32'], return: 'i32' },
  TLS_client_method: { arguments: [], return: pointer },
  SSL_CTX_new: { arguments: [pointer], return: pointer },
  SSL_CTX_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  SSL_CTX_set_ciphersuites: { arguments: [pointer, pointer], return: 'i32' },
  SSL_CTX_set_alpn_protos: { arguments: [pointer, pointer, 'u32'], return: 'i32' },
  SSL_new: { arguments: [pointer], return: pointer },
  SSL_set_fd: { arguments: [pointer, 'i32'], return: 'i32' },
  SSL_connect: { arguments: [pointer], return: 'i32' },
  SSL_write: { arguments: [pointer, pointer, 'i32'], return: 'i32' },
  SSL_read: { arguments: [pointer, pointer, 'i32'], return: 'i32' },
  SSL_get_error: { arguments: [pointer, 'i32'], return: 'i32' },
  SSL_session_reused: { arguments: [pointer], return: 'i32' },
  SSL_free: { arguments: [pointer], return: 'void' },
}).functions as unknown as Readonly<Record<string, (...args: (number | bigint)[]) => number>>;

/** Bytes at a fixed address. */
export interface Pinned {
  readonly bytes: Buffer;
  readonly at: bigint;
  /** Number of bytes, as the system calls take it. */
  readonly size: bigint;
}

export const pin = (bytes: Buffer): Pinned => ({ bytes, at: getRawPointer(bytes), size: BigInt(bytes.length) });
const pinText = (text: string): Pinned => pin(Buffer.from(`${text}\0`));

/** Returns the address of an IPv4 socket (struct sockaddr_in). */
export function socketAddress(host: string, port: number): Pinned {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(addressFamilyIpv4, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(host.split('.').map(Number), 4);
  return pin(bytes);
}

/** Shared by all reads: each is parsed before the next one. */
export const received = pin(Buffer.alloc(65_536));

/** A stream that never blocks: each method returns null if it has to be repeated. */
export interface Stream {
  /** Returns true as soon as a TLS handshake has ended. */
  handshake(): true | null;
  send(request: Pinned): true | null;
  /** Reads into `received`; returns the number of bytes, 0 at the end. */
  receive(): number | null;
  close(): void;
}

/** Connects; over loopback that needs no waiting. */
function openSocket(address: Pinned): number {
  const fd = functions.socket?.(addressFamilyIpv4, streamSocket | nonBlocking, 0) ?? -1;
  if (fd < 0) throw new Error('cannot create a socket; check the limit of open files');
  functions.connect?.(fd, address.at, address.bytes.length);
  return fd;
}

const { send, recv, close, SSL_connect, SSL_write, SSL_read, SSL_get_error, SSL_free } = functions;

export function openPlain(address: Pinned): Stream {
  const fd = openSocket(address);
  return {
    handshake: () => true,
    send: ({ at, size }) => (BigInt(send?.(fd, at, size, noSignal) ?? 0) === size ? true : null),
    receive: () => receiveRaw(fd),
    close: () => void close?.(fd),
  };
}

function receiveRaw(fd: number): number | null {
  const length = Number(recv?.(fd, received.at, received.size, dontWait));
  return length < 0 ? null : length;
}

/** Chrome's order of cipher suites and groups, and its two key shares. */
const cipherSuites = pinText('TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256');
const groups = pinText('*X25519MLKEM768:*X25519:secp256r1:secp384r1');

export type Protocol = 'h2' | 'http/1.1';
/** OpenSSL's contexts by the only protocol that the client offers. */
const contexts = new Map<Protocol, bigint>();

function tlsContext(protocol: Protocol): bigint {
  const known = contexts.get(protocol);
  if (known !== undefined) return known;
  const context = BigInt(functions.SSL_CTX_new?.(functions.TLS_client_method?.() ?? 0) ?? 0);
  const protocols = pin(Buffer.from([protocol.length, ...Buffer.from(protocol, 'latin1')]));
  const problems = [
    functions.SSL_CTX_set_ciphersuites?.(context, cipherSuites.at) !== 1,
    Number(functions.SSL_CTX_ctrl?.(context, setGroupsList, 0n, groups.at)) !== 1,
    functions.SSL_CTX_set_alpn_protos?.(context, protocols.at, protocols.bytes.length) !== 0,
  ];
  if (context === 0n || problems.includes(true)) throw new Error('OpenSSL rejects the client of the load');
  contexts.set(protocol, context);
  return context;
}

/** Without a stored session, so that every handshake is a full one. */
export function openTls(address: Pinned, protocol: Protocol): Stream {
  const fd = openSocket(address);
  const ssl = BigInt(functions.SSL_new?.(tlsContext(protocol)) ?? 0);
  functions.SSL_set_fd?.(ssl, fd);
  let hasEnded = false;
  const retry = (result: number): null => {
    const error = SSL_get_error?.(ssl, result);
    if (error === wantRead || error === wantWrite) return null;
    throw new Error(`a TLS connection failed (SSL error ${error})`);
  };
  return {
    handshake() {
      const result = SSL_connect?.(ssl) ?? -1;
      if (result !== 1) return retry(result);
      if (functions.SSL_session_reused?.(ssl) === 1) throw new Error('a TLS session was resumed');
      return true;
    },
    send({ at, bytes }) {
      const result = SSL_write?.(ssl, at, bytes.length) ?? -1;
      return result > 0 ? true : retry(result);
    },
    receive() {
      if (hasEnded) return receiveRaw(fd);
      const length = SSL_read?.(ssl, received.at, received.bytes.length) ?? -1;
      if (length > 0) return length;
      if (SSL_get_error?.(ssl, length) !== zeroReturn) return retry(length);
      // The alert ends TLS; the end of the TCP stream may follow later.
      hasEnded = true;
      return null;
    },
    close() {
      SSL_free?.(ssl);
      close?.(fd);
    },
  };
}
