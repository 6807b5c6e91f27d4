/** Header blocks (RFC 7541): an encoder that draws each representation, and blocks as Node's own client encodes them. */
import { connect } from 'node:http2';
import { Duplex } from 'node:stream';
import { type Draw, drawFrom } from '../random.ts';

export type Field = readonly [name: string, value: string];

/** Names of the static table (RFC 7541, Appendix A) that requests have, with their first index. */
const staticNames: Readonly<Record<string, number>> = {
  ':authority': 1,
  ':method': 2,
  ':path': 4,
  ':scheme': 6,
  'accept-encoding': 16,
  'content-length': 28,
  'content-type': 31,
  cookie: 32,
  'user-agent': 58,
};
const staticFields: readonly Field[] = [
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
];
const firstStaticField = 2;
const firstDynamicField = 62;
const defaultTableBytes = 4_096;

/** Forms of a field that is not in a table: with incremental indexing, without indexing, never indexed (RFC 7541 §6.2). */
const incremental = { first: 0x40, prefixBits: 6 };
const literals = [incremental, { first: 0x00, prefixBits: 4 }, { first: 0x10, prefixBits: 4 }];

/** The characters whose Huffman codes have five bits; the codes are their positions (RFC 7541, Appendix B). */
const shortCodes = '012aceiost';

/** A number with a prefix of some bits (RFC 7541 §5.1). */
export function integer(first: number, prefixBits: number, value: number): Buffer {
  const max = 2 ** prefixBits - 1;
  if (value < max) return Buffer.from([first | value]);
  const bytes = [first | max];
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

function huffman(text: string): Buffer {
  const bits = [...text].map((each) => shortCodes.indexOf(each).toString(2).padStart(5, '0')).join('');
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return Buffer.from(padded.match(/.{8}/g)?.map((octet) => Number.parseInt(octet, 2)) ?? []);
}

/** Encodes for one connection: it keeps the same table of fields as the decoder. */
export class HpackEncoder {
  readonly #draw: Draw;
  /** The newest first. */
  #table: Field[] = [];
  /** Whether the decoder's table has entries of another encoder. */
  #isForeign = false;
  #maxBytes = defaultTableBytes;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  block(fields: readonly Field[]): Buffer {
    const isResized = this.#draw(12) === 0;
    const cleared = this.#isForeign ? [this.clearTable()] : [];
    this.#isForeign = false;
    const resized = isResized ? [this.#resize(this.#draw(defaultTableBytes + 1))] : [];
    return Buffer.concat([...cleared, ...resized, ...fields.map((field) => this.#encode(field))]);
  }

  /** Begins a block of another encoder; the next block empties the table again. */
  clearTable(): Buffer {
    const bytes = Buffer.concat([this.#resize(0), this.#resize(defaultTableBytes)]);
    this.#isForeign = true;
    return bytes;
  }

  #resize(maxBytes: number): Buffer {
    this.#maxBytes = maxBytes;
    this.#evict();
    return integer(0x20, 5, maxBytes);
  }

  #encode(field: Field): Buffer {
    const [name, value] = field;
    const index = indexOf(staticFields, field, firstStaticField) ?? indexOf(this.#table, field, firstDynamicField);
    if (index !== null && this.#draw(2) === 0) return integer(0x80, 7, index);
    const { first, prefixBits } = drawFrom(this.#draw, literals);
    const nameIndex = this.#draw(3) === 0 ? 0 : this.#nameIndex(name);
    const named = nameIndex === 0 ? this.#text(name) : Buffer.alloc(0);
    if (first === incremental.first) {
      this.#table.unshift(field);
      this.#evict();
    }
    return Buffer.concat([integer(first, prefixBits, nameIndex), named, this.#text(value)]);
  }

  #nameIndex(name: string): number {
    const dynamic = this.#table.findIndex(([each]) => each === name);
    return staticNames[name] ?? (dynamic === -1 ? 0 : firstDynamicField + dynamic);
  }

  #text(text: string): Buffer {
    const isShort = [...text].every((each) => shortCodes.includes(each)) && this.#draw(2) === 0;
    const bytes = isShort ? huffman(text) : Buffer.from(text, 'latin1');
    return Buffer.concat([integer(isShort ? 0x80 : 0, 7, bytes.length), bytes]);
  }

  #evict(): void {
    // An entry counts with 32 bytes more than its texts (RFC 7541 §4.1).
    let bytes = 0;
    this.#table = this.#table.filter(([name, value]) => {
      bytes += name.length + value.length + 32;
      return bytes <= this.#maxBytes;
    });
  }
}

function indexOf(fields: readonly Field[], [name, value]: Field, first: number): number | null {
  const at = fields.findIndex((each) => each[0] === name && each[1] === value);
  return at === -1 ? null : first + at;
}

/** Returns the header block of a request by Node's client, with all of its Huffman codes; it refers only to the static table. */
export async function blockByNode(headers: Readonly<Record<string, string>>): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  let sent = Buffer.alloc(0);
  const wire = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      sent = Buffer.concat([sent, chunk]);
      // After the preface.
      for (let at = 24; at + 9 <= sent.length; at += 9 + sent.readUIntBE(at, 3))
        if (sent[at + 3] === 1) resolve(sent.subarray(at + 9, at + 9 + sent.readUIntBE(at, 3)));
      done();
    },
  });
  const session = connect('https://localhost', { createConnection: () => wire }).on('error', () => {});
  session.request(headers).on('error', () => {});
  const block = await promise;
  session.destroy();
  wire.destroy();
  return block;
}
