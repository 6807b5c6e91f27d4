/** Runs the command line in this process: standard streams, signals and the exit code. */
import { constants } from 'node:os';
import { failureOf } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import { hideFfiWarning } from '../native/ffi.ts';
import type { Service } from '../runtime/serve.ts';
import { openServiceManager, takeManagerVariables } from '../runtime/service-manager.ts';
import { main } from './main.ts';
import { createServiceLog, type ServiceLog } from './service-log.ts';
import { stopSignals, supervise } from './supervision.ts';

/** Sets the exit code when the command has ended; a service runs until a signal stops it. */
export async function run(args: readonly string[], dataFolder?: string): Promise<void> {
  const environment = process.env;
  const streams = { out: process.stdout, err: process.stderr };
  // Until a command reads its settings.
  let logs = createServiceLog({ logFormat: 'plain', logLevel: 'info' }, streams, environment);
  hideFfiWarning();
  let isService = false;
  handleWriteErrors(
    () => logs,
    () => isService,
  );
  process.on('uncaughtException', (error) => {
    logs.logFailure('uncaught_error', failureOf(error));
    process.exit(1);
  });
  const onLog = (created: ServiceLog): void => {
    logs = created;
    isService = true;
  };
  const managerVariables = takeManagerVariables(process.env);
  const onStart = async (service: Service, { drainDelay: drainSeconds }: Settings): Promise<void> => {
    const { log } = logs;
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
function handleWriteErrors(logs: () => ServiceLog, isService: () => boolean): void {
  let isReported = false;
  const report = (other: keyof ServiceLog, error: NodeJS.ErrnoException): void => {
    if (isReported) return;
    isReported = true;
    const reason = error.code ?? error.message;
    if (isService()) logs()[other]('log_failed', `cannot write the log (${reason}); continuing without it`, { reason });
    else if (other === 'logFailure') process.stderr.write(`seenby: cannot write the output (${reason})\n`);
  };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isService() && error.code === 'EPIPE') process.exit(141);
    if (!isService()) process.exitCode = 1;
    report('logFailure', error);
  });
  process.stderr.on('error', (error) => report('log', error));
}
