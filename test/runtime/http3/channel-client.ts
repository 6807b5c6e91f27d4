/** A client of the server of HTTP/3 at the place of the process that ends QUIC: it sends streams byte by byte as tests choose. */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { frameTypes } from '../../../src/ingress/http3/data/registries.ts';
import { FrameReader } from '../../../src/ingress/http3/frames.ts';
import { decodeFieldSection, encodeFieldSection } from '../../../src/ingress/http3/qpack.ts';
import { encodeOpening } from '../../../src/runtime/http3/bridge.ts';
import { messageTypes } from '../../../src/runtime/http3/channel-socket.ts';

export interface Message {
  readonly type: number;
  readonly stream: number;
  readonly value: number;
  readonly payload: Buffer;
}

/** A message as it is on the wire: length, type, stream, value, payload. */
function encode({ type, stream = 0, value = 0, payload = Buffer.alloc(0) }: Partial<Message>): Buffer {
  const header = Buffer.alloc(15);
  header.writeUInt32BE(payload.length, 0);
  header.writeUInt8(type ?? 0, 4);
  header.writeUIntBE(stream, 5, 6);
  header.writeUInt32BE(value, 11);
  return Buffer.concat([header, payload]);
}

const opening = encodeOpening({
  ip: '192.0.2.1',
  port: 40_000,
  hello: {
    clientHello: Buffer.from(`0303${'00'.repeat(32)}00000213010100`, 'hex'),
    version: 1,
    destinationIdLength: 8,
    sourceIdLength: 0,
    cryptoFrames: 2,
    datagrams: 1,
  },
  tls: { cipher: 'TLS_AES_128_GCM_SHA256', group: 'X25519', isResumed: false },
});

export interface LinkResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Pair = readonly [name: string, value: string];

export const getFields = (path = '/', more: readonly Pair[] = []): readonly Pair[] => [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'localhost'],
  [':path', path],
  ...more,
];

/** A frame with a type and length of one byte, or of two and four. */
export function frame(type: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(0x4000 | type, 0);
  head.writeUInt32BE((0x80000000 | payload.length) >>> 0, 2);
  return Buffer.concat([head, payload]);
}

export const headersFrame = (fields: readonly Pair[]): Buffer =>
  frame(frameTypes.headers, encodeFieldSection(fields.flat()));

export class ChannelClient {
  readonly socket: Socket;
  readonly messages: Message[] = [];
  /** Code with which the service closed the connection. */
  closedWith: number | null = null;
  /** Bytes of streams that `take` reports as passed on; null: at once. */
  untaken: Map<number, number> | null = null;
  #received = Buffer.alloc(0);
  #changed = Promise.withResolvers<void>();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => {}).on('close', () => this.#wake());
    socket.write(encode({ type: messageTypes.open, payload: opening }));
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const bytes = this.#received;
      const end = 15 + (bytes.length < 15 ? 0 : bytes.readUInt32BE(0));
      if (bytes.length < end) break;
      const type = bytes.readUInt8(4);
      const stream = bytes.readUIntBE(5, 6);
      const value = bytes.readUInt32BE(11);
      if (type === messageTypes.close) {
        this.closedWith = value;
        this.socket.end();
      }
      this.messages.push({ type, stream, value, payload: bytes.subarray(15, end) });
      if (type === messageTypes.data) this.#take(stream, end - 15);
      this.#received = bytes.subarray(end);
    }
    this.#wake();
  }

  #take(stream: number, bytes: number): void {
    if (this.untaken === null) this.sendMessage(messageTypes.passed, stream, bytes);
    else this.untaken.set(stream, (this.untaken.get(stream) ?? 0) + bytes);
  }

  take(): void {
    const { untaken } = this;
    this.untaken = null;
    for (const [stream, bytes] of untaken ?? []) this.#take(stream, bytes);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Sends bytes of a stream; 5,000 microseconds are the round-trip time. */
  send(stream: number, bytes: Uint8Array, isLast = false): void {
    const type = isLast ? messageTypes.end : messageTypes.data;
    this.socket.write(encode({ type, stream, value: 5_000, payload: Buffer.from(bytes) }));
  }

  sendMessage(type: number, stream: number, value = 0): void {
    this.socket.write(encode({ type, stream, value }));
  }

  /** Sends a request without a body. */
  request(stream: number, fields: readonly Pair[]): Promise<LinkResponse> {
    this.send(stream, headersFrame(fields), true);
    return this.response(stream);
  }

  /** Resolves when a message satisfies the predicate; rejects if the channel is closed before. */
  async waitFor(predicate: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(predicate);
      if (found !== undefined) return found;
      if (this.socket.closed) throw new Error(`closed with ${this.closedWith?.toString(16)}`);
      await this.#changed.promise;
    }
  }

  async response(stream: number): Promise<LinkResponse> {
    const isOf = (message: Message): boolean => message.stream === stream;
    await this.waitFor((message) => isOf(message) && message.type === messageTypes.end);
    return readResponse(Buffer.concat(this.messages.filter(isOf).map(({ payload }) => payload)));
  }

  /** Resolves with the code with which a stream is reset. */
  async reset(stream: number): Promise<number> {
    return (await this.waitFor((each) => each.stream === stream && each.type === messageTypes.reset)).value;
  }

  /** Resolves with the code with which the connection is closed. */
  async closeCode(): Promise<number> {
    return (await this.waitFor(({ type }) => type === messageTypes.close)).value;
  }
}

/** Reads the frames of a response on a request stream. */
export function readResponse(bytes: Uint8Array): LinkResponse {
  const sections: string[][] = [];
  const body: Uint8Array[] = [];
  const reader = new FrameReader({
    begin: (type) => (type === frameTypes.headers || type === frameTypes.data ? 'whole' : 'skip'),
    frame(type, payload) {
      if (type === frameTypes.data) body.push(payload);
      else sections.push(decodeFieldSection(payload, 65_536) ?? []);
    },
    piece() {},
  });
  reader.push(bytes);
  const pairs = sections.at(-1) ?? [];
  const headers: Record<string, string> = {};
  for (let at = 0; at < pairs.length; at += 2) headers[pairs[at] as string] = pairs[at + 1] as string;
  return { status: Number(headers[':status']), headers, body: Buffer.concat(body).toString() };
}

export async function connectChannel(path: string): Promise<ChannelClient> {
  const socket = createConnection(path);
  await once(socket, 'connect');
  return new ChannelClient(socket);
}
