/** Opens ports that another program may use: if any port will do, another one; else the same one as soon as it is free. */
import { setTimeout as delay } from 'node:timers/promises';

interface TakenPortOptions {
  /** Whether any free port will do: those that the system chose for one address may be taken on another. */
  readonly isAnyPort: boolean;
  readonly bounds: {
    /** Attempts to find a port if any will do. */
    readonly portAttempts: number;
    /** Interval in milliseconds in which a port is tried that another process still has. */
    readonly portRetryMs: number;
  };
  /** Another process has the port, and it is tried again until it is free; null: then this is an error. */
  readonly onWaiting: (() => void) | null;
  isClosing(): boolean;
}

/** Returns the result of `open`; null if it is closed before the port is free. Throws the system's error. */
export async function openPorts<Opened>(
  open: () => Promise<Opened>,
  options: TakenPortOptions,
): Promise<Opened | null> {
  const { isAnyPort, bounds, onWaiting, isClosing } = options;
  for (let attempt = 1; !isClosing(); attempt += 1) {
    try {
      return await open();
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const mayChoose = isAnyPort && attempt < bounds.portAttempts;
      if (!isTaken || (!mayChoose && onWaiting === null)) throw error;
      if (mayChoose) continue;
      onWaiting?.();
      await delay(bounds.portRetryMs);
    }
  }
  return null;
}
