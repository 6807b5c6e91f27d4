/** Steps of one kind that wait for their turn, in equal shares for all clients. */

/** Does one unit of work; returns whether there is more that can be done now. */
export type Step = () => boolean;

/** The steps of each share. Sets: a connection has one step in them at most, so that all connections of a share get equal parts of it. */
type Shares = Map<unknown, Set<Step>>;

/** A share without steps for this time counts as new. */
const recentMs = 1_000;
/** At most this many new shares go before one of the others, so that no number of new addresses delays these without end. */
const maxFirstInRow = 4;

/** Shares, such as the addresses of clients, take turns; within a share, a step runs after all steps added before. */
export class WaitingSteps {
  /** Shares without a step in the last second, which go first, so that new clients are not served behind those that are kept busy. */
  readonly #first: Shares = new Map();
  readonly #others: Shares = new Map();
  /** Shares that have had a step since `#recentSinceMs`. */
  readonly #recent = new Set<unknown>();
  #recentSinceMs = 0;
  /** Steps of first shares since the latest of the others. */
  #firstInRow = 0;

  get isEmpty(): boolean {
    return this.#first.size === 0 && this.#others.size === 0;
  }

  add(step: Step, share: unknown): void {
    const steps = this.#first.get(share) ?? this.#others.get(share);
    if (steps !== undefined) steps.add(step);
    else (this.#recent.has(share) ? this.#others : this.#first).set(share, new Set([step]));
  }

  /** Removes and returns the next step with its share; null without any. */
  take(): readonly [step: Step, share: unknown] | null {
    const isFirst = this.#first.size > 0 && (this.#firstInRow < maxFirstInRow || this.#others.size === 0);
    this.#firstInRow = isFirst ? this.#firstInRow + 1 : 0;
    const shares = isFirst ? this.#first : this.#others;
    for (const [share, steps] of shares)
      for (const step of steps) {
        steps.delete(step);
        shares.delete(share);
        this.#recent.add(share);
        if (steps.size > 0) this.#others.set(share, steps);
        return [step, share];
      }
    return null;
  }

  /** Call it before the steps of an iteration, so that shares become new again. */
  forgetRecent(nowMs: number): void {
    if (nowMs - this.#recentSinceMs <= recentMs) return;
    this.#recent.clear();
    this.#recentSinceMs = nowMs;
  }
}
