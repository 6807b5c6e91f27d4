/** ClientHellos in as many TLS records as possible. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connect } from 'node:tls';

/** Returns the handshake message of a ClientHello that Node sends. */
export async function ordinaryHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = connect({ host: '127.0.0.1', port }).on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [record] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return record.subarray(5);
}

/** Puts a handshake message into one TLS record. */
export function recordOf(message: Buffer): Buffer {
  const head = Buffer.from([0x16, 3, 1, 0, 0]);
  head.writeUInt16BE(message.length, 3);
  return Buffer.concat([head, message]);
}

/** Pads a ClientHello to this length by its message header, and puts every byte into a record of its own. */
export function dripRecords(hello: Buffer, length: number): Buffer {
  const message = Buffer.concat([hello, Buffer.alloc(Math.max(0, length - hello.length))]);
  message.writeUIntBE(length - 4, 1, 3);
  const records = Buffer.alloc(6 * length);
  for (let at = 0; at < length; at += 1) records.set([0x16, 3, 1, 0, 1, message[at] ?? 0], 6 * at);
  return records;
}
