/** A program beside the service, a thread or a process: watched, started again when it ends unexpectedly, and ended with the service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Metrics } from '../../core/metrics.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { createBackOff } from '../clocks.ts';
import { addCounts, type CountsReport } from './counts.ts';
import type { LogReport, Logs, Program, ProgramEvents, WaitingReport } from './start.ts';
import { watchProgram } from './watch.ts';

/** What every such program is sent. `close`: what it is doing gets this time; then it ends. */
type HostRequest = { readonly kind: 'ping' } | { readonly kind: 'close'; readonly withinMs: number };

/** What every such program reports, besides `listening` and `pong`, which have values of their own. */
type HostReport =
  | LogReport
  /** The port cannot be opened (a sentence that names the setting), or an unexpected error; the program ends. Without request data. */
  | { readonly kind: 'failed' | 'error'; readonly reason: string }
  | CountsReport
  | WaitingReport;

/** A message from a program, and one to it; `Own` are those that no other program has. */
export type ReportOf<Own> = HostReport | Own;
export type RequestOf<Own> = HostRequest | Own;

type OwnReport<Report> = Exclude<ReportOf<Report>, LogReport | CountsReport>;

interface HostOptions<Report, Request> {
  readonly bounds: Bounds;
  readonly logs: Logs;
  /** Null if nothing reads them. */
  readonly metrics: Metrics | null;
  /** Starts it. A failure that it has reported comes before the reason of its end. */
  start(events: ProgramEvents<ReportOf<Report>>): Program<RequestOf<Request>>;
  /** Receives every report that is not for log or metrics; that it waits for a port, once. */
  onReport(report: OwnReport<Report>): void;
  /** It has ended; it is started again unless it is to end. */
  onEnd(isStartedAgain: boolean): void;
  /** The error of the service if it ends before it reports that it listens or waits; if absent, the service goes on. */
  describeFailedStart?(reason: string): string;
  /** Logs an unexpected end; `next` states when it is started again. */
  logEnd(reason: string, seconds: number, next: string): void;
}

export class ProgramHost<Report extends { readonly kind: string }, Request> {
  readonly #options: HostOptions<Report, Request>;
  readonly #backOff: ReturnType<typeof createBackOff>;
  #program: Program<RequestOf<Request>> | null = null;
  #ended: Promise<string> | null = null;
  #isEnding = false;

  constructor(options: HostOptions<Report, Request>) {
    this.#options = options;
    this.#backOff = createBackOff(options.bounds);
  }

  /** Starts it beside a service. Throws an Error, after closing that by `endRequests`, if the service cannot go on with it or without it. */
  async open(endRequests: () => Promise<void>): Promise<void> {
    const problem = await this.#launch();
    if (problem === null) return;
    await this.close(endRequests);
    throw new Error(problem);
  }

  /** Resolves when the service knows whether it can go on, with why it cannot, or null. */
  async #launch(): Promise<string | null> {
    const { bounds, logs, metrics, ...options } = this.#options;
    const startedMs = performance.now();
    const first = Promise.withResolvers<string | null>();
    const ended = Promise.withResolvers<string>();
    let failure: string | null = null;
    let isWaiting = false;
    // One for all pings that wait: a listener for each would be one more every second while the program hangs.
    let reported = Promise.withResolvers<void>();
    const handle = (report: OwnReport<Report>): void => {
      options.onReport(report);
      if ('reason' in report) failure = report.reason;
      if (report.kind === 'failed') first.resolve(failure);
      else if (['listening', 'waiting', 'error'].includes(report.kind)) first.resolve(null);
    };
    const onReport = (report: ReportOf<Report>): void => {
      reported.resolve();
      reported = Promise.withResolvers();
      // Reports that only some programs have are of other kinds.
      const common = report as HostReport;
      const { kind } = common;
      if (kind === 'log' || kind === 'notice') logs[kind](...common.args);
      else if (kind === 'counts') addCounts(metrics, common);
      else {
        if (kind === 'waiting') logs.notice(...common.args);
        if (kind !== 'waiting' || !isWaiting) handle(report as OwnReport<Report>);
        isWaiting ||= kind === 'waiting';
      }
    };
    const program = options.start({ onReport, onEnd: (reason) => ended.resolve(failure ?? reason) });
    this.#program = program;
    this.#ended = ended.promise;
    const ping = (): Promise<void> => {
      program.send({ kind: 'ping' });
      // Any message shows that its event loop runs.
      return reported.promise;
    };
    const watched = { listening: first.promise, ended: ended.promise, ping };
    watchProgram(watched, bounds.threadTimeoutMs, () => program.kill());
    void ended.promise.then((reason) => {
      options.onEnd(!this.#isEnding);
      first.resolve(options.describeFailedStart?.(reason) ?? null);
      return this.#startAgain(reason, startedMs);
    });
    return first.promise;
  }

  send(request: RequestOf<Request>): void {
    this.#program?.send(request);
  }

  /** From now on, it is not started again. */
  letEnd(): void {
    this.#isEnding = true;
  }

  /** Ends it when the service has ended its requests, which it serves until then. */
  async close(endRequests: () => Promise<void>): Promise<void> {
    this.letEnd();
    const startedMs = performance.now();
    await endRequests();
    const elapsedMs = performance.now() - startedMs;
    this.send({ kind: 'close', withinMs: Math.max(0, this.#options.bounds.closeTimeoutMs - elapsedMs) });
    await this.#ended;
  }

  async #startAgain(reason: string, startedMs: number): Promise<void> {
    if (this.#isEnding) return;
    const pauseMs = this.#backOff(performance.now() - startedMs);
    const seconds = pauseMs / 1000;
    this.#options.logEnd(reason, seconds, `starting it again in ${seconds} seconds`);
    await delay(pauseMs, undefined, { ref: false });
    if (!this.#isEnding) await this.#launch();
  }
}
