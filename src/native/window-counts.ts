/** Counts how often each key is used. All counts begin anew some time after the first use, and the number of keys is bounded. */

export class WindowCounts {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** Above `maxKeys`, the oldest keys are discarded, and count anew. */
  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#counts.size;
  }

  has(key: string): boolean {
    return this.#counts.has(key);
  }

  /** Counts one use of the key; returns its number in this window. */
  add(key: string): number {
    // A key may be an address: a timer clears all, even if no further use comes.
    this.#timer ??= setTimeout(() => this.#forget(), this.#windowMs).unref();
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
