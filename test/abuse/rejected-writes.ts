/** Floods of bytes that Node's HTTP parser rejects; they run in the process of attacker.ts. */
import { connect, type Socket } from 'node:net';
import { addressOf, type Target } from './attacks.ts';
import { eventOf } from './frame-attacks.ts';

const postHead =
  'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const garbage = '\x01\x02\xfe'.repeat(2_000);

export const rejectedWrites = {
  garbage,
  'a request and CONNECT': `GET /ip HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`,
  'a faulty header': 'GET /json HTTP/1.1\r\nHost: a\r\nfaulty header\r\n\r\n',
  'garbage after 100 headers': `GET /json HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(100)}\0`,
  'a chunk without a length': `${postHead}zz\r\n`,
  'a chunk that is too long': `${postHead}${'f'.repeat(17)}\r\n`,
  'headers of 20 KB': `GET /json HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(3_400)}\r\n`,
  'a path of 20 KB': `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'a request and garbage': `GET /ip HTTP/1.1\r\nHost: a\r\n\r\n${garbage}`,
} satisfies Record<string, string>;
export type RejectedWrites = keyof typeof rejectedWrites;

interface Floods extends Target {
  readonly shapes: readonly RejectedWrites[];
  readonly connections: number;
  readonly addresses: number;
  readonly durationMs: number;
}

/** Opens connections and sends the bytes on all of them in the same instant, again and again; returns how many were closed. */
export async function sendRejected({ shapes, connections, addresses, durationMs, httpPort }: Floods) {
  const endMs = performance.now() + durationMs;
  let closed = 0;
  for (let round = 0; performance.now() < endMs; round += 1) {
    const bytes = Buffer.from(rejectedWrites[shapes[round % shapes.length] as RejectedWrites], 'latin1');
    const sockets = await Promise.all(
      Array.from({ length: connections }, async (_, at): Promise<Socket> => {
        const socket = connect({ host: '127.0.0.1', port: httpPort, localAddress: addressOf(at % addresses) });
        socket.on('error', () => {}).resume();
        await eventOf(socket, ['connect', 'close'], endMs);
        return socket;
      }),
    );
    for (const socket of sockets) socket.write(bytes);
    await Promise.all(sockets.map((socket) => eventOf(socket, ['close'], endMs)));
    closed += sockets.filter((socket) => socket.closed).length;
    for (const socket of sockets) socket.destroy();
  }
  return { closed };
}
