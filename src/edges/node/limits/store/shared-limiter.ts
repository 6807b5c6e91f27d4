/** Rate limits that several instances share: the store decides, and the local tables if it is not available. */
import { type RateName, windowSeconds } from '../../../../core/limits.ts';
import type { Log } from '../../../../core/log.ts';
import type { Platform } from '../../../../core/platform.ts';
import type { Settings } from '../../../../core/settings.ts';
import type { Bounds } from '../bounds.ts';
import { type Limiter, limitsOf, type RateLimits } from '../limiter.ts';
import { keysOf } from '../rate-key.ts';
import { type Counter, countCommand } from './count-script.ts';
import { openRateStore, type RateStore } from './rate-store.ts';
import { createStoreKeys } from './store-keys.ts';

const windowMs = windowSeconds * 1000;

export interface SharedLimits extends Pick<RateStore, 'isConnected' | 'end'> {
  /** Returns the limits of this process and all others together. */
  share(local: Limiter): Platform['limit'];
}

/** Connects to RATE_LIMIT_STORE; null if it is not set. A store that does not respond delays the start by `storeConnectMs`. */
export async function openSharedLimits(settings: Settings, bounds: Bounds, log: Log): Promise<SharedLimits | null> {
  const { rateLimitStore, rateLimitSecret } = settings;
  if (rateLimitStore === null || rateLimitSecret === null) return null;
  const store = await openRateStore(rateLimitStore, bounds, log);
  const describeCall = createCallDescription(limitsOf(settings), bounds, rateLimitSecret, Date.now);
  const { isConnected, end } = store;
  return { isConnected, end, share: (local) => shareLimits(local, store, describeCall) };
}

/** Returns the store's command for one request; null if no rate has a limit. */
type DescribeCall = (rates: readonly RateName[], rateKey: string) => readonly string[] | null;

/**
 * Every request counts locally first, so that the local tables can take over at any time. What they reject never reaches the store: they
 * count no more requests than the store does.
 */
export function shareLimits(
  local: Limiter,
  store: Pick<RateStore, 'count' | 'isConnected'>,
  describeCall: DescribeCall,
): Platform['limit'] {
  return (rates, rateKey) => {
    if (!local.limit(rates, rateKey)) return false;
    if (!store.isConnected()) return true;
    const call = describeCall(rates, rateKey);
    const decision = call && store.count(call);
    if (decision === null) return true;
    return decision.then((isAllowed) => {
      if (isAllowed === false) local.refund(rates, rateKey);
      return isAllowed !== false;
    });
  };
}

export function createCallDescription(
  limits: RateLimits,
  { networkBudget, maxStoredEvents }: Pick<Bounds, 'networkBudget' | 'maxStoredEvents'>,
  secret: string,
  now: () => number,
): DescribeCall {
  const keysAt = createStoreKeys(secret, windowMs);
  return (rates, rateKey) => {
    const { client, network } = keysOf(rateKey);
    const { hash, hashNext, midnightMs } = keysAt(now());
    const counterOf = (kind: Counter['kind'], name: string, localKey: string, limit: number): Counter => ({
      kind,
      key: `seenby:${name}:${hash(localKey)}`,
      nextKey: hashNext && `seenby:${name}:${hashNext(localKey)}`,
      limit,
    });
    const counters: Counter[] = [];
    for (const rate of rates) {
      const limit = limits[rate];
      if (limit === 0) continue;
      counters.push(counterOf(limit > maxStoredEvents ? 'bucket' : 'times', rate, client, limit));
      if (network !== null) counters.push(counterOf('bucket', `${rate}/48`, network, limit * networkBudget));
    }
    return counters.length === 0 ? null : countCommand(counters, windowMs, midnightMs);
  };
}
