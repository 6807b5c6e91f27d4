/** The rate limits of this process: one table for each rate, and one more for each with the budgets of IPv6 networks. */
import { type RateName, windowSeconds } from '../../../core/limits.ts';
import type { Platform } from '../../../core/platform.ts';
import type { Settings } from '../../../core/settings.ts';
import type { Bounds } from './bounds.ts';
import { keysOf } from './rate-key.ts';
import { createRateTable } from './rate-table.ts';
import { createTokenBuckets } from './token-buckets.ts';

export interface Limiter {
  readonly limit: (...call: Parameters<Platform['limit']>) => boolean;
  /** Undoes a successful `limit` with the same arguments. */
  readonly refund: (...call: Parameters<Platform['limit']>) => void;
  readonly end: () => void;
}

/** Requests per window of each rate; 0 means no limit. */
export type RateLimits = Readonly<Record<RateName, number>>;

export function limitsOf({ rateLimitGeneral, rateLimitLookup, rateLimitTools }: Settings): RateLimits {
  return { general: rateLimitGeneral, lookup: rateLimitLookup, tools: rateLimitTools };
}

export function createLimiter(settings: Settings, { maxRateKeys, networkBudget }: Bounds): Limiter {
  const windowMs = windowSeconds * 1000;
  const limits = limitsOf(settings);
  const tables = mapRates(limits, (perWindow) => createRateTable(perWindow, windowMs, maxRateKeys));
  // The budget of a /48 is too large to keep the time of every request.
  const networks = mapRates(limits, (perWindow) =>
    createTokenBuckets((perWindow * networkBudget) / windowSeconds, perWindow * networkBudget, maxRateKeys),
  );
  // Often enough that no key outlives its window for long.
  const timer = setInterval(() => {
    for (const table of Object.values(tables)) table.prune(performance.now());
  }, windowMs / 10);
  timer.unref();
  const refund: Limiter['refund'] = (rates, rateKey) => {
    const { client, network } = keysOf(rateKey);
    for (const rate of rates) {
      tables[rate].refund(client);
      if (network !== null) networks[rate].giveBack(network);
    }
  };
  const limit: Limiter['limit'] = (rates, rateKey) => {
    const nowMs = performance.now();
    const { client, network } = keysOf(rateKey);
    const consume = (rate: RateName): boolean => {
      if (!tables[rate].consume(client, nowMs)) return false;
      if (network === null || networks[rate].take(network, nowMs)) return true;
      tables[rate].refund(client);
      return false;
    };
    const exhausted = rates.findIndex((rate) => !consume(rate));
    if (exhausted === -1) return true;
    refund(rates.slice(0, exhausted), rateKey);
    return false;
  };
  return { limit, refund, end: () => clearInterval(timer) };
}

function mapRates<Value>(limits: RateLimits, create: (perWindow: number) => Value) {
  const entries = Object.entries(limits).map(([rate, perWindow]) => [rate, create(perWindow)]);
  return Object.fromEntries(entries) as Readonly<Record<RateName, Value>>;
}
