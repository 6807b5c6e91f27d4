/** Runs the command line in this process: standard streams, the exit code, and the signals that stop or reload a service. */
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { failureOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { hideFfiWarning } from '../native/ffi.ts';
import { runEvery } from '../runtime/clocks.ts';
import { createServiceLog, type ServiceLog } from '../runtime/log.ts';
import { oneAtATime } from '../runtime/reload.ts';
import type { Service } from '../runtime/serve.ts';
import { openServiceManager, type ServiceManager, takeManagerVariables } from '../runtime/service-manager.ts';
import { main } from './main.ts';


/** Above `closeTimeoutMs`, and below the 10 seconds after which Docker kills a container. */
const forcedExitMs = 9_500;
/** Signals within this time are one: a terminal signals every process of a group, and a parent process forwards its own. */
const sameSignalMs = 500;

/** Shortest time from one reload to the next: 500 signals a second reload as often as one. */
const reloadPauseMs = 1_000;

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** Sets the exit code when the command has ended; a service runs until a signal stops it. */
export async function run(args: readonly string[], dataFolder?: string): Promise<void> {
  const environment = process.env;
  const streams = { out: process.stdout, err: process.stderr };
  // Until a command reads its settings.
  const logs = createServiceLog({ logFormat: 'plain', logLevel: 'info' }, streams, environment);
  const state = { logs, isService: false };
  hideFfiWarning();
  handleWriteErrors(state);
  process.on('uncaughtException', (error) => {
    state.logs.logFailure('uncaught_error', failureOf(error));
    process.exit(1);
  });
  const onLog = (logs: ServiceLog): void => void Object.assign(state, { logs, isService: true });
  const managerVariables = takeManagerVariables(process.env);
  const onStart = async (service: Service, { drainDelay: drainSeconds }: Settings): Promise<void> => {
    const { log } = state.logs;
    supervise({ service, drainSeconds, log, manager: await openServiceManager(managerVariables, log) });
  };
  // A command that a signal ended has failed.
  const onCommand = (): void => {
    for (const signal of stopSignals) process.on(signal, () => process.exit(128 + constants.signals[signal]));
  };
  const outcome = await main(args, {
    ...{ environment, dataFolder, onLog, onCommand, onStart, ...streams },
    // Opened only if a command reads it.
    get input() {
      return process.stdin;
    },
  });
  // A write may have failed before.
  if ('exitCode' in outcome) process.exitCode ||= outcome.exitCode;
}

/**
 * A log that cannot be written (full disk, closed pipe) must not end the service; the other stream gets a line about it. Any other command
 * fails without its output, except that a reader that closes the pipe ends it silently, as SIGPIPE would.
 */
function handleWriteErrors(state: { readonly logs: ServiceLog; readonly isService: boolean }): void {
  let isReported = false;
  const report = (other: keyof ServiceLog, error: NodeJS.ErrnoException): void => {
    if (isReported) return;
    isReported = true;
    const reason = error.code ?? error.message;
    if (state.isService)
      state.logs[other]('log_failed', `cannot write the log (${reason}); continuing without it`, { reason });
    else if (other === 'logFailure') process.stderr.write(`seenby: cannot write the output (${reason})\n`);
  };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!state.isService && error.code === 'EPIPE') process.exit(141);
    if (!state.isService) process.exitCode = 1;
    report('logFailure', error);
  });
  process.stderr.on('error', (error) => report('log', error));
}

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
function supervise({ service, drainSeconds, log, manager }: Supervision): void {
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
