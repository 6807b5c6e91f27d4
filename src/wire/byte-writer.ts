/** Writes bytes, big-endian numbers and length-prefixed vectors one after another. */

export class ByteWriter {
  #bytes: Uint8Array;
  #at = 0;

  /** Initial size in bytes; more is added if needed. */
  constructor(capacity = 512) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** The number of bytes that are written. */
  get length(): number {
    return this.#at;
  }

  /** A number below 2^(8 * byteCount). */
  number(value: number, byteCount: 1 | 2 | 4): void {
    const start = this.#add(byteCount);
    for (let at = start + byteCount - 1, rest = value; at >= start; at -= 1, rest = Math.floor(rest / 256))
      this.#bytes[at] = rest;
  }

  octets(octets: Uint8Array): void {
    const start = this.#add(octets.length);
    this.#bytes.set(octets, start);
  }

  /** Writes the length of the bytes that `write` writes, then these bytes. */
  vector(lengthBytes: 1 | 2, write: () => void): void {
    const lengthAt = this.#add(lengthBytes);
    write();
    const length = this.#at - lengthAt - lengthBytes;
    if (length >= 256 ** lengthBytes) throw new RangeError(`${length} bytes do not fit into a vector`);
    if (lengthBytes === 2) this.#bytes[lengthAt] = length >> 8;
    this.#bytes[lengthAt + lengthBytes - 1] = length;
  }

  /** All bytes, as a view of this writer's memory. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Returns the position before the bytes that are added. */
  #add(count: number): number {
    const start = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#at, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return start;
  }
}
