/** Starts a program in a thread or a process of its own, which gets requests and sends reports. */
import { type ForkOptions, fork } from 'node:child_process';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** A line for the log, which the service writes; it writes a notice at most once a minute. */
export type LogReport = { readonly kind: 'log' | 'notice'; readonly args: Parameters<Log> };

/** The service may go on without a port, which another process still has: a notice, at each attempt to open it. */
export type WaitingReport = { readonly kind: 'waiting'; readonly args: Parameters<Log> };

/** The functions that write the lines. */
export type Logs = Readonly<Record<LogReport['kind'], Log>>;

/** A program that runs. Both do nothing after its end. */
export interface Program<Request> {
  send(request: Request): void;
  kill(): void;
}

export interface ProgramEvents<Report> {
  onReport(report: Report): void;
  /** `reason` contains no request data. */
  onEnd(reason: string): void;
}

export function startThread<Report, Request>(
  file: URL,
  options: WorkerOptions,
  { onReport, onEnd }: ProgramEvents<Report>,
): Program<Request> {
  const worker = new Worker(file, options);
  let failure: string | null = null;
  worker.on('message', onReport);
  worker.on('error', (error) => {
    failure = failureOf(error);
  });
  worker.on('exit', (code) => onEnd(failure ?? `exit code ${code}`));
  return {
    send: (request) => worker.postMessage(request),
    kill: () => void worker.terminate(),
  };
}

export function startProcess<Report, Request extends object>(
  file: string,
  options: ForkOptions,
  { onReport, onEnd }: ProgramEvents<Report>,
): Program<Request> {
  const child = fork(file, { ...options, serialization: 'advanced' });
  child.on('message', (report) => onReport(report as Report));
  // Without a handler, a process that cannot be started would end this one.
  child.on('error', (error: NodeJS.ErrnoException) => onEnd(error.code ?? error.name));
  child.on('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
  return {
    send(request) {
      // It may have ended meanwhile.
      if (child.connected) child.send(request, () => {});
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
