/**
 * QUIC connections as an attacker chooses: the client of the OpenSSL inside Node, from any loopback address, with streams that it writes,
 * resets and abandons at will. It obeys the limits that the server grants, because OpenSSL closes connections that do not.
 */
import { dlopen } from 'node:ffi';

const pointer = 'pointer';
const { functions: native } = dlopen(null, {
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  bind: { arguments: ['i32', pointer, 'u32'], return: 'i32' },
  connect: { arguments: ['i32', pointer, 'u32'], return: 'i32' },
  setsockopt: { arguments: ['i32', 'i32', 'i32', pointer, 'u32'], return: 'i32' },
  BIO_new_dgram: { arguments: ['i32', 'i32'], return: pointer },
  BIO_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  OSSL_QUIC_client_method: { arguments: [], return: pointer },
  SSL_CTX_new: { arguments: [pointer], return: pointer },
  SSL_CTX_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  SSL_new: { arguments: [pointer], return: pointer },
  SSL_free: { arguments: [pointer], return: 'void' },
  SSL_set_bio: { arguments: [pointer, pointer, pointer], return: 'void' },
  SSL_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  SSL_set1_initial_peer_addr: { arguments: [pointer, pointer], return: 'i32' },
  SSL_set_alpn_protos: { arguments: [pointer, pointer, 'u32'], return: 'i32' },
  SSL_set_blocking_mode: { arguments: [pointer, 'i32'], return: 'i32' },
  SSL_set_default_stream_mode: { arguments: [pointer, 'u32'], return: 'i32' },
  SSL_set_value_uint: { arguments: [pointer, 'u32', 'u32', 'u64'], return: 'i32' },
  SSL_get_value_uint: { arguments: [pointer, 'u32', 'u32', pointer], return: 'i32' },
  SSL_do_handshake: { arguments: [pointer], return: 'i32' },
  SSL_is_init_finished: { arguments: [pointer], return: 'i32' },
  SSL_handle_events: { arguments: [pointer], return: 'i32' },
  SSL_get_conn_close_info: { arguments: [pointer, pointer, 'u64'], return: 'i32' },
  SSL_new_stream: { arguments: [pointer, 'u64'], return: pointer },
  SSL_write_ex2: { arguments: [pointer, pointer, 'u64', 'u64', pointer], return: 'i32' },
  SSL_read_ex: { arguments: [pointer, pointer, 'u64', pointer], return: 'i32' },
  SSL_get_stream_read_state: { arguments: [pointer], return: 'i32' },
  SSL_stream_reset: { arguments: [pointer, pointer, 'u64'], return: 'i32' },
  SSL_shutdown_ex: { arguments: [pointer, 'u64', pointer, 'u64'], return: 'i32' },
  ERR_clear_error: { arguments: [], return: 'void' },
});

/** The numbers of OpenSSL's headers. */
const explicitEventHandling = [0, 6, 2n] as const;
const bidirectionalAvailable = 3;
const unidirectional = 7n;
/** Without blocking, and only if the server permits one more. */
const bidirectional = 2n;
const lastBytes = 1n;
const connectedDatagrams = 32;
const setGroups = 92;
/** So that no program that a test starts inherits the sockets. */
const closedOnExec = 0o2000000;
const nonBlockingDatagrams = 2 | 0o4000 | closedOnExec;
const stateOk = 1;
const closeImmediately = 0b111n;
/** SO_RCVBUF of socket(7): the kernel must not lose the server's datagrams. */
const receiveBuffer = [1, 8, Buffer.from([0, 0, 16, 0]), 4] as const;

/** The type of a control stream, and an empty SETTINGS frame. */
const controlStream = Buffer.from([0, 4, 0]);
const context = native.SSL_CTX_new(native.OSSL_QUIC_client_method());
const size = new BigUint64Array(1);
const closeInfo = Buffer.alloc(40);
const readBuffer = Buffer.alloc(65_536);

/** `struct sockaddr_in`. */
function addressOf(ip: string, port: number): Buffer {
  const address = Buffer.alloc(112);
  address.writeUInt16LE(2);
  address.writeUInt16BE(port, 2);
  address.set(ip.split('.').map(Number), 4);
  return address;
}

/** QPACK without a dynamic table: GET of a path at localhost, with a HEADERS frame of less than 64 bytes. */
export function requestFor(path: string): Buffer {
  const authority = Buffer.from('localhost');
  const section = Buffer.concat([
    // Method GET and scheme https are rows of the static table; authority and path have a name there.
    Buffer.from([0, 0, 0xd1, 0xd7, 0x50, authority.length]),
    authority,
    Buffer.from([0x51, path.length]),
    Buffer.from(path),
  ]);
  return Buffer.concat([Buffer.from([1, section.length]), section]);
}

export class AttackStream {
  #pointer: bigint;

  constructor(pointer: bigint) {
    this.#pointer = pointer;
  }

  /** Returns whether OpenSSL took all bytes. */
  write(bytes: Uint8Array, isLast: boolean): boolean {
    const flags = isLast ? lastBytes : 0n;
    return native.SSL_write_ex2(this.#pointer, bytes, BigInt(bytes.length), flags, size) === 1;
  }

  /** Reads what has arrived, and passes it on; returns the number of bytes, and whether the stream has ended. */
  read(receive = (_part: Uint8Array): void => {}): { readonly bytes: number; readonly hasEnded: boolean } {
    let bytes = 0;
    while (native.SSL_read_ex(this.#pointer, readBuffer, BigInt(readBuffer.length), size) === 1) {
      receive(readBuffer.subarray(0, Number(size[0])));
      bytes += Number(size[0]);
    }
    return { bytes, hasEnded: native.SSL_get_stream_read_state(this.#pointer) !== stateOk };
  }

  reset(): void {
    native.SSL_stream_reset(this.#pointer, new BigUint64Array([0x10cn]), 8n);
    this.free();
  }

  /** OpenSSL sends STOP_SENDING if the response has not ended. */
  free(): void {
    native.SSL_free(this.#pointer);
    this.#pointer = 0n;
  }
}

export class AttackConnection {
  readonly #pointer: bigint;

  constructor(serverPort: number, from: string, { protocol = 'h3', groups = '' } = {}) {
    const address = addressOf('127.0.0.1', serverPort);
    const fd = native.socket(2, nonBlockingDatagrams, 0);
    native.setsockopt(fd, ...receiveBuffer);
    native.bind(fd, addressOf(from, 0), 16);
    native.connect(fd, address, 16);
    const network = native.BIO_new_dgram(fd, 1);
    native.BIO_ctrl(network, connectedDatagrams, 0n, address);
    this.#pointer = native.SSL_new(context);
    native.SSL_set_bio(this.#pointer, network, network);
    native.SSL_set1_initial_peer_addr(this.#pointer, address);
    const protocols = Buffer.from(`${String.fromCharCode(protocol.length)}${protocol}`);
    native.SSL_set_alpn_protos(this.#pointer, protocols, protocols.length);
    if (groups !== '') native.SSL_ctrl(this.#pointer, setGroups, 0n, Buffer.from(`${groups}\0`));
    native.SSL_set_blocking_mode(this.#pointer, 0);
    native.SSL_set_default_stream_mode(this.#pointer, 0);
    native.SSL_set_value_uint(this.#pointer, ...explicitEventHandling);
    native.SSL_do_handshake(this.#pointer);
  }

  /** Sends and receives what is due. */
  handle(): void {
    native.SSL_handle_events(this.#pointer);
    if (!this.isOpen) native.SSL_do_handshake(this.#pointer);
    native.ERR_clear_error();
  }

  get isOpen(): boolean {
    return native.SSL_is_init_finished(this.#pointer) === 1;
  }

  get isClosed(): boolean {
    return native.SSL_get_conn_close_info(this.#pointer, closeInfo, BigInt(closeInfo.length)) === 1;
  }

  /** The error code with which the connection was closed. */
  get closeCode(): number {
    return this.isClosed ? Number(closeInfo.readBigUInt64LE()) : -1;
  }

  /** Streams that the server still permits this client to open. */
  get credit(): number {
    return native.SSL_get_value_uint(this.#pointer, 0, bidirectionalAvailable, size) === 1 ? Number(size[0]) : 0;
  }

  /** Null if the server permits none now. */
  openStream(): AttackStream | null {
    const stream = native.SSL_new_stream(this.#pointer, bidirectional);
    native.ERR_clear_error();
    return stream === 0n ? null : new AttackStream(stream);
  }

  sendControlStream(): void {
    const stream = native.SSL_new_stream(this.#pointer, unidirectional);
    native.SSL_write_ex2(stream, controlStream, BigInt(controlStream.length), 0n, size);
  }

  close(): void {
    native.SSL_shutdown_ex(this.#pointer, closeImmediately, new BigUint64Array([0x100n, 0n]), 16n);
    native.SSL_handle_events(this.#pointer);
    native.SSL_free(this.#pointer);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Opens a connection and sends the control stream; null if it was closed, or there was no handshake in time. */
export async function connectAttacker(
  serverPort: number,
  from: string,
  timeoutMs = 60_000,
): Promise<AttackConnection | null> {
  const connection = new AttackConnection(serverPort, from);
  const endMs = performance.now() + timeoutMs;
  while (!connection.isOpen) {
    if (connection.isClosed || performance.now() > endMs) return null;
    connection.handle();
    await pause(1);
  }
  connection.sendControlStream();
  return connection;
}
