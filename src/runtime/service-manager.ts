/** Tells the service manager (systemd) about the state of the process: the protocol of sd_notify(3). */
import type { Log } from '../core/log.ts';
import { createDatagramSender } from '../native/datagram.ts';

export interface ServiceManager {
  /** Sends assignments such as `READY=1`, in one message; does nothing without a manager. */
  notify(...assignments: readonly string[]): void;
  /** Interval at which the manager expects `WATCHDOG=1`, in milliseconds; null if it does not. */
  readonly watchdogMs: number | null;
}

const unavailable =
  'cannot notify the service manager of the start: this needs Node 26 and a Unix socket; set Type=exec and WatchdogSec=0';

/** Logs if this Node cannot reach the manager, and the first message that the manager does not receive. */
export async function openServiceManager(environment: NodeJS.ProcessEnv, log: Log): Promise<ServiceManager> {
  const { NOTIFY_SOCKET: path = '', WATCHDOG_USEC: watchdogMicroseconds = '0' } = environment;
  const send = path === '' ? null : await createDatagramSender(path);
  if (send === null) {
    if (path !== '') log('manager_unreachable', unavailable);
    return { notify() {}, watchdogMs: null };
  }
  const { WATCHDOG_PID: watchedPid = `${process.pid}` } = environment;
  const watchdogMs = watchedPid === `${process.pid}` ? Number(watchdogMicroseconds) / 1000 : 0;
  let isReported = false;
  return {
    notify(...assignments) {
      if (send(`${assignments.join('\n')}\n`) || isReported) return;
      isReported = true;
      log('manager_unreachable', `the service manager did not receive ${assignments[0]}; check NOTIFY_SOCKET`);
    },
    watchdogMs: watchdogMs || null,
  };
}
