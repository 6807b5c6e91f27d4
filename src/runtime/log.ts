/** The operator's log: one line for each event, as text or JSON, and the streams that get it. */
import { fstatSync } from 'node:fs';
import { logEvents } from '../core/data/log-events.ts';
import { failureOf } from '../core/errors.ts';
import type { Log, LogEvent } from '../core/log.ts';
import { type LogLevel, logLevels } from '../core/setting-values.ts';
import type { Settings } from '../core/settings.ts';
import { escapeControls, replaceControls, replaceControlsOfLines } from '../core/text.ts';
import { interceptWarnings } from '../native/ffi.ts';

interface LogOptions {
  readonly format: 'plain' | 'json';
  /** The least important level that is written. */
  readonly level: LogLevel;
  /** Whether each line starts with its priority in the form that systemd reads, sd-daemon(3). */
  readonly hasPriority?: boolean;
  /** Writes one line, which has no newline. */
  readonly write: (line: string) => unknown;
}

/** Severities of syslog(3). */
const priorities: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 6 };

/** `plain` is the message alone, because a supervisor adds the time; `json` has `time` in RFC 3339 form, UTC. */
export function createLog({ format, level: least, hasPriority = false, write }: LogOptions): Log {
  return (event, message, fields) => {
    const { level } = logEvents[event];
    if (logLevels.indexOf(level) > logLevels.indexOf(least)) return;
    const line =
      format === 'json'
        ? escapeControls(JSON.stringify({ time: new Date().toISOString(), level, event, message, ...fields }))
        : // Messages of other programs' errors may have several lines.
          replaceControls(message.replaceAll(/\p{Cc}+/gu, ' '));
    write(hasPriority ? `<${priorities[level]}>${line}` : line);
  };
}

const noticePauseMs = 60_000;

/**
 * Returns a log for faults that clients or other servers can repeat: it omits an event if it was logged within the last minute, and some if
 * they were logged at all.
 */
export function createNotices(log: Log, nowMs: () => number = () => performance.now()): Log {
  const loggedMs = new Map<LogEvent, number>();
  return (event, message, fields) => {
    const now = nowMs();
    if ('isLoggedOnce' in logEvents[event] && loggedMs.has(event)) return;
    if (now - (loggedMs.get(event) ?? Number.NEGATIVE_INFINITY) < noticePauseMs) return;
    loggedMs.set(event, now);
    log(event, message, fields);
  };
}

export interface LogStream {
  write(text: string): unknown;
  readonly fd?: number;
}

export type ServiceLog = ReturnType<typeof createServiceLog>;

export function createServiceLog(
  { logFormat: format, logLevel: level }: Pick<Settings, 'logFormat' | 'logLevel'>,
  { out, err }: { readonly out: LogStream; readonly err: LogStream },
  environment: NodeJS.ProcessEnv,
) {
  const logTo = (stream: LogStream, before: string): Log => {
    const isJournal = isJournalStream(stream, environment);
    const start = format === 'plain' && !isJournal ? before : '';
    const write = (line: string): unknown => stream.write(`${start}${replaceControlsOfLines(line)}\n`);
    return createLog({ format, level, hasPriority: isJournal, write });
  };
  return {
    /** Standard output. */
    log: logTo(out, ''),
    /** Standard error: what ends the process, or keeps it from starting. */
    logFailure: logTo(err, 'seenby: '),
  };
}

/** Whether systemd reads the stream as a log (systemd.exec(5), JOURNAL_STREAM). */
function isJournalStream({ fd }: LogStream, { JOURNAL_STREAM }: NodeJS.ProcessEnv): boolean {
  if (fd === undefined || !JOURNAL_STREAM) return false;
  const { dev, ino } = fstatSync(fd);
  return JOURNAL_STREAM === `${dev}:${ino}`;
}

/**
 * Logs the warnings that Node would print from now on; `log` returns null while they are to be printed. None with `NODE_NO_WARNINGS` or
 * `--no-warnings`, and none that `--disable-warning` names. The line does not have the text of a warning, which may quote what a client has
 * sent.
 */
export function logWarnings(currentLog: () => Log | null): void {
  const disabled = disabledWarnings();
  interceptWarnings((warning, print) => {
    const { name, code = null } = warning;
    const log = currentLog();
    if (print === null || disabled.has(name) || disabled.has(code ?? '')) return;
    if (log === null) print();
    else log('node_warning', `Node warns: ${failureOf(warning).replace('unexpected ', '')}`, { name, code });
  });
}

/** Names and codes after `--disable-warning`, which Node tells only the listener that prints. */
function disabledWarnings(): ReadonlySet<string> {
  const text = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  return new Set(Array.from(text.matchAll(/--disable-warning[= ]([\w-]+)/g), ([, named = '']) => named));
}
