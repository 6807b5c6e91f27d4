/** A program of the service, a thread or a process: watched, started again when it ends unexpectedly, and ended with the service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Metrics } from '../../core/metrics.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { type Pauses, pauseAfter } from '../../edges/node/pauses.ts';
import { addCounts, type CountsReport } from './counts.ts';
import type { LogReport, Logs, Program, ProgramEvents, WaitingReport } from './start.ts';
import { watchProgram } from './watch.ts';

/** What every such program is sent. `close`: what it is doing gets this time; then it ends. */
type HostRequest = { readonly kind: 'ping' } | { readonly kind: 'close'; readonly withinMs: number };

/** What every such program reports, besides `listening` and `pong`, which have values of their own. */
type HostReport =
  | LogReport
  /** It cannot start (a sentence that names the setting, if it is the cause), or an unexpected error; the program ends. Without request data. */
  | { readonly kind: 'failed' | 'error'; readonly reason: string }
  | CountsReport
  | WaitingReport;

/** A message from a program, and one to it; `Own` are those that no other program has. */
export type ReportOf<Own> = HostReport | Own;
export type RequestOf<Own> = HostRequest | Own;

type OwnReport<Report> = Exclude<ReportOf<Report>, LogReport | CountsReport>;

export interface HostOptions<Report, Request> {
  readonly bounds: Bounds;
  readonly logs: Logs;
  /** Null if nothing reads them. */
  readonly metrics: Metrics | null;
  /** Starts it. A failure that it has reported comes before the reason of its end. */
  start(events: ProgramEvents<ReportOf<Report>>): Program<RequestOf<Request>>;
  /** Receives every report that is not for log or metrics, `waiting` only once. */
  onReport(report: OwnReport<Report>): void;
  /** It does not respond, and is ended. */
  onHung?(): void;
  /** It has ended. */
  onEnd(isStartedAgain: boolean): void;
  /** The error of the service if it ends before it first reports that it listens or waits; if absent, the service goes on. */
  describeFailedStart?(reason: string): string;
  /** Pauses before it is started again; if absent, those of the bounds. */
  readonly pauses?: Pauses;
  /** Logs an unexpected end; `next` states when it is started again. */
  logEnd(reason: string, seconds: number, next: string): void;
}

export class ProgramHost<Report extends { readonly kind: string }, Request> {
  readonly #options: HostOptions<Report, Request>;
  readonly #pauses: Pauses;
  /** Unexpected ends since it last ran for the longest pause. */
  #failures = 0;
  #program: Program<RequestOf<Request>> | null = null;
  #ended: Promise<string> | null = null;
  /** Resolves with the next report. One for all pings that wait: a listener for each would be one more every second while the program hangs. */
  #reported = Promise.withResolvers<void>();
  /** Whether the service has gone on: a failed start does not end it any more. */
  #isOpen = false;
  #isReady = false;
  #isEnding = false;

  constructor(options: HostOptions<Report, Request>) {
    this.#options = options;
    const { restartMs, maxRestartMs } = options.bounds;
    this.#pauses = options.pauses ?? { firstMs: restartMs, maxMs: maxRestartMs };
  }

  /** Whether it listens, or waits for a port. While it loads, it gets requests, but no reply comes until it has loaded. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Starts it beside a service. Throws an Error, after `endRequests`, if the service cannot go on with it or without it. */
  async open(endRequests?: () => Promise<void>): Promise<void> {
    const problem = await this.#launch();
    if (problem === null) return;
    await this.close(endRequests);
    throw new Error(problem);
  }

  /** Resolves when the service knows whether it can go on, with why it cannot, or null. */
  #launch(): Promise<string | null> {
    const { bounds, logs, metrics, ...options } = this.#options;
    const startedMs = performance.now();
    const first = Promise.withResolvers<string | null>();
    const ended = Promise.withResolvers<string>();
    let failure: string | null = null;
    const settle = (problem: string | null): void => {
      this.#isOpen ||= problem === null;
      first.resolve(problem);
    };
    const handle = (report: OwnReport<Report>): void => {
      options.onReport(report);
      if ('reason' in report) failure = report.reason;
      this.#isReady ||= report.kind === 'listening' || report.kind === 'waiting';
      if (report.kind === 'failed') settle(failure);
      else if (this.#isReady || report.kind === 'error') settle(null);
    };
    const onReport = (report: ReportOf<Report>): void => {
      this.#endPings();
      // Reports that only some programs have are of other kinds.
      const common = report as HostReport;
      const { kind } = common;
      if (kind === 'log' || kind === 'notice') logs[kind](...common.args);
      else if (kind === 'counts') addCounts(metrics, common);
      else {
        if (kind === 'waiting') logs.notice(...common.args);
        if (kind !== 'waiting' || !this.#isReady) handle(report as OwnReport<Report>);
      }
    };
    const program = options.start({ onReport, onEnd: (reason) => ended.resolve(failure ?? reason) });
    this.#program = program;
    this.#ended = ended.promise;
    const watched = { listening: first.promise, ended: ended.promise, ping: () => this.ping() };
    watchProgram(watched, bounds.threadTimeoutMs, () => {
      options.onHung?.();
      program.kill();
    });
    void ended.promise.then((reason) => {
      this.#isReady = false;
      this.#endPings();
      const problem = this.#isOpen ? null : (failure ?? options.describeFailedStart?.(reason) ?? null);
      const isStartedAgain = problem === null && !this.#isEnding;
      options.onEnd(isStartedAgain);
      settle(problem);
      if (isStartedAgain) void this.#startAgain(reason, startedMs);
    });
    return first.promise;
  }

  send(request: RequestOf<Request>): void {
    this.#program?.send(request);
  }

  /** Resolves when its event loop has responded, which takes until it has loaded, or it has ended. */
  ping(): Promise<void> {
    this.send({ kind: 'ping' });
    // Any message shows that its event loop runs.
    return this.#reported.promise;
  }

  #endPings(): void {
    this.#reported.resolve();
    this.#reported = Promise.withResolvers();
  }

  /** From now on, it is not started again. */
  letEnd(): void {
    this.#isEnding = true;
  }

  /** Ends it when the service has ended its requests, which it serves until then. */
  async close(endRequests = async (): Promise<void> => {}): Promise<void> {
    this.letEnd();
    const startedMs = performance.now();
    await endRequests();
    const withinMs = Math.max(0, this.#options.bounds.closeTimeoutMs - (performance.now() - startedMs));
    if (this.#isReady) this.send({ kind: 'close', withinMs });
    // It would read the request only when it has loaded.
    else this.#program?.kill();
    await this.#ended;
  }

  async #startAgain(reason: string, startedMs: number): Promise<void> {
    const hasLasted = performance.now() - startedMs > this.#pauses.maxMs;
    this.#failures = hasLasted ? 1 : this.#failures + 1;
    const pauseMs = pauseAfter(this.#failures, this.#pauses);
    const seconds = pauseMs / 1000;
    this.#options.logEnd(reason, seconds, `starting it again in ${seconds} seconds`);
    // A timer does not keep the process alive, in which this may be the only program.
    if (pauseMs > 0) await delay(pauseMs, undefined, { ref: false });
    if (!this.#isEnding) await this.#launch();
  }
}
