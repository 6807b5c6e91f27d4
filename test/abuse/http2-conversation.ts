/** Sends drawn bytes over HTTP/2 and a last request, and reports how the connection ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { closed } from '../sockets.ts';
import { frame, frameTypes, openHttp2, settingsFrame } from './http2-attacker.ts';

/** `open`: neither a response to the last request, nor the end. */
export type Ending = 'response' | 'reset' | 'goaway' | 'closed' | 'open';

export interface Conversation {
  readonly ending: Ending;
  /** Responses to earlier requests. */
  readonly responses: number;
  /** All DATA frames. */
  readonly text: string;
}

const goAway = 7;
const endHeadersAndStream = 0x05;
/** Above every stream that is drawn. */
const lastStream = 2 ** 31 - 1;
const field = (index: number, value: string): Buffer =>
  Buffer.concat([Buffer.from([index, value.length]), Buffer.from(value)]);
/** Refers only to the static table: the dynamic one may have any content. */
const lastRequest = frame(
  frameTypes.headers,
  endHeadersAndStream,
  lastStream,
  Buffer.concat([Buffer.from([0x82, 0x87]), field(0x01, 'localhost'), field(0x04, '/ip')]),
);

/** Resolves when the service has responded to the last request or ended the connection, at most after `limitMs`; null without a connection. */
export async function converse(port: number, writes: readonly Buffer[], limitMs: number): Promise<Conversation | null> {
  const socket = await openHttp2(port, '127.0.0.1', settingsFrame());
  if (socket === null) return null;
  const { promise: ended, resolve: end } = Promise.withResolvers<Ending>();
  const text: Buffer[] = [];
  let responses = 0;
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (
      ;
      rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3);
      rest = rest.subarray(9 + rest.readUIntBE(0, 3))
    ) {
      const type = rest[3];
      const isLast = rest.readUInt32BE(5) === lastStream;
      if (type === goAway) end('goaway');
      else if (type === frameTypes.reset && isLast) end('reset');
      else if (type === frameTypes.headers && isLast) end('response');
      else if (type === frameTypes.headers) responses += 1;
      else if (type === frameTypes.data) text.push(rest.subarray(9, 9 + rest.readUIntBE(0, 3)));
    }
  });
  const isClosed = closed(socket);
  isClosed.then(() => end('closed'));
  for (const bytes of [...writes, lastRequest]) {
    if (!socket.writable) break;
    socket.write(bytes);
    await new Promise(setImmediate);
  }
  const limit = new AbortController();
  const late = delay(limitMs, 'open' as const, { signal: limit.signal }).catch(() => 'open' as const);
  const ending = await Promise.race([ended, late]);
  limit.abort();
  socket.destroy();
  await isClosed;
  return { ending, responses, text: Buffer.concat(text).toString('latin1') };
}
