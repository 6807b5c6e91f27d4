/** The order in which connections are read when there is more to read than an event-loop iteration permits. */

/** At most this many clients that have sent nothing so far go before one of the others, so that no number of new addresses delays these without end. */
const maxNewInRow = 4;

/** Connections by share. */
type Shares<Port> = Map<unknown, Set<Port>>;

/**
 * Shares, such as the addresses of clients, take turns, and so do the connections within a share; those that have waited longest go first, new
 * shares before them.
 */
export class ReadOrder<Port extends { readonly share: unknown }> {
  /** Shares of which nothing has been read. */
  readonly #new: Shares<Port> = new Map();
  /** In the order of their latest turn, as the connections of each. */
  readonly #others: Shares<Port> = new Map();

  add(port: Port): void {
    const { share } = port;
    const ports = this.#others.get(share) ?? this.#new.get(share);
    if (ports === undefined) this.#new.set(share, new Set([port]));
    else ports.add(port);
  }

  delete(port: Port): void {
    const { share } = port;
    for (const shares of [this.#new, this.#others]) {
      const ports = shares.get(share);
      if (ports?.delete(port) && ports.size === 0) shares.delete(share);
    }
  }

  /** Notes that a connection has had its turn. */
  touch(port: Port): void {
    const { share } = port;
    const ports = this.#others.get(share) ?? this.#new.get(share);
    // It may have ended.
    if (!ports?.delete(port)) return;
    ports.add(port);
    this.#new.delete(share);
    this.#others.delete(share);
    this.#others.set(share, ports);
  }

  /** Yields one connection of each share, then the next of each, and so on. */
  *[Symbol.iterator](): Generator<Port> {
    let turns = [...this.#inTurn()];
    while (turns.length > 0) {
      const left: typeof turns = [];
      for (const ports of turns) {
        const { value, done } = ports.next();
        if (done) continue;
        yield value;
        left.push(ports);
      }
      turns = left;
    }
  }

  *#inTurn(): Generator<SetIterator<Port>> {
    const others = this.#others.values();
    let newInRow = 0;
    for (const ports of this.#new.values()) {
      yield ports.values();
      newInRow += 1;
      if (newInRow % maxNewInRow > 0) continue;
      const { value } = others.next();
      if (value !== undefined) yield value.values();
    }
    for (const ports of others) yield ports.values();
  }
}
