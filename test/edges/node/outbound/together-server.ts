/** A TLS server, in a thread of its own, that responds to all handshakes at the same instant: when `connections` of them have begun. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';

export interface TogetherServer {
  readonly cert: string;
  readonly key: string;
  readonly connections: number;
}

const { cert, key, connections } = workerData as TogetherServer;

const portOf = async (server: ReturnType<typeof createServer>): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

const response = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const tlsPort = await portOf(
  createTlsServer({ cert, key, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(response));
  }),
);

/** Sends each client what the server has responded so far, and what follows. */
const releases: (() => void)[] = [];

const onConnection = (client: Socket): void => {
  const server = connect(tlsPort, '127.0.0.1').on('error', () => client.destroy());
  client.on('error', () => server.destroy()).pipe(server);
  server.once('readable', () => {
    releases.push(() => server.pipe(client));
    if (releases.length === connections) for (const release of releases) release();
  });
};

parentPort?.postMessage(await portOf(createServer({ noDelay: true }, onConnection)));
