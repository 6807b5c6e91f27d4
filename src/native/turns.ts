/** A fair queue: items of one kind wait, such as QUIC datagrams, requests or TLS handshakes, and all clients get equal shares. */

/** A flow without work for this time counts as new. */
const recentMs = 1_000;
/** At most this many new flows go before one of the others, so that no number of new addresses delays these without end. */
const maxNewInRow = 4;

/** The items of each flow. Sets: an item that waits is not added again. */
type Flows<Item> = Map<unknown, Set<Item>>;

/** Flows (RFC 8290 §1.3), such as the addresses of clients, take turns; within a flow, an item comes after all items added before. */
export class Turns<Item> {
  /** Flows without an item in the last second, which go first, so that new clients are not served behind those that are kept busy. */
  readonly #new: Flows<Item> = new Map();
  readonly #others: Flows<Item> = new Map();
  /** Flows that have had an item since `#recentSinceMs`, with the turns that they leave to others; below 0 if they may still owe some. */
  readonly #recent = new Map<unknown, number>();
  #recentSinceMs = 0;
  /** Items of new flows since the latest of the others. */
  #newInRow = 0;
  readonly #credit: number;
  #size = 0;

  /** `credit`: turns that a flow may owe in a second before it has to leave any to others. */
  constructor(credit = 0) {
    this.#credit = credit;
  }

  get size(): number {
    return this.#size;
  }

  /** Flows that have an item. */
  get flows(): number {
    return this.#new.size + this.#others.size;
  }

  add(item: Item, flow: unknown): void {
    let items = this.#new.get(flow) ?? this.#others.get(flow);
    if (items === undefined) {
      items = new Set();
      (this.#recent.has(flow) ? this.#others : this.#new).set(flow, items);
    }
    this.#size -= items.size;
    items.add(item);
    this.#size += items.size;
  }

  /** Items of a flow that wait. */
  countOf(flow: unknown): number {
    return (this.#new.get(flow) ?? this.#others.get(flow))?.size ?? 0;
  }

  /** Removes and returns the next item with its flow; null without any. */
  take(): readonly [item: Item, flow: unknown] | null {
    const isNew = this.#new.size > 0 && (this.#newInRow < maxNewInRow || this.#others.size === 0);
    this.#newInRow = isNew ? this.#newInRow + 1 : 0;
    const flows = isNew ? this.#new : this.#others;
    for (const [flow, items] of flows) {
      flows.delete(flow);
      const owed = this.#recent.get(flow) ?? -this.#credit;
      this.#recent.set(flow, owed > 0 ? owed - 1 : owed);
      if (owed > 0) {
        // It moves to the end, so that the loop comes back to it.
        this.#others.set(flow, items);
        continue;
      }
      for (const item of items) {
        items.delete(item);
        this.#size -= 1;
        if (items.size > 0) this.#others.set(flow, items);
        return [item, flow];
      }
    }
    return this.#size > 0 ? this.take() : null;
  }

  /** Removes and returns the next item of one flow; null without any. */
  takeOf(flow: unknown): Item | null {
    const [item = null] = this.#new.get(flow) ?? this.#others.get(flow) ?? [];
    if (item !== null) this.delete(item, flow);
    return item;
  }

  has(item: Item, flow: unknown): boolean {
    return (this.#new.get(flow) ?? this.#others.get(flow))?.has(item) ?? false;
  }

  delete(item: Item, flow: unknown): void {
    for (const flows of [this.#new, this.#others]) {
      const items = flows.get(flow);
      if (!items?.delete(item)) continue;
      this.#size -= 1;
      if (items.size === 0) flows.delete(flow);
    }
  }

  /** Notes that a flow has had a turn elsewhere: it is not new. */
  note(flow: unknown): void {
    this.charge(flow, 0);
  }

  /** Makes the next items of a flow wait for so many turns of the others, because one took as long. */
  charge(flow: unknown, turns: number): void {
    this.#recent.set(flow, (this.#recent.get(flow) ?? -this.#credit) + turns);
  }

  /** Call it before the work of an iteration, so that flows become new again. */
  forgetRecent(nowMs: number): void {
    if (nowMs - this.#recentSinceMs <= recentMs) return;
    this.#recent.clear();
    this.#recentSinceMs = nowMs;
  }
}
