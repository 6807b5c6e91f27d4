/** A connection to the store that is opened again whenever it is lost. */
import { spreadPause } from '../pauses.ts';

interface Connection {
  /** Resolves with the reason when the connection is lost or closed. */
  readonly lost: Promise<string>;
  close(): void;
}

interface StoreTimes {
  /** Shortest pause between attempts to connect. It does not grow, because the service lacks the store until one succeeds. */
  readonly storeRetryMs: number;
  /** Time without a loss after which the store counts as recovered. */
  readonly storeStableMs: number;
}

interface Events<Opened> {
  /** The store is not available, or it rejects the service; called once with each reason until the store is available. */
  onLost(reason: string): void;
  /** The store is available: at the start, or for some time after a loss that was reported. */
  onConnected(): void;
  /** Called with each connection; a rejection counts as a failed attempt. */
  onOpen?(connection: Opened): Promise<void>;
}

/** Waits for the first attempt to connect, whether it succeeds or not. Never rejects; `open` rejects with an Error that states the reason. */
export async function keepConnected<Opened extends Connection>(
  open: () => Promise<Opened>,
  { storeRetryMs, storeStableMs }: StoreTimes,
  { onLost, onConnected, onOpen }: Events<Opened>,
) {
  let connection: Opened | null = null;
  let hasEnded = false;
  let hasConnected = false;
  /** Reasons reported since the store was available. */
  const reported = new Set<string>();
  let lostMs = Number.NEGATIVE_INFINITY;
  /** The next attempt to connect, or the report that a connection has lasted. */
  let timer: NodeJS.Timeout | undefined;

  const reportLoss = (reason: string): void => {
    if (hasEnded) return;
    // The first is often a symptom: a lost connection, and then why there is no other one.
    if (!reported.has(reason)) {
      reported.add(reason);
      onLost(reason);
    }
    timer = setTimeout(connect, spreadPause(storeRetryMs, 1 / 2)).unref();
  };
  const reportConnected = (): void => {
    reported.clear();
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
      } else if (reported.size > 0) timer = setTimeout(reportConnected, storeStableMs).unref();
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
