/** The rate limits of this process. */
import type { RateName } from '../../../core/limits.ts';
import { unlimited } from '../../../core/platform.ts';
import type { LimitTables } from './limit-tables.ts';
import { keysOf } from './rate-key.ts';
import type { OpenDecision } from './rate-windows.ts';
import { monotonicMs } from './shared-table.ts';

export interface Limiter {
  readonly limit: (rates: readonly RateName[], rateKey: string) => OpenDecision;
  /** Undoes a successful `limit` with the same arguments. */
  readonly refund: (rates: readonly RateName[], rateKey: string) => void;
}

export function createLimiter({ rates: windows }: Pick<LimitTables, 'rates'>, now = monotonicMs): Limiter {
  const refund: Limiter['refund'] = (rates, rateKey) => {
    const { client, network } = keysOf(rateKey);
    for (const rate of rates) {
      windows[rate].client.refund(client);
      if (network !== null) windows[rate].network.refund(network);
    }
  };
  const limit: Limiter['limit'] = (rates, rateKey) => {
    const nowMs = now();
    const { client, network } = keysOf(rateKey);
    const decision: OpenDecision = { ...unlimited };
    const take = (rate: RateName): boolean => {
      if (!windows[rate].client.take(client, nowMs, decision)) return false;
      if (network === null || windows[rate].network.take(network, nowMs, decision)) return true;
      windows[rate].client.refund(client);
      return false;
    };
    const exhausted = rates.findIndex((rate) => !take(rate));
    if (exhausted > 0) refund(rates.slice(0, exhausted), rateKey);
    return decision;
  };
  return { limit, refund };
}
