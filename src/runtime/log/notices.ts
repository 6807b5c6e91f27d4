/** Log lines about faults that clients or other servers can repeat: each event at most once a minute. */
import type { Log, LogEvent } from '../../core/log.ts';

const pauseMs = 60_000;

/** Returns a log that omits an event if it was logged within the last minute. */
export function createNotices(log: Log, nowMs: () => number = () => performance.now()): Log {
  const loggedMs = new Map<LogEvent, number>();
  return (event, message, fields) => {
    const now = nowMs();
    if (now - (loggedMs.get(event) ?? Number.NEGATIVE_INFINITY) < pauseMs) return;
    loggedMs.set(event, now);
    log(event, message, fields);
  };
}
