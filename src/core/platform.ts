/** What a runtime lends to the endpoints. */
import type { RateName } from './limits.ts';

export interface Platform {
  /** Spends one call of this rate; false when none is left. */
  limit(rate: RateName, rateKey: string): boolean | Promise<boolean>;
  /** Counts one answered call; nothing of the request but the endpoint it met. */
  count(endpoint: string, status: number): void;
  /** Tells the operator of a failure that is our own; what it says of the request stays here. */
  report(error: unknown): void;
  /** Milliseconds since the Unix epoch. */
  now(): number;
}
