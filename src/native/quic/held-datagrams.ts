/** Estimates the memory of datagrams that OpenSSL holds for a client because a part of each cannot be read yet. */

/** Memory of a datagram in OpenSSL, and the bytes of a full one. */
const datagramBytes = 2_048;
const fullBytes = 1_000;
/** PING and acknowledgments of what is not data, between two sweeps. */
const usual = 2;

export class HeldDatagrams {
  #count = 0;

  get bytes(): number {
    return this.#count * datagramBytes;
  }

  /** Counts a datagram that has arrived. */
  add(): void {
    this.#count += 1;
  }

  /** Bytes that have been read, or are acknowledged now, explain the datagrams that brought them. */
  countProgress(bytes: number): void {
    this.#count = Math.max(0, this.#count - 1 - bytes / fullBytes);
  }

  /** Called regularly; without open streams, nothing is held. */
  sweep(isIdle: boolean): void {
    this.#count = isIdle ? 0 : Math.max(0, this.#count - usual);
  }
}
