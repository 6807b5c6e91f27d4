/**
 * Bounds the requests in flight of each client over all of its connections. Those above the bound stay in OpenSSL, where they cost least;
 * the connections that have some take turns.
 */
import { Turns } from '../turns.ts';

/** A connection that may have to wait. */
interface Waiting {
  /** Its client's network. */
  readonly flow: string;
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
    const { flow } = connection;
    if ((this.#counts.get(flow) ?? 0) < this.#max) return true;
    this.#waiting.add(connection, flow);
    return false;
  }

  add(flow: string): void {
    this.#counts.set(flow, (this.#counts.get(flow) ?? 0) + 1);
  }

  /** Lets the connection of the client go on that has waited longest; all of them if no request is left whose end could do so. */
  remove(flow: string): void {
    const left = (this.#counts.get(flow) ?? 0) - 1;
    if (left > 0) this.#counts.set(flow, left);
    else this.#counts.delete(flow);
    const woken = left > 0 ? 1 : this.#waiting.countOf(flow);
    for (let at = 0; at < woken; at += 1) this.#waiting.takeOf(flow)?.wake();
  }

  /** Removes a connection that has ended from those that wait. */
  forget(connection: Waiting): void {
    this.#waiting.delete(connection, connection.flow);
  }
}
