/** Rate limits that several instances share: the store decides, and the local tables if it is not available. */
import { limitsOf, type RateName, windowSeconds } from '../../../core/limits.ts';
import type { Log } from '../../../core/log.ts';
import type { Platform } from '../../../core/platform.ts';
import type { RateStoreAddress } from '../../../core/setting-values.ts';
import type { Settings } from '../../../core/settings.ts';
import type { Bounds } from './bounds.ts';
import { tighten } from './counters.ts';
import { keysOf, type Limiter } from './limits.ts';
import {
  type Counter,
  countCommand,
  createStoreKeys,
  needsOperator,
  openStoreConnection,
  type StoreConnection,
} from './store-connection.ts';

/** Connects to RATE_LIMIT_STORE; null if it is not set. A store that does not respond delays the start by `storeConnectMs`. */
export async function openSharedLimits(settings: Settings, bounds: Bounds, log: Log) {
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
   * Returns the limits of this process and all others together.
   *
   * Every request counts locally first, so that the local tables can take over at any time. What they reject never reaches the store;
   * what the store rejects is refunded.
   */
  const share =
    (local: Limiter): Platform['limit'] =>
    (rates, rateKey) => {
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

/**
 * Connects to the store that counts requests for several instances, reconnects, and states in the log what changes. Waits for the first
 * attempt, whether it succeeds or not. Never rejects.
 */
async function openRateStore(address: RateStoreAddress, bounds: Bounds, log: Log) {
  let connection: StoreConnection | null = null;
  let hasEnded = false;
  let hasConnected = false;
  let checksLeft = maxChecks;
  /** The reason in the log's last line; null if that states that the store is connected. */
  let reported: string | null = null;
  let lostMs = Number.NEGATIVE_INFINITY;
  /** The next attempt to connect, or the report that a connection has lasted. */
  let timer: NodeJS.Timeout | undefined;

  const reportLoss = (reason: string): void => {
    if (hasEnded) return;
    // No other line would report that a store is back and rejects the service.
    if (reported === null || (needsOperator(reason) && reason !== reported)) {
      log('rate_store_lost', `rate-limit store not available (${reason}); each instance counts for itself`, { reason });
      reported = reason;
    }
    // Not all instances at the same time.
    timer = setTimeout(connect, bounds.storeRetryMs * (1 + Math.random() / 2)).unref();
  };
  const reportConnected = (): void => {
    reported = null;
    log('rate_store_connected', 'rate-limit store connected; all instances count together');
  };
  const onLost = (reason: string): void => {
    if (hasEnded) return;
    connection = null;
    clearTimeout(timer);
    const nowMs = performance.now();
    const isFirst = nowMs - lostMs > bounds.storeStableMs;
    lostMs = nowMs;
    // One slow reply is not worth a line: the next connection usually works.
    if (isFirst) connect();
    else reportLoss(reason);
  };
  const connect = async (): Promise<void> => {
    try {
      const opened = await openStoreConnection(address, bounds);
      if (hasEnded) return opened.close();
      connection = opened;
      opened.lost.then(onLost);
      if (!hasConnected) {
        hasConnected = true;
        reportConnected();
      } else if (reported !== null) timer = setTimeout(reportConnected, bounds.storeStableMs).unref();
      if (checksLeft === 0) return;
      checksLeft -= 1;
      if (await warnOfPersistence(opened, log, checksLeft === 0)) checksLeft = 0;
    } catch (error) {
      reportLoss((error as Error).message);
    }
  };
  await connect();
  return {
    /** Null while the store is not available. */
    connection: (): StoreConnection | null => connection,
    end(): void {
      hasEnded = true;
      clearTimeout(timer);
      connection?.close();
      connection = null;
    },
  };
}

/** Connections on which the store must fail to respond before the warning: it may be slow once, as while it starts, and is then connected again. */
const maxChecks = 3;

/** Returns whether the store responded; if the connection was lost instead, warns only the last time. */
async function warnOfPersistence(connection: StoreConnection, log: Log, isLast: boolean): Promise<boolean> {
  const warn = (problem: string): void =>
    log(
      'rate_store_persists',
      `${problem}; set save "" and appendonly no, so that no hash of an IP address is written to disk`,
    );
  try {
    const save = await connection.readOption('save');
    const appendOnly = await connection.readOption('appendonly');
    if (save !== '' || appendOnly !== 'no') warn('the rate-limit store writes its data to disk');
  } catch (error) {
    const isLost = connection.isLost();
    if (isLost && !isLast) return false;
    const reason = isLost ? 'no response' : (error as Error).message;
    warn(`cannot check whether the rate-limit store writes to disk (${reason})`);
  }
  return true;
}
