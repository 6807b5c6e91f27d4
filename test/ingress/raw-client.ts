/** A client that sends given bytes and collects the response. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RawClient {
  readonly socket: Socket;
  /** Everything received until the connection is closed. */
  readonly closed: Promise<string>;
}

export function rawClient(origin: string, bytes: string | Buffer = ''): RawClient {
  const { hostname, port, protocol } = new URL(origin);
  const at = { host: hostname, port: Number(port) };
  const socket =
    protocol === 'https:' ? connectTls({ ...at, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }) : connect(at);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A server may also close with a reset.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')));
  });
  if (bytes.length > 0) socket.write(bytes);
  return { socket, closed };
}

/** Host and port of an HTTPS origin. */
export const overTcp = (origin: string): string => origin.replace('https:', 'http:');
