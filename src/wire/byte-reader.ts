/** Reads big-endian numbers and length-prefixed vectors (RFC 8446 §3) one after another. */

/** Thrown if the bytes end before the value does. */
class CutShort extends Error {}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (count < 0 || end > this.#bytes.length) throw new CutShort();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number(byteCount: 1 | 2 | 3 | 4): number {
    let value = 0;
    for (const byte of this.take(byteCount)) value = value * 256 + byte;
    return value;
  }

  /** A variable-length integer of QUIC (RFC 9000 §16). */
  varint(): bigint {
    const first = this.number(1);
    let value = BigInt(first & 0x3f);
    for (const byte of this.take(2 ** (first >> 6) - 1)) value = value * 256n + BigInt(byte);
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
