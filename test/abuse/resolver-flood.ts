/** A flood of a resolver's network, a class behind it, and what their scenario prints. */
import type { Resolvers } from '../../src/resources/resolvers.ts';

export interface FloodResult {
  /** The responses to the tests of the visitors. */
  readonly visitors: readonly Pick<Resolvers, 'resolvers' | 'limited'>[];
  readonly sent: number;
  readonly sentBytes: number;
  readonly received: number;
  readonly receivedBytes: number;
}

/** Of the resolver's network; the namespace has them. */
export const forged = Array.from({ length: 20 }, (_, at) => `10.53.0.${100 + at}`);
export const perSecond = 20_000;

/** Visitors at the same time behind one address and one resolver. */
export const classSize = 30;
