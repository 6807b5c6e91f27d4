/** Bytes of HTTP/1 connections that the service has always withstood, by number of the write. They run in the process of attacker.ts. */
import { connect } from 'node:net';
import { addressOf, type Target } from './attacks.ts';
import { eventOf } from './frame-attacks.ts';

const postHead = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const chunkedHead = `${postHead}Transfer-Encoding: chunked\r\n\r\n`;
/** The first write opens a request that the others continue. */
const begun = (head: string, next: string) => (at: number) => (at === 0 ? head : next);

export const heldWrites = {
  tinyChunks: begun(chunkedHead, '1\r\n \r\n'.repeat(100)),
  chunkExtensions: begun(chunkedHead, `1;${'a=b;'.repeat(1_000)}\r\n \r\n`),
  chunkTrailers: begun(`${chunkedHead}0\r\n`, 'a: b\r\n'.repeat(100)),
  emptyLines: () => '\r\n'.repeat(1_000),
  expect: () => `${postHead}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  otherExpectation: () => `${postHead}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`,
  headers: () => `GET /json HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(1_900)}\r\n`,
  lookups: () => 'GET /api/dns?name=example.com HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20),
} satisfies Record<string, (at: number) => string>;
export type HeldWrites = keyof typeof heldWrites;

interface Writes extends Target {
  readonly shapes: readonly HeldWrites[];
  /** Of each shape. */
  readonly connections: number;
  readonly writes: number;
  readonly holdMs: number;
}

/** Returns how many connections of each shape the service did not close. */
export async function sendWrites({ shapes, connections, writes, holdMs, httpPort }: Writes) {
  const endMs = performance.now() + holdMs;
  const send = async (shape: HeldWrites, at: number): Promise<number> => {
    const socket = connect({ host: '127.0.0.1', port: httpPort, localAddress: addressOf(at) });
    socket.on('error', () => {}).resume();
    for (let write = 0; write < writes && socket.writable && performance.now() < endMs; write += 1)
      if (!socket.write(heldWrites[shape](write))) await eventOf(socket, ['drain', 'close'], endMs);
    await eventOf(socket, ['close'], endMs);
    const open = socket.closed ? 0 : 1;
    socket.destroy();
    return open;
  };
  const entries = shapes.map(async (shape) => {
    const open = await Promise.all(Array.from({ length: connections }, (_, at) => send(shape, at)));
    return [shape, open.reduce((sum, each) => sum + each, 0)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Partial<Record<HeldWrites, number>>;
}
