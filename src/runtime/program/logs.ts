/** The log of a program in a thread or a process of its own: its lines are reports to the service. */
import type { Log } from '../../core/log.ts';
import { logWarnings } from '../log.ts';
import type { LogReport, Logs, WaitingReport } from './start.ts';

/** Node's warnings are notices, too. */
export function createLogs(report: (line: LogReport | WaitingReport) => void): Logs & { readonly waiting: Log } {
  const log: Log = (...args) => report({ kind: 'log', args });
  const notice: Log = (...args) => report({ kind: 'notice', args });
  logWarnings(() => notice);
  return { log, notice, waiting: (...args) => report({ kind: 'waiting', args }) };
}
