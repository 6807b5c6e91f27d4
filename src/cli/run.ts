/** Runs the command line in this process: standard streams, signals and the exit code. */
import { failureOf } from '../core/errors.ts';
import { hideFfiWarning } from './ffi-warning.ts';
import { type CliIo, main } from './main.ts';
import { stopOnSignal } from './signals.ts';

/** A log that cannot be written (full disk, closed pipe) must not end the service; the other stream gets a line about it. */
function keepRunningWithoutLog(): void {
  const streams = [process.stdout, process.stderr];
  let isReported = false;
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (isReported) return;
      isReported = true;
      const other = streams.find((each) => each !== stream);
      other?.write(`seenby: cannot write the log (${error.code}); continuing without it\n`);
    });
}

/** Sets the exit code when the command has ended; a service runs until a signal stops it. */
export async function run(args: readonly string[], environment: CliIo['environment'] = process.env): Promise<void> {
  hideFfiWarning();
  keepRunningWithoutLog();
  process.on('uncaughtException', (error) => {
    process.stderr.write(`seenby: ${failureOf(error)}\n`);
    process.exit(1);
  });
  const outcome = await main(args, { environment, out: process.stdout, err: process.stderr });
  if ('exitCode' in outcome) process.exitCode = outcome.exitCode;
  else stopOnSignal(outcome.service);
}
