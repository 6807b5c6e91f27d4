/**
 * Bounds the requests in flight of each client over all of its connections. Those above the bound stay in OpenSSL, where they cost least;
 * the connections that have some take turns.
 */
import { Turns } from '../turns.ts';

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
  readonly #waiting = new Turns<Waiting>();

  /** `max`: of each client. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns whether a connection may start a request now; if not, it is woken when it may. */
  hasRoom(connection: Waiting): boolean {
    const { share } = connection;
    if ((this.#counts.get(share) ?? 0) < this.#max) return true;
    this.#waiting.add(connection, share);
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
    const woken = left > 0 ? 1 : this.#waiting.countOf(share);
    for (let at = 0; at < woken; at += 1) this.#waiting.takeOf(share)?.wake();
  }

  /** Removes a connection that has ended from those that wait. */
  forget(connection: Waiting): void {
    this.#waiting.delete(connection, connection.share);
  }
}
