/** Reads bytes, big-endian numbers, integers of QUIC and length-prefixed vectors (RFC 8446 §3) one after another. */
import { varintAt, varintBytes } from './varint.ts';

/** Thrown if the bytes end before the value does. */
export class CutShort extends RangeError {}

export class ByteReader {
  readonly bytes: Uint8Array;
  #at: number;

  /** Reads from the position `at` on. */
  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.bytes.length;
  }

  /** The number of bytes before the next one. */
  get position(): number {
    return this.#at;
  }

  /** The next byte, which stays the next one. */
  peek(): number {
    const byte = this.bytes[this.#at];
    if (byte === undefined) throw new CutShort();
    return byte;
  }

  byte(): number {
    const byte = this.bytes[this.#at];
    if (byte === undefined) throw new CutShort();
    this.#at += 1;
    return byte;
  }

  /** The next bytes, as a view of the same memory. */
  take(count: number): Uint8Array {
    const start = this.#skip(count);
    return this.bytes.subarray(start, this.#at);
  }

  /** The bytes up to the end. */
  rest(): Uint8Array {
    return this.take(this.bytes.length - this.#at);
  }

  number(byteCount: 1 | 2 | 3 | 4): number {
    const start = this.#skip(byteCount);
    let value = 0;
    for (let at = start; at < start + byteCount; at += 1) value = value * 256 + (this.bytes[at] as number);
    return value;
  }

  /** An integer of QUIC; above 2^53, the nearest number. */
  varint(): number {
    return varintAt(this.bytes, this.#skip(varintBytes(this.peek())));
  }

  /** An integer of QUIC whose exact value counts: it takes 15 times as long. */
  wideVarint(): bigint {
    const first = this.byte();
    let value = BigInt(first & 0x3f);
    for (const byte of this.take(varintBytes(first) - 1)) value = value * 256n + BigInt(byte);
    return value;
  }

  vector(lengthBytes: 1 | 2): Uint8Array {
    return this.take(this.number(lengthBytes));
  }

  /** Reads one value after another up to the end, into `values`: if the last one is cut, the caller's list has those before it. */
  all<Value>(read: (reader: this) => Value, values: Value[] = []): Value[] {
    while (!this.isAtEnd) values.push(read(this));
    return values;
  }

  /** A vector of numbers; one that ends within a number is cut short. */
  numbers(lengthBytes: 1 | 2, numberBytes: 1 | 2): number[] {
    return new ByteReader(this.vector(lengthBytes)).all((vector) => vector.number(numberBytes));
  }

  /** Returns the position before these bytes. */
  #skip(count: number): number {
    const start = this.#at;
    const end = start + count;
    if (!(count >= 0 && end <= this.bytes.length)) throw new CutShort();
    this.#at = end;
    return start;
  }
}

/** Returns the result of `read`; null if the bytes end too early. */
export function readBytes<Value>(bytes: Uint8Array, read: (reader: ByteReader) => Value): Value | null {
  try {
    return read(new ByteReader(bytes));
  } catch (error) {
    if (error instanceof CutShort) return null;
    throw error;
  }
}
