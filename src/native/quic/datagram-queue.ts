/** Datagrams that wait to be handled. Clients take turns, so that a flood delays only its own. */
import { Turns } from '../turns.ts';

/** Number of shares of the queue that stay free for clients without waiting datagrams. */
const freeShares = 15;

export class DatagramQueue<Datagram> extends Turns<Datagram> {
  readonly #max: number;

  /** `max`: datagrams that may wait in all; `credit`: see `Turns`. */
  constructor(max: number, credit: number) {
    super(credit);
    this.#max = max;
  }

  /** Discards a datagram above its client's share of the queue, as if the network had lost it. */
  override add(datagram: Datagram, client: string): void {
    const isFull = this.size >= this.#max || this.countOf(client) >= this.#max / (this.flows + freeShares);
    if (!isFull) super.add(datagram, client);
  }
}
