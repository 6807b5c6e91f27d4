/** A connection to the store that is opened again whenever it is lost. */
import { hasAdvice } from './failures.ts';

interface Connection {
  /** Resolves with the reason when the connection is lost or closed. */
  readonly lost: Promise<string>;
  close(): void;
}

interface Pauses {
  /** Shortest pause between attempts to connect. */
  readonly storeRetryMs: number;
  /** Time without a loss after which the store counts as recovered. */
  readonly storeStableMs: number;
}

interface Events<Opened> {
  /** The store is not available, or available again and rejects the service for this reason. */
  onLost(reason: string): void;
  /** The store is available: at the start, or for some time after a loss that was reported. */
  onConnected(): void;
  /** Called with each connection; a rejection counts as a failed attempt. */
  onOpen?(connection: Opened): Promise<void>;
}

/** Waits for the first attempt to connect, whether it succeeds or not. Never rejects; `open` rejects with an Error that states the reason. */
export async function keepConnected<Opened extends Connection>(
  open: () => Promise<Opened>,
  { storeRetryMs, storeStableMs }: Pauses,
  { onLost, onConnected, onOpen }: Events<Opened>,
) {
  let connection: Opened | null = null;
  let hasEnded = false;
  let hasConnected = false;
  /** The reason that was reported last; null if the last report is that the store is available. */
  let reported: string | null = null;
  let lostMs = Number.NEGATIVE_INFINITY;
  /** The next attempt to connect, or the report that a connection has lasted. */
  let timer: NodeJS.Timeout | undefined;

  const reportLoss = (reason: string): void => {
    if (hasEnded) return;
    // No other report would state that a store is back and rejects the service.
    if (reported === null || (hasAdvice(reason) && reason !== reported)) {
      onLost(reason);
      reported = reason;
    }
    // Not all instances at the same time.
    timer = setTimeout(connect, storeRetryMs * (1 + Math.random() / 2)).unref();
  };
  const reportConnected = (): void => {
    reported = null;
    onConnected();
  };
  const handleLoss = (reason: string): void => {
    if (hasEnded) return;
    connection = null;
    clearTimeout(timer);
    const nowMs = performance.now();
    const isFirst = nowMs - lostMs > storeStableMs;
    lostMs = nowMs;
    // One slow reply is not worth a report: the next connection usually works.
    if (isFirst) connect();
    else reportLoss(reason);
  };
  const connect = async (): Promise<void> => {
    try {
      const opened = await open();
      if (hasEnded) return opened.close();
      connection = opened;
      opened.lost.then(handleLoss);
      if (!hasConnected) {
        hasConnected = true;
        reportConnected();
      } else if (reported !== null) timer = setTimeout(reportConnected, storeStableMs).unref();
      await onOpen?.(opened);
    } catch (error) {
      reportLoss((error as Error).message);
    }
  };
  await connect();
  return {
    /** Null while the store is not available. */
    connection: (): Opened | null => connection,
    end(): void {
      hasEnded = true;
      clearTimeout(timer);
      connection?.close();
      connection = null;
    },
  };
}
