/** Clients that a bound has just rejected: their further attempts cost nothing for a while. */

/** Names of more clients are not kept: in a flood of that many addresses, each of them is rejected by the bound itself. */
const maxClients = 10_000;

export class RecentlyRejected {
  readonly #forMs: number;
  readonly #clients = new Set<string>();
  #sinceMs = 0;

  /** `forMs`: the longest time for which a client is kept. */
  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0;
  }

  has(client: string): boolean {
    this.#forget();
    return this.#clients.has(client);
  }

  add(client: string): void {
    this.#forget();
    if (this.#clients.size < maxClients) this.#clients.add(client);
  }

  /** Forgets all of them together, which costs nothing for each. */
  #forget(): void {
    const nowMs = performance.now();
    if (nowMs - this.#sinceMs < this.#forMs) return;
    this.#clients.clear();
    this.#sinceMs = nowMs;
  }
}
