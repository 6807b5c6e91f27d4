/** Tells the service manager (systemd) about the state of the process: the protocol of sd_notify(3). */
import { createDatagramSender } from '../native/datagram.ts';

export interface ServiceManager {
  /** Sends assignments such as `READY=1`, in one message; false if the manager did not receive it. */
  notify(...assignments: readonly string[]): boolean;
  /** Interval at which the manager expects `WATCHDOG=1`, in milliseconds; null if it does not. */
  readonly watchdogMs: number | null;
}

/** Variables that concern this process only. */
const variables = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const;
export type ManagerEnvironment = { readonly [Name in (typeof variables)[number]]?: string | undefined };

/** Takes the manager's variables out of the environment, so that child processes cannot send messages in its name. */
export function takeManagerVariables(environment: NodeJS.ProcessEnv): ManagerEnvironment {
  const taken = Object.fromEntries(variables.map((name) => [name, environment[name]]));
  for (const name of variables) delete environment[name];
  return taken;
}

/** Null without a manager; `unavailable` if this Node cannot reach it. */
export async function openServiceManager({
  NOTIFY_SOCKET: path = '',
  WATCHDOG_USEC: watchdogMicroseconds = '0',
  WATCHDOG_PID: watchedPid = `${process.pid}`,
}: ManagerEnvironment): Promise<ServiceManager | 'unavailable' | null> {
  if (path === '') return null;
  const send = await createDatagramSender(path);
  if (send === null) return 'unavailable';
  const watchdogMs = watchedPid === `${process.pid}` ? Number(watchdogMicroseconds) / 1000 : 0;
  return { notify: (...assignments) => send(`${assignments.join('\n')}\n`), watchdogMs: watchdogMs || null };
}
