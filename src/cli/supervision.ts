/** Stops and reloads the service on signals, and reports its state to the service manager. */
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import type { Log } from '../core/log.ts';
import { runEvery } from '../runtime/clocks.ts';
import { oneAtATime } from '../runtime/reload.ts';
import type { Service } from '../runtime/serve.ts';
import type { ServiceManager } from '../runtime/service-manager.ts';

/** Above `closeTimeoutMs`, and below the 10 seconds after which Docker kills a container. */
const forcedExitMs = 9_500;
/** Signals within this time are one: a terminal signals every process of a group, and a parent process forwards its own. */
const sameSignalMs = 500;

/** Shortest time from one reload to the next: 500 signals a second reload as often as one. */
const reloadPauseMs = 1_000;

export const stopSignals = ['SIGINT', 'SIGTERM'] as const;

interface Supervision {
  readonly service: Service;
  /** Time between the first signal to stop and its effect, see DRAIN_DELAY. */
  readonly drainSeconds: number;
  readonly log: Log;
  readonly manager: ServiceManager;
}

/**
 * Stops the service on SIGINT or SIGTERM and ends the process with exit code 0; a second signal ends it immediately with exit code 1.
 * SIGHUP reloads; on a terminal it stops too, because there it means that the terminal was closed.
 */
export function supervise({ service, drainSeconds, log, manager }: Supervision): void {
  const { notify } = manager;
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
    const timeoutMicroseconds = (drainSeconds * 1000 + forcedExitMs + 500) * 1000;
    notify('STOPPING=1', `EXTEND_TIMEOUT_USEC=${timeoutMicroseconds}`, 'STATUS=Completing open requests');
    if (drainSeconds > 0) {
      const message = `draining: /readyz responds with 503; stopping in ${drainSeconds} seconds`;
      log('draining', message, { seconds: drainSeconds });
      await delay(drainSeconds * 1000);
    }
    log('stopping', 'stopping');
    setTimeout(endEarly, forcedExitMs, 'requests were open for too long').unref();
    await service.close();
    log('stopped', 'stopped');
    process.exit(0);
  };
  const urls = [service.http, service.https].filter((url) => url !== null);
  const notifyReady = (): void => notify('READY=1', `STATUS=Listening on ${urls.join(', ')}`);
  const reload = oneAtATime(async () => {
    // Microseconds of CLOCK_MONOTONIC.
    notify('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
    await service.reload();
    notifyReady();
    await delay(reloadPauseMs);
  });
  for (const signal of stopSignals) process.on(signal, () => void stop());
  const isOnTerminal = [0, 1, 2].some(isatty);
  process.on('SIGHUP', () => void (isOnTerminal ? stop() : reload()));
  notifyReady();
  startWatchdog(service, manager);
}

/** Notifies the manager as long as every thread responds; it restarts a process that does not. */
function startWatchdog(service: Service, { notify, watchdogMs }: ServiceManager): void {
  if (watchdogMs === null) return;
  let isWaiting = false;
  runEvery(watchdogMs / 2, async () => {
    if (isWaiting) return;
    isWaiting = true;
    await service.ping();
    isWaiting = false;
    notify('WATCHDOG=1');
  });
}
