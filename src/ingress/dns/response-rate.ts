/** Limits the responses over UDP to one network, so that forged addresses cannot make this server flood it. */
import { WindowCounts } from '../../native/window-counts.ts';
import type { DnsBounds } from './bounds.ts';

export class ResponseRate {
  readonly #perSecond: number;
  readonly #bounds: DnsBounds;
  readonly #counts: WindowCounts;

  /** `perSecond`: whole responses to a network; 0: no limit. */
  constructor(perSecond: number, bounds: DnsBounds) {
    this.#perSecond = perSecond;
    this.#bounds = bounds;
    this.#counts = new WindowCounts(1_000, bounds.maxNetworks);
  }

  /** Counts a response, and returns which one the network may get: a whole one, one that is no larger than the query, or none. */
  count(network: string): 'whole' | 'truncated' | 'none' {
    if (this.#perSecond === 0) return 'whole';
    const count = this.#counts.add(network);
    if (count <= this.#perSecond) return 'whole';
    const { dropFactor } = this.#bounds;
    return count <= this.#perSecond * dropFactor || count % dropFactor === 0 ? 'truncated' : 'none';
  }
}
