/** Draws what a hostile HTTP/2 client sends on one connection: frames with real HPACK, valid and broken. */
import { type Draw, drawFrom } from '../random.ts';
import { type Field, HpackEncoder, integer } from './hpack.ts';
import {
  frame,
  frameTypes,
  pingFrame,
  resetFrame,
  settingsAck,
  settingsFrame,
  windowUpdateFrame,
} from './http2-attacker.ts';

const flags = { endStream: 0x01, endHeaders: 0x04, padded: 0x08, priority: 0x20 };
const maxFrameBytes = 16_384;
const pushPromise = 5;
const goAway = 7;
const continuation = 9;
const knownTypes = 17;

const paths = ['/', '/ip', '/json', '/headers', '/fingerprint', '/docs', '/mcp', '/nothing', '*', ''];
const methods = ['GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'TRACE', 'a b'];
const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** By ids of RFC 9113 §6.5.2. */
const harmlessSettings = [
  ...[0, 1, 4_096, 65_536].map((bytes) => [1, bytes] as const),
  ...[0, 1, 100].flatMap((value) => [[3, value] as const, [4, value] as const]),
  ...([
    [2, 0],
    [4, 2 ** 31 - 1],
    [5, maxFrameBytes],
    [6, 100],
    [200, 5],
  ] as const),
];

/** Names and values that Huffman codes shorten, and others. */
const words = [
  'cat',
  'toast',
  'estate',
  '0212',
  'accept-encoding',
  'user-agent',
  'cookie',
  'content-type',
  'Mozilla/5.0',
  'a=b',
  '',
];

/** Fields that make a request malformed, or cost more than they appear to (RFC 9113 §8.2 and §8.3). */
const hostileFields: readonly Field[] = [
  [':path', '/json'],
  [':unknown', 'a'],
  [':protocol', 'websocket'],
  [':status', '200'],
  ['Upper', 'a'],
  ['connection', 'close'],
  ['transfer-encoding', 'chunked'],
  ['te', 'gzip'],
  ['host', 'another.example'],
  ['content-length', '5'],
  ['content-length', '-1'],
  ['expect', '100-continue'],
  ['', ''],
  ['nul', '\0'],
  ['line', 'a\r\nb: c'],
  ['latin', '\xff\xfe'],
  ['long', 'a'.repeat(4_000)],
  ['longer', 'a'.repeat(17_000)],
];

/** Octets that no encoder writes: an index out of the table, a number without end, a size above the limit, Huffman codes of no character. */
const brokenOctets = [
  'ff80ffffff7f',
  'ffffffffffffffffffff',
  '3fe1ff03',
  '80',
  'fe',
  '0083ffffff',
  '00018584ffffffff',
  '4083a0a0a00100',
  '007f',
];

class Connection {
  readonly #draw: Draw;
  readonly #blocks: readonly Buffer[];
  readonly #hpack: HpackEncoder;
  /** One of so many pieces is broken; 0: none. */
  readonly #brokenShare: number;
  #nextStream = 1;
  readonly #used: number[] = [];
  /** Streams whose requests have not ended. */
  #open: number[] = [];

  constructor(draw: Draw, blocks: readonly Buffer[]) {
    this.#draw = draw;
    this.#blocks = blocks;
    this.#hpack = new HpackEncoder(draw);
    this.#brokenShare = drawFrom(draw, [0, 8, 30]);
  }

  piece(): Buffer {
    const whole = drawFrom(this.#draw, [this.#request, this.#request, this.#body, this.#control]).call(this);
    return this.#isBroken() ? this.#broken(whole) : whole;
  }

  #isBroken(): boolean {
    return this.#brokenShare > 0 && this.#draw(this.#brokenShare) === 0;
  }

  #stream(): number {
    const stream = this.#nextStream;
    this.#used.push(stream);
    this.#nextStream += drawFrom(this.#draw, [2, 2, 2, 4, 1_000]);
    return stream;
  }

  #request(): Buffer {
    const stream = this.#stream();
    const isWhole = this.#draw(4) > 0;
    if (!isWhole) this.#open.push(stream);
    if (this.#draw(4) > 0) return this.#headers(stream, this.#hpack.block(this.#fields()), isWhole);
    const block = Buffer.concat([this.#hpack.clearTable(), drawFrom(this.#draw, this.#blocks)]);
    return this.#headers(stream, block, isWhole);
  }

  #fields(): Field[] {
    const fields: Field[] = [
      [':method', drawFrom(this.#draw, methods)],
      [':scheme', 'https'],
      [':authority', 'localhost'],
      [':path', drawFrom(this.#draw, paths)],
    ];
    if (this.#draw(8) === 0) fields.splice(this.#draw(fields.length), 1);
    for (let count = drawFrom(this.#draw, [0, 1, 2, 5, 300]); count > 0; count -= 1)
      fields.push([drawFrom(this.#draw, words.slice(0, -1)), drawFrom(this.#draw, words)]);
    if (this.#draw(6) === 0) fields.splice(this.#draw(fields.length + 1), 0, drawFrom(this.#draw, hostileFields));
    return fields;
  }

  /** HEADERS and as many CONTINUATION frames as it draws, or as the length of the block requires. */
  #headers(stream: number, block: Buffer, isWhole: boolean): Buffer {
    // nghttp2 accepts eight CONTINUATION frames.
    const partBytes = Math.ceil((block.length + 1) / drawFrom(this.#draw, [1, 1, 2, 8]));
    const parts = Array.from({ length: Math.max(1, Math.ceil(block.length / partBytes)) }, (_, at) =>
      block.subarray(at * partBytes, (at + 1) * partBytes),
    );
    const hasPriority = this.#draw(6) === 0;
    const priority = hasPriority ? this.#octets(5) : Buffer.alloc(0);
    const frames = parts.map((part, at) => {
      const end = at === parts.length - 1 ? flags.endHeaders : 0;
      if (at > 0) return frame(continuation, end, stream, part);
      const own = end | (isWhole ? flags.endStream : 0) | (hasPriority ? flags.priority : 0);
      return this.#padded(frameTypes.headers, own, stream, Buffer.concat([priority, part]));
    });
    return Buffer.concat(frames);
  }

  #padded(type: number, own: number, stream: number, payload: Buffer): Buffer {
    if (this.#draw(5) > 0) return frame(type, own, stream, payload);
    const padding = this.#draw(256);
    return frame(
      type,
      own | flags.padded,
      stream,
      Buffer.concat([Buffer.from([padding]), payload, Buffer.alloc(padding)]),
    );
  }

  /** DATA or trailers of an open stream. */
  #body(): Buffer {
    const [stream] = this.#open;
    if (stream === undefined) return this.#control();
    const isLast = this.#draw(2) === 0;
    if (isLast) this.#open.shift();
    else this.#open.reverse();
    if (isLast && this.#draw(4) === 0) return this.#headers(stream, this.#hpack.block([['trailer', 'a']]), true);
    const body = drawFrom(this.#draw, [message, message.slice(0, 9), '', '1', ' '.repeat(this.#draw(2_000))]);
    return this.#padded(frameTypes.data, isLast ? flags.endStream : 0, stream, Buffer.from(body));
  }

  #control(): Buffer {
    const stream = this.#used.length === 0 ? 0 : drawFrom(this.#draw, this.#used);
    const frames = [
      () => settingsFrame(drawFrom(this.#draw, harmlessSettings)),
      pingFrame,
      () => windowUpdateFrame(this.#draw(2) * stream, 1 + this.#draw(100_000)),
      () => frame(frameTypes.priority, 0, stream || 1, this.#octets(5)),
      () => (stream === 0 ? pingFrame() : resetFrame(stream)),
      () => frame(knownTypes + this.#draw(200), this.#draw(256), stream, this.#octets(this.#draw(100))),
    ];
    return drawFrom(this.#draw, frames)();
  }

  #broken(whole: Buffer): Buffer {
    const stream = this.#draw(this.#nextStream + 4);
    const broken = [
      () => this.#changed(whole),
      () => whole.subarray(0, this.#draw(whole.length)),
      () => this.#headers(this.#stream(), this.#brokenBlock(), true),
      () => frame(this.#draw(knownTypes), this.#draw(256), stream, this.#octets(this.#draw(40))),
      () => frame(this.#draw(knownTypes), 0, stream, Buffer.alloc(drawFrom(this.#draw, [0, 7, maxFrameBytes + 1]))),
      () => frame(frameTypes.headers, 0, this.#stream(), this.#hpack.block(this.#fields()).subarray(0, 300)),
      () =>
        Buffer.concat([
          frame(frameTypes.headers, 0, this.#stream()),
          ...Array(20).fill(frame(continuation, 0, stream)),
        ]),
      () => frame(goAway, 0, 0, this.#octets(8 + this.#draw(20))),
      () => settingsAck,
      () => resetFrame(stream),
      () => windowUpdateFrame(stream, 1),
      () => frame(pushPromise, flags.endHeaders, stream | 1, this.#octets(20)),
      () => windowUpdateFrame(stream, drawFrom(this.#draw, [0, 2 ** 31 - 1])),
      () => settingsFrame([this.#draw(10), drawFrom(this.#draw, [2, 2 ** 24, 2 ** 31, 2 ** 32 - 1])]),
    ];
    return drawFrom(this.#draw, broken)();
  }

  #brokenBlock(): Buffer {
    const block = this.#hpack.block(this.#fields());
    const wrong = [
      () => this.#changed(block),
      () => Buffer.concat([block, Buffer.from(drawFrom(this.#draw, brokenOctets), 'hex')]),
      () => Buffer.concat([block, integer(0x80, 7, 62 + this.#draw(200))]),
      () => Buffer.concat([block, integer(0x20, 5, this.#draw(10_000))]),
      () => Buffer.concat([block, Buffer.from([0, 1, 97]), integer(0x80, 7, 30), this.#octets(30)]),
      () => this.#octets(this.#draw(300)),
    ];
    return drawFrom(this.#draw, wrong)();
  }

  #changed(bytes: Buffer): Buffer {
    const changed = Buffer.from(bytes);
    for (let count = 1 + this.#draw(3); count > 0; count -= 1) changed[this.#draw(changed.length)] = this.#draw(256);
    return changed;
  }

  #octets(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.#draw(256)));
  }
}

/** Returns the bytes of one connection after its preface, in the writes in which they are sent. */
export function drawConnection(draw: Draw, blocks: readonly Buffer[]): Buffer[] {
  const connection = new Connection(draw, blocks);
  const pieces = Array.from({ length: 1 + draw(drawFrom(draw, [4, 20, 60])) }, () => connection.piece());
  const bytes = Buffer.concat(pieces);
  if (draw(3) === 0) return [bytes];
  if (draw(4) > 0) return pieces;
  const cuts = Array.from({ length: 1 + draw(5) }, () => draw(bytes.length + 1)).sort((one, other) => one - other);
  return [0, ...cuts].map((cut, at) => bytes.subarray(cut, cuts[at] ?? bytes.length));
}
