/**
 * Bounds the requests in flight of each client over all of its connections. Those above the bound stay in OpenSSL, where they cost least;
 * the connections that have some take turns.
 */

/** A connection that may have to wait. */
interface Waiting {
  /** That of its client. */
  readonly share: string;
  /** Accepts streams soon. */
  wake(): void;
}

export class RequestsInFlight {
  readonly #max: number;
  readonly #counts = new Map<string, number>();
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** `max`: of each client. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns whether a connection may start a request now; if not, it is woken when it may. */
  hasRoom(connection: Waiting): boolean {
    const { share } = connection;
    if ((this.#counts.get(share) ?? 0) < this.#max) return true;
    const others = this.#waiting.get(share);
    if (others === undefined) this.#waiting.set(share, new Set([connection]));
    else others.add(connection);
    return false;
  }

  add(share: string): void {
    this.#counts.set(share, (this.#counts.get(share) ?? 0) + 1);
  }

  /** Lets the connection of the client go on that has waited longest; all of them if no request is left whose end could do so. */
  remove(share: string): void {
    const left = (this.#counts.get(share) ?? 0) - 1;
    if (left > 0) this.#counts.set(share, left);
    else this.#counts.delete(share);
    for (const next of this.#waiting.get(share) ?? []) {
      this.forget(next);
      next.wake();
      if (left > 0) return;
    }
  }

  /** Removes a connection that has ended from those that wait. */
  forget(connection: Waiting): void {
    const waiting = this.#waiting.get(connection.share);
    if (waiting?.delete(connection) && waiting.size === 0) this.#waiting.delete(connection.share);
  }
}
