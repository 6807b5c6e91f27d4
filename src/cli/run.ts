/** Runs the command line in this process: standard streams, signals and the exit code. */
import { constants } from 'node:os';
import { failureOf } from '../core/errors.ts';
import { createNotices, createServiceLog, logWarnings, type ServiceLog } from '../runtime/log.ts';
import { main } from './main.ts';
import type { CliIo } from './start.ts';

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** Sets the exit code when the command has ended; a service runs until a signal stops it. */
export async function run(args: readonly string[], place: Pick<CliIo, 'dataFolder' | 'program'> = {}): Promise<void> {
  const environment = process.env;
  const streams = { out: process.stdout, err: process.stderr };
  // Until a command reads its settings.
  const logs = createServiceLog({ logFormat: 'plain', logLevel: 'info' }, streams, environment);
  const state = { logs, isService: false };
  const notice = createNotices((...args) => state.logs.log(...args));
  logWarnings(() => (state.isService ? notice : null));
  handleWriteErrors(state);
  process.on('uncaughtException', (error) => {
    state.logs.logFailure('uncaught_error', failureOf(error));
    process.exit(1);
  });
  const onLog = (logs: ServiceLog): void => void Object.assign(state, { logs, isService: true });
  // Taken out of the environment, so that child processes cannot send messages to the service manager.
  const managerVariables = { ...environment };
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name];
  // A command that a signal ended has failed.
  const onCommand = (): void => {
    for (const signal of [...stopSignals, 'SIGHUP'] as const)
      process.on(signal, () => process.exit(128 + constants.signals[signal]));
  };
  const outcome = await main(args, {
    environment,
    ...place,
    onLog,
    onCommand,
    ...streams,
    supervision: { managerVariables, stopSignals },
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
