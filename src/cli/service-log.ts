/** The streams of a service's log. */
import { fstatSync } from 'node:fs';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { createLog } from '../runtime/log.ts';
import { withoutControls } from './output.ts';

export interface LogStream {
  write(text: string): unknown;
  readonly fd?: number;
}

export interface ServiceLog {
  /** Standard output. */
  readonly log: Log;
  /** Standard error: what ends the process, or keeps it from starting. */
  readonly logFailure: Log;
}

export function createServiceLog(
  { logFormat: format, logLevel: level }: Pick<Settings, 'logFormat' | 'logLevel'>,
  { out, err }: { readonly out: LogStream; readonly err: LogStream },
  environment: Readonly<Record<string, string | undefined>>,
): ServiceLog {
  const logTo = (stream: LogStream, before: string): Log => {
    const isJournal = isJournalStream(stream, environment);
    const start = format === 'plain' && !isJournal ? before : '';
    const write = (line: string): unknown => stream.write(`${start}${withoutControls(line)}\n`);
    return createLog({ format, level, hasPriority: isJournal, write });
  };
  return { log: logTo(out, ''), logFailure: logTo(err, 'seenby: ') };
}

/** Whether systemd reads the stream as a log (systemd.exec(5), JOURNAL_STREAM). */
function isJournalStream({ fd }: LogStream, { JOURNAL_STREAM }: Readonly<Record<string, string | undefined>>): boolean {
  if (fd === undefined || !JOURNAL_STREAM) return false;
  const { dev, ino } = fstatSync(fd);
  return JOURNAL_STREAM === `${dev}:${ino}`;
}
