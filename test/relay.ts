/** A relay of TCP connections that delays what it passes on: as far as the service can see, TCP ends at the relay. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  close(): void;
}

/** Relays between a free port of a loopback address and a port of the same address; each direction takes half of the round trip. */
export async function startRelay(host: string, port: number, roundTripMs: number): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const toService = connect({ host, port, noDelay: true });
    for (const [from, to] of [
      [client, toService],
      [toService, client],
    ] as const) {
      open.add(from);
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), roundTripMs / 2));
      from.on('error', () => {}).on('close', () => setTimeout(() => to.destroy(), roundTripMs / 2));
      from.once('close', () => open.delete(from));
    }
  });
  await once(server.listen(0, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
