/** A program beside the service, a thread or a process: watched, started again when it ends unexpectedly, and ended with the service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { createBackOff } from '../clocks.ts';
import type { Program, ProgramEvents } from './start.ts';
import { watchProgram } from './watch.ts';

/** What every such program is sent. `close`: what it is doing gets this time; then it ends. */
type CommonRequest = { readonly kind: 'ping' } | { readonly kind: 'close'; readonly withinMs: number };

/** Lines for the log; the others are states, counts, and `pong` as the reply to `ping`. */
type LogReport = { readonly kind: 'log' | 'notice'; readonly args: Parameters<Log> };

interface HostOptions<Report, Request> {
  readonly bounds: Bounds;
  readonly logs: Readonly<Record<'log' | 'notice', Log>>;
  /** Starts it. A failure that it has reported comes before the reason of its end. */
  start(events: ProgramEvents<Report>): Program<Request | CommonRequest>;
  /** Receives every report that is not for the log. */
  onReport(report: Exclude<Report, LogReport>): void;
  /** It has ended; it is started again unless it is to end. */
  onEnd(isStartedAgain: boolean): void;
  /** The report in place of the first one if it ends before that. */
  describeFailedStart(reason: string): Report;
  /** Logs an unexpected end; `next` states when it is started again. */
  logEnd(reason: string, seconds: number, next: string): void;
}

/** Reports after which the service knows whether it can go on. */
const firstKinds = ['listening', 'waiting', 'failed', 'error'];

export class ProgramHost<Report extends { readonly kind: string }, Request> {
  readonly #options: HostOptions<Report, Request>;
  readonly #backOff: ReturnType<typeof createBackOff>;
  #program: Program<Request | CommonRequest> | null = null;
  #ended: Promise<string> | null = null;
  #isEnding = false;

  constructor(options: HostOptions<Report, Request>) {
    this.#options = options;
    this.#backOff = createBackOff(options.bounds);
  }

  /** Starts it; returns its first report about the ports. */
  async launch(): Promise<Report> {
    const { bounds, logs, ...options } = this.#options;
    const startedMs = performance.now();
    const first = Promise.withResolvers<Report>();
    const ended = Promise.withResolvers<string>();
    let failure: string | null = null;
    // One for all pings that wait: a listener for each would be one more every second while the program hangs.
    let reported = Promise.withResolvers<void>();
    const onReport = (report: Report): void => {
      reported.resolve();
      reported = Promise.withResolvers();
      if (isForLog(report)) {
        logs[report.kind](...report.args);
        return;
      }
      options.onReport(report as Exclude<Report, LogReport>);
      if ('reason' in report) failure = String(report.reason);
      if (firstKinds.includes(report.kind)) first.resolve(report);
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
      first.resolve(options.describeFailedStart(reason));
      return this.#startAgain(reason, startedMs);
    });
    return first.promise;
  }

  send(request: Request | CommonRequest): void {
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
    if (!this.#isEnding) await this.launch();
  }
}

const isForLog = (report: { readonly kind: string }): report is LogReport =>
  report.kind === 'log' || report.kind === 'notice';
