/** What of one kind waits, in equal shares for all clients: datagrams and connections of QUIC, requests, TLS handshakes, connections to be read. */

/** A share without work for this time counts as new. */
const recentMs = 1_000;
/** At most this many new shares go before one of the others, so that no number of new addresses delays these without end. */
const maxNewInRow = 4;

/** The items of each share. Sets: an item that waits is not added again. */
type Shares<Item> = Map<unknown, Set<Item>>;

/** Shares, such as the addresses of clients, take turns; within a share, an item comes after all items added before. */
export class Turns<Item> {
  /** Shares without an item in the last second, which go first, so that new clients are not served behind those that are kept busy. */
  readonly #new: Shares<Item> = new Map();
  readonly #others: Shares<Item> = new Map();
  /** Shares that have had an item since `#recentSinceMs`, with the turns that they leave to others; below 0 if they may still owe some. */
  readonly #recent = new Map<unknown, number>();
  #recentSinceMs = 0;
  /** Items of new shares since the latest of the others. */
  #newInRow = 0;
  readonly #credit: number;
  #size = 0;

  /** `credit`: turns that a share may owe in a second before it has to leave any to others. */
  constructor(credit = 0) {
    this.#credit = credit;
  }

  get size(): number {
    return this.#size;
  }

  /** Shares that have an item. */
  get shares(): number {
    return this.#new.size + this.#others.size;
  }

  add(item: Item, share: unknown): void {
    let items = this.#new.get(share) ?? this.#others.get(share);
    if (items === undefined) {
      items = new Set();
      (this.#recent.has(share) ? this.#others : this.#new).set(share, items);
    }
    this.#size -= items.size;
    items.add(item);
    this.#size += items.size;
  }

  /** Items of a share that wait. */
  countOf(share: unknown): number {
    return (this.#new.get(share) ?? this.#others.get(share))?.size ?? 0;
  }

  /** Removes and returns the next item with its share; null without any. */
  take(): readonly [item: Item, share: unknown] | null {
    const isNew = this.#new.size > 0 && (this.#newInRow < maxNewInRow || this.#others.size === 0);
    this.#newInRow = isNew ? this.#newInRow + 1 : 0;
    const shares = isNew ? this.#new : this.#others;
    for (const [share, items] of shares) {
      shares.delete(share);
      const owed = this.#recent.get(share) ?? -this.#credit;
      this.#recent.set(share, owed > 0 ? owed - 1 : owed);
      if (owed > 0) {
        // It moves to the end, so that the loop comes back to it.
        this.#others.set(share, items);
        continue;
      }
      for (const item of items) {
        items.delete(item);
        this.#size -= 1;
        if (items.size > 0) this.#others.set(share, items);
        return [item, share];
      }
    }
    return this.#size > 0 ? this.take() : null;
  }

  /** Removes and returns the next item of one share; null without any. */
  takeOf(share: unknown): Item | null {
    const [item = null] = this.#new.get(share) ?? this.#others.get(share) ?? [];
    if (item !== null) this.delete(item, share);
    return item;
  }

  has(item: Item, share: unknown): boolean {
    return (this.#new.get(share) ?? this.#others.get(share))?.has(item) ?? false;
  }

  delete(item: Item, share: unknown): void {
    for (const shares of [this.#new, this.#others]) {
      const items = shares.get(share);
      if (!items?.delete(item)) continue;
      this.#size -= 1;
      if (items.size === 0) shares.delete(share);
    }
  }

  /** Notes that a share has had a turn elsewhere: it is not new. */
  note(share: unknown): void {
    this.charge(share, 0);
  }

  /** Makes the next items of a share wait for so many turns of the others, because one took as long. */
  charge(share: unknown, turns: number): void {
    this.#recent.set(share, (this.#recent.get(share) ?? -this.#credit) + turns);
  }

  /** Call it before the work of an iteration, so that shares become new again. */
  forgetRecent(nowMs: number): void {
    if (nowMs - this.#recentSinceMs <= recentMs) return;
    this.#recent.clear();
    this.#recentSinceMs = nowMs;
  }
}
