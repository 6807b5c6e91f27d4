/** Counts how often each key is used. All counts begin anew a second after the first use, and the number of keys is bounded. */

const secondMs = 1_000;

export class SecondCounts {
  readonly #maxKeys: number;
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** Above `maxKeys`, the oldest keys are discarded, and count anew. */
  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Counts one use of the key; returns its number in this second. */
  add(key: string): number {
    // A key may be an address: a timer clears all after a second, even if no further use comes.
    this.#timer ??= setTimeout(() => this.#forget(), secondMs).unref();
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count === 1 && this.size === this.#maxKeys) {
      const [first = key] = this.#counts.keys();
      this.#counts.delete(first);
    }
    this.#counts.set(key, count);
    return count;
  }

  #forget(): void {
    this.#counts.clear();
    this.#timer = null;
  }
}
