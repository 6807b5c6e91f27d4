/** Stops the service when the process receives a signal. */
import type { Log } from '../edges/node/log/log.ts';
import type { Service } from '../edges/node/serve.ts';

/** Above `closeTimeoutMs`, and below the 10 seconds after which Docker kills a container. */
const forcedExitMs = 9_500;

/** Closes the service on the first SIGINT, SIGTERM or SIGHUP and ends the process with exit code 0. */
export function stopOnSignal(service: Service, log: Log): void {
  let isStopping = false;
  const stop = async (): Promise<void> => {
    // A supervisor may signal every process of a group, and the parent process forwards its own signal too.
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), forcedExitMs).unref();
    await service.close();
    log('stopped', 'stopped');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
}
