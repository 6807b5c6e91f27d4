/** A port for a program that has to be told one. */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to sockets (Linux: from 32,768 on, others from 49,152): until the program listens, no connection of another
 * test gets it.
 */
const range = [10_000, 30_000] as const;

/** A port may be free again before its program has started. */
const given = new Set<number>();

/** Returns a port of an address that is free over TCP and UDP. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    if (given.has(port) || !(await isFree(port, host))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    await once(server.listen(port, host), 'listening');
    await once(socket.bind(port, host), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    await Promise.all([new Promise((resolve) => server.close(resolve)), once(socket.close(), 'close')]);
  }
}
