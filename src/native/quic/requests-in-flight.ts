/**
 * Bounds the requests in flight of each address over all of its connections. Those above the bound stay in OpenSSL, where they cost least;
 * the connections that have some take turns.
 */

/** A connection that may have to wait. */
interface Waiting {
  readonly ip: string;
  /** Accepts streams soon. */
  wake(): void;
}

export class RequestsInFlight {
  readonly #max: number;
  readonly #counts = new Map<string, number>();
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** `max`: of each address. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns whether a connection may start a request now; if not, it is woken when it may. */
  hasRoom(connection: Waiting): boolean {
    const { ip } = connection;
    if ((this.#counts.get(ip) ?? 0) < this.#max) return true;
    this.#waiting.getOrInsertComputed(ip, () => new Set()).add(connection);
    return false;
  }

  add(ip: string): void {
    this.#counts.set(ip, (this.#counts.get(ip) ?? 0) + 1);
  }

  /** Lets the connection of the address go on that has waited longest. */
  remove(ip: string): void {
    const left = (this.#counts.get(ip) ?? 0) - 1;
    if (left > 0) this.#counts.set(ip, left);
    else this.#counts.delete(ip);
    const [next] = this.#waiting.get(ip) ?? [];
    if (next === undefined) return;
    this.forget(next);
    next.wake();
  }

  /** Removes a connection that has ended from those that wait. */
  forget(connection: Waiting): void {
    const waiting = this.#waiting.get(connection.ip);
    if (waiting?.delete(connection) && waiting.size === 0) this.#waiting.delete(connection.ip);
  }
}
