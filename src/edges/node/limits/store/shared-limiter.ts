/** Rate limits that several instances share: the store decides, and the local tables if it is not available. */
import { limitsOf, type RateName, windowSeconds } from '../../../../core/limits.ts';
import type { Log } from '../../../../core/log.ts';
import type { Platform } from '../../../../core/platform.ts';
import type { Settings } from '../../../../core/settings.ts';
import type { Bounds } from '../bounds.ts';
import type { Limiter } from '../limiter.ts';
import { keysOf } from '../rate-key.ts';
import { tighten } from '../rate-windows.ts';
import { type Counter, countCommand, createStoreKeys } from './count-script.ts';
import { openRateStore } from './rate-store.ts';

export interface SharedLimits {
  /** Returns the limits of this process and all others together. */
  share(local: Limiter): Platform['limit'];
  isConnected(): boolean;
  end(): void;
}

/** Connects to RATE_LIMIT_STORE; null if it is not set. A store that does not respond delays the start by `storeConnectMs`. */
export async function openSharedLimits(settings: Settings, bounds: Bounds, log: Log): Promise<SharedLimits | null> {
  const { rateLimitStore, rateLimitSecret } = settings;
  if (rateLimitStore === null || rateLimitSecret === null) return null;
  const limits = limitsOf(settings);
  const keyOf = createStoreKeys(rateLimitSecret);
  const store = await openRateStore(rateLimitStore, bounds, log);

  const countersOf = (rates: readonly RateName[], rateKey: string): readonly Counter[] => {
    const { client, network } = keysOf(rateKey);
    const nowMs = Date.now();
    return rates.flatMap((rate) => {
      if (limits[rate] === 0) return [];
      const counter = { key: keyOf(rate, client, nowMs), limit: limits[rate] };
      if (network === null) return [counter];
      return [counter, { key: keyOf(`${rate}/48`, network, nowMs), limit: limits[rate] * bounds.networkBudget }];
    });
  };

  /**
   * Every request counts locally first, so that the local tables can take over at any time. What they reject never reaches the store;
   * what the store rejects is refunded.
   */
  const share: SharedLimits['share'] = (local) => (rates, rateKey) => {
    const decision = local.limit(rates, rateKey);
    const connection = store.connection();
    if (!decision.isAllowed || connection === null) return decision;
    const counters = countersOf(rates, rateKey);
    if (counters.length === 0) return decision;
    return connection.count(countCommand(counters, windowSeconds * 1000)).then((reply) => {
      if (reply === null) return decision;
      if (reply.left < 0) local.refund(rates, rateKey);
      tighten(decision, reply.left, reply.leftMs);
      return decision;
    });
  };
  return { share, isConnected: () => store.connection() !== null, end: store.end };
}
