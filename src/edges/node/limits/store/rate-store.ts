/** The store that counts requests for several instances: connects, reconnects, and states in the log what changes. */

import type { Log } from '../../../../core/log.ts';
import type { RateStoreAddress } from '../../../../core/setting-values.ts';
import type { Bounds } from '../bounds.ts';
import { openStoreConnection, type StoreConnection } from './store-connection.ts';

export interface RateStore {
  /** Null while the store is not available. */
  connection(): StoreConnection | null;
  end(): void;
}

/** Waits for the first attempt to connect, whether it succeeds or not. Never rejects. */
export async function openRateStore(address: RateStoreAddress, bounds: Bounds, log: Log): Promise<RateStore> {
  let connection: StoreConnection | null = null;
  let hasEnded = false;
  let hasConnected = false;
  /** Whether the log's last line says that the store is lost. */
  let isReported = false;
  let lostMs = Number.NEGATIVE_INFINITY;
  /** The next attempt to connect, or the report that a connection has lasted. */
  let timer: NodeJS.Timeout | undefined;

  const reportLoss = (reason: string): void => {
    if (hasEnded) return;
    if (!isReported)
      log('rate_store_lost', `rate-limit store not available (${reason}); each instance counts for itself`, { reason });
    isReported = true;
    // Not all instances at the same time.
    timer = setTimeout(connect, bounds.storeRetryMs * (1 + Math.random() / 2)).unref();
  };
  const reportConnected = (): void => {
    isReported = false;
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
        await warnOfPersistence(opened, log);
      } else if (isReported) timer = setTimeout(reportConnected, bounds.storeStableMs).unref();
    } catch (error) {
      reportLoss(error instanceof Error ? error.message : `${error}`);
    }
  };
  await connect();
  return {
    connection: () => connection,
    end() {
      hasEnded = true;
      clearTimeout(timer);
      connection?.close();
      connection = null;
    },
  };
}

/** Options of the store with the values under which nothing is written to disk. */
const withoutPersistence = { save: '', appendonly: 'no' } as const;

async function warnOfPersistence(connection: StoreConnection, log: Log): Promise<void> {
  const advice = 'set save "" and appendonly no, so that no hash of an IP address is written to disk';
  try {
    const names = Object.keys(withoutPersistence) as (keyof typeof withoutPersistence)[];
    const values = await Promise.all(names.map((name) => connection.readOption(name)));
    if (names.every((name, index) => values[index] === withoutPersistence[name])) return;
    log('rate_store_persists', `the rate-limit store writes its data to disk; ${advice}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : `${error}`;
    log('rate_store_persists', `cannot check whether the rate-limit store writes to disk (${reason}); ${advice}`);
  }
}
