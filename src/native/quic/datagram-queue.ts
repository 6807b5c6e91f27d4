/** Datagrams that wait to be handled. Their senders take turns, so that a flood delays only its own address. */

/** Number of shares of the queue that stay free for addresses without waiting datagrams. */
const freeShares = 15;

interface Waiting<Datagram> {
  readonly datagrams: Datagram[];
  /** Turns that the address must leave to others. */
  debt: number;
}

export class DatagramQueue<Datagram> {
  readonly #max: number;
  readonly #byAddress = new Map<string, Waiting<Datagram>>();
  #size = 0;

  /** `max`: datagrams that may wait in all. */
  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Discards a datagram above its address's share of the queue, as if the network had lost it. */
  push(address: string, datagram: Datagram): void {
    if (this.#size >= this.#max) return;
    const { datagrams } = this.#waitingOf(address);
    if (datagrams.length >= this.#max / (this.#byAddress.size + freeShares)) return;
    this.#size += 1;
    datagrams.push(datagram);
  }

  /** Takes the first datagram of the address whose turn it is; null without any. */
  shift(): Datagram | null {
    if (this.#size === 0) this.#byAddress.clear();
    for (const [address, waiting] of this.#byAddress) {
      // It moves to the end, so that the loop comes back to it.
      this.#byAddress.delete(address);
      if (waiting.debt > 0) {
        waiting.debt -= 1;
        this.#byAddress.set(address, waiting);
        continue;
      }
      const first = waiting.datagrams.shift();
      if (first === undefined) continue;
      this.#size -= 1;
      if (waiting.datagrams.length > 0) this.#byAddress.set(address, waiting);
      return first;
    }
    return null;
  }

  /** Makes the datagrams of an address wait for this many turns of the others, because handling one took as long. */
  charge(address: string, turns: number): void {
    this.#waitingOf(address).debt += turns;
  }

  #waitingOf(address: string): Waiting<Datagram> {
    return this.#byAddress.getOrInsertComputed(address, () => ({ datagrams: [], debt: 0 }));
  }
}
