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
      reportLoss((error as Error).message);
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

async function warnOfPersistence(connection: StoreConnection, log: Log): Promise<void> {
  const warn = (problem: string): void =>
    log(
      'rate_store_persists',
      `${problem}; set save "" and appendonly no, so that no hash of an IP address is written to disk`,
    );
  try {
    const [save, appendOnly] = [await connection.readOption('save'), await connection.readOption('appendonly')];
    if (save !== '' || appendOnly !== 'no') warn('the rate-limit store writes its data to disk');
  } catch (error) {
    warn(`cannot check whether the rate-limit store writes to disk (${(error as Error).message})`);
  }
}
