/** Stops or reloads the service when the process receives a signal. */
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import type { Log } from '../edges/node/log/log.ts';
import type { Service } from '../edges/node/serve.ts';

/** Above `closeTimeoutMs`, and below the 10 seconds after which Docker kills a container. */
const forcedExitMs = 9_500;
/** Signals within this time are one: a terminal signals every process of a group, and a parent process forwards its own. */
const sameSignalMs = 500;

/**
 * Stops the service on SIGINT or SIGTERM, after `drainSeconds`, and ends the process with exit code 0; a second signal ends it immediately
 * with exit code 1. SIGHUP reloads; on a terminal it stops too, because there it means that the terminal was closed.
 */
export function handleSignals(service: Service, drainSeconds: number, log: Log): void {
  let stoppingMs: number | null = null;
  const endEarly = (reason: string): void => {
    log('stopped_early', `stopped early: ${reason}`);
    process.exit(1);
  };
  const stop = async (): Promise<void> => {
    if (stoppingMs !== null) {
      if (performance.now() - stoppingMs > sameSignalMs) endEarly('received a second signal');
      return;
    }
    stoppingMs = performance.now();
    service.drain();
    if (drainSeconds > 0) {
      log('draining', `draining: /readyz responds with 503; stopping in ${drainSeconds} seconds`, {
        seconds: drainSeconds,
      });
      await delay(drainSeconds * 1000);
    }
    log('stopping', 'stopping');
    setTimeout(endEarly, forcedExitMs, 'requests were open for too long').unref();
    await service.close();
    log('stopped', 'stopped');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
  const isOnTerminal = [0, 1, 2].some(isatty);
  process.on('SIGHUP', () => void (isOnTerminal ? stop() : service.reload()));
}
