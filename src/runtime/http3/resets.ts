/** Counts the requests that a client gives up on one connection over HTTP/3; Node counts those over HTTP/2 by the same bounds. */
import type { IngressBounds } from '../../ingress/bounds.ts';

export class Resets {
  readonly #bounds: Pick<IngressBounds, 'streamResetBurst' | 'streamResetRate'>;
  #count = 0;
  #countedMs = performance.now();

  constructor(bounds: Pick<IngressBounds, 'streamResetBurst' | 'streamResetRate'>) {
    this.#bounds = bounds;
  }

  /** Counts one; returns whether the connection must be closed. */
  add(): boolean {
    const { streamResetBurst, streamResetRate } = this.#bounds;
    const nowMs = performance.now();
    const forgiven = ((nowMs - this.#countedMs) * streamResetRate) / 1000;
    this.#countedMs = nowMs;
    this.#count = Math.max(0, this.#count - forgiven) + 1;
    return this.#count > streamResetBurst;
  }
}
