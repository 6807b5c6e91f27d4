/** Log lines about faults that clients or other servers can repeat: each at most once a minute. */

/** Logs a line unless it was logged within the last minute. */
export type Notice = (line: string) => void;

const pauseMs = 60_000;

/** The lines must be few and constant, because each is stored. */
export function createNotices(log: (line: string) => void, nowMs: () => number = () => performance.now()): Notice {
  const loggedMs = new Map<string, number>();
  return (line) => {
    const now = nowMs();
    if (now - (loggedMs.get(line) ?? Number.NEGATIVE_INFINITY) < pauseMs) return;
    loggedMs.set(line, now);
    log(line);
  };
}
