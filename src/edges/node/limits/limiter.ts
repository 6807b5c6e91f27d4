/** The rate limits of this process. */
import type { RateName } from '../../../core/limits.ts';
import type { Platform } from '../../../core/platform.ts';
import type { Settings } from '../../../core/settings.ts';
import type { LimitTables } from './limit-tables.ts';
import { keysOf } from './rate-key.ts';
import { monotonicMs } from './shared-table.ts';

export interface Limiter {
  readonly limit: (...call: Parameters<Platform['limit']>) => boolean;
  /** Undoes a successful `limit` with the same arguments. */
  readonly refund: (...call: Parameters<Platform['limit']>) => void;
}

/** Requests per window of each rate; 0 means no limit. */
export type RateLimits = Readonly<Record<RateName, number>>;

export function limitsOf({ rateLimitGeneral, rateLimitLookup, rateLimitTools }: Settings): RateLimits {
  return { general: rateLimitGeneral, lookup: rateLimitLookup, tools: rateLimitTools };
}

export function createLimiter({ rates: tables }: Pick<LimitTables, 'rates'>, now = monotonicMs): Limiter {
  const refund: Limiter['refund'] = (rates, rateKey) => {
    const { client, network } = keysOf(rateKey);
    for (const rate of rates) {
      tables[rate].client.giveBack(client);
      if (network !== null) tables[rate].network.giveBack(network);
    }
  };
  const limit: Limiter['limit'] = (rates, rateKey) => {
    const nowMs = now();
    const { client, network } = keysOf(rateKey);
    const take = (rate: RateName): boolean => {
      if (!tables[rate].client.take(client, nowMs)) return false;
      if (network === null || tables[rate].network.take(network, nowMs)) return true;
      tables[rate].client.giveBack(client);
      return false;
    };
    const exhausted = rates.findIndex((rate) => !take(rate));
    if (exhausted === -1) return true;
    refund(rates.slice(0, exhausted), rateKey);
    return false;
  };
  return { limit, refund };
}
