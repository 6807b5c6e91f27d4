/** Relays TCP connections and keeps the first TLS message of each client, as a capture on the wire would. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface RecordingRelay {
  /** `https://localhost:port`, on IPv4 and IPv6. */
  readonly origin: string;
  /** First bytes of every connection so far. */
  readonly recordings: readonly Buffer[];
  close(): Promise<void>;
}

const maxRecordedBytes = 16_384;
/** Not the address of the proxies of the tests, which is trusted. */
const localAddress = '127.83.66.89';

export async function startRelay(target: string): Promise<RecordingRelay> {
  const { hostname, port } = new URL(target);
  const recordings: Buffer[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port), localAddress });
    const index = recordings.push(Buffer.alloc(0)) - 1;
    client.on('data', (chunk: Buffer) => {
      const recorded = recordings[index] ?? Buffer.alloc(0);
      if (recorded.length < maxRecordedBytes) recordings[index] = Buffer.concat([recorded, chunk]);
    });
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => open.delete(socket));
    }
  });
  server.listen(0, '::');
  await once(server, 'listening');
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    recordings,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
