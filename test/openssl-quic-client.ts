/**
 * Opens QUIC connections to a port of 127.0.0.1 with the client of the OpenSSL inside Node, prints the SHA-256 of the server's certificate
 * for each, and keeps them until its standard input ends. A program of its own, because connecting blocks.
 */
import { createHash } from 'node:crypto';
import { dlopen, getRawPointer } from 'node:ffi';

const pointer = 'pointer';
const { functions: native } = dlopen(null, {
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  connect: { arguments: ['i32', pointer, 'u32'], return: 'i32' },
  BIO_new_dgram: { arguments: ['i32', 'i32'], return: pointer },
  BIO_ctrl: { arguments: [pointer, 'i32', 'i64', pointer], return: 'i64' },
  OSSL_QUIC_client_method: { arguments: [], return: pointer },
  SSL_CTX_new: { arguments: [pointer], return: pointer },
  SSL_new: { arguments: [pointer], return: pointer },
  SSL_set_bio: { arguments: [pointer, pointer, pointer], return: 'void' },
  SSL_set1_initial_peer_addr: { arguments: [pointer, pointer], return: 'i32' },
  SSL_set_alpn_protos: { arguments: [pointer, pointer, 'u32'], return: 'i32' },
  SSL_connect: { arguments: [pointer], return: 'i32' },
  SSL_set_blocking_mode: { arguments: [pointer, 'i32'], return: 'i32' },
  SSL_handle_events: { arguments: [pointer], return: 'i32' },
  SSL_get1_peer_certificate: { arguments: [pointer], return: pointer },
  i2d_X509: { arguments: [pointer, pointer], return: 'i32' },
});

const [port = 0, count = 1] = process.argv.slice(2).map(Number);
const address = Buffer.alloc(112);
address.writeUInt16LE(2);
address.writeUInt16BE(port, 2);
address.set([127, 0, 0, 1], 4);
const protocols = Buffer.from('\x02h3');
const context = native.SSL_CTX_new(native.OSSL_QUIC_client_method());
const setConnected = 32;

function connect(): bigint {
  const fd = native.socket(2, 2, 0);
  native.connect(fd, address, 16);
  const network = native.BIO_new_dgram(fd, 1);
  native.BIO_ctrl(network, setConnected, 0n, address);
  const ssl = native.SSL_new(context);
  native.SSL_set_bio(ssl, network, network);
  native.SSL_set1_initial_peer_addr(ssl, address);
  native.SSL_set_alpn_protos(ssl, protocols, protocols.length);
  if (native.SSL_connect(ssl) !== 1) throw new Error('no handshake');
  return ssl;
}

function certificateOf(ssl: bigint): string {
  const certificate = native.SSL_get1_peer_certificate(ssl);
  const length = native.i2d_X509(certificate, null);
  const bytes = Buffer.alloc(length);
  // The function moves the pointer that it gets.
  const at = new BigUint64Array([getRawPointer(bytes)]);
  native.i2d_X509(certificate, getRawPointer(at));
  return createHash('sha256').update(bytes).digest('hex');
}

const connections: bigint[] = [];
/** OpenSSL's client sends PING before a connection has been idle for too long, if it gets the time. */
const keepOpen = (): void => {
  for (const each of connections) native.SSL_handle_events(each);
};
const keptEvery = 500;
for (let at = 0; at < count; at += 1) {
  const ssl = connect();
  connections.push(ssl);
  process.stdout.write(`${certificateOf(ssl)}\n`);
  native.SSL_set_blocking_mode(ssl, 0);
  if (at % keptEvery === 0) keepOpen();
}
setInterval(keepOpen, 5_000);
process.stdin.on('end', () => process.exit()).resume();
