/** Starts the process for HTTP/3, starts it again when it ends unexpectedly, and ends it with the service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import { listenProblem } from '../listen.ts';
import type { Serving, ThreadStart } from '../threads/serving.ts';
import { watchThread } from '../threads/thread-watch.ts';
import { type Child, launchChild } from './launch.ts';
import { type Http3Report, type Http3Start, http3SettingsOf } from './messages.ts';

/** Creates a folder for the sockets between the process and the service, which only this user can read; null if HTTP/3 is off. */
export async function createSocketFolder(
  { http3Port, dataDir }: Settings,
  opened: AsyncDisposableStack,
): Promise<string | null> {
  if (http3Port === null) return null;
  // A container may have nothing writable but DATA_DIR.
  const path = await mkdtemp(join(tmpdir(), 'seenby-http3-')).catch(() => mkdtemp(join(dataDir, 'http3-')));
  opened.defer(() => rm(path, { recursive: true, force: true }));
  return path;
}

interface Logs {
  readonly log: Log;
  /** Logs at most once a minute. */
  readonly notice: Log;
}

/**
 * Returns what serves HTTP/3 besides the protocols of `serving`, with its URL, such as `https://localhost:8443`; null if it is off, or not
 * possible here. Throws an Error that names the setting if the port cannot be opened, after closing what serves already.
 */
export async function withHttp3(
  serving: Serving,
  { settings, bounds, certificate, limitMemory, http3Folder }: Omit<ThreadStart, 'thread'>,
  logs: Logs,
): Promise<Serving & { readonly http3: string | null }> {
  const { http3Port: port, host } = settings;
  if (port === null || certificate === null || http3Folder === null) return { ...serving, http3: null };
  const sockets = Array.from({ length: limitMemory.threads }, (_, at) => join(http3Folder, `${at + 1}`));
  const start = { settings: http3SettingsOf(settings), port, bounds, certificate, sockets };
  const http3 = new Http3Process(start, logs, (served) => void serving.update({ kind: 'http3', port: served }));
  const report = await http3.launch();
  if (report.kind === 'failed') {
    await http3.close(serving.close);
    throw new Error(listenProblem(report, { setting: 'http3Port', port, host }));
  }
  return {
    ...serving,
    http3: http3.url,
    async update(update) {
      if (update.kind === 'certificate') http3.setCertificate(update.certificate);
      else if (update.kind === 'drain') http3.drain();
      await serving.update(update);
    },
    close: () => http3.close(serving.close),
  };
}

class Http3Process {
  url: string | null = null;
  #start: Http3Start;
  readonly #logs: Logs;
  /** The UDP port on which it serves from now on; null if it does not. */
  readonly #onServing: (port: number | null) => void;
  #child: Child | null = null;
  #pauseMs: number;
  #isDraining = false;
  #isClosing = false;

  constructor(start: Http3Start, logs: Logs, onServing: (port: number | null) => void) {
    this.#start = start;
    this.#logs = logs;
    this.#onServing = onServing;
    this.#pauseMs = start.bounds.http3RestartMs;
  }

  /** Returns the first report about the port. */
  async launch(): Promise<Http3Report> {
    const first = Promise.withResolvers<Http3Report>();
    const child = launchChild(this.#start, (report) => {
      if (report.kind === 'notice') this.#logs.notice(...report.args);
      else {
        this.#handle(report);
        first.resolve(report);
      }
    });
    this.#child = child;
    const { threadTimeoutMs } = this.#start.bounds;
    const watched = { listening: first.promise, ended: child.ended, call: child.ping };
    watchThread(watched, threadTimeoutMs, () => child.kill());
    void child.ended.then((reason) => {
      first.resolve({ kind: 'error', failure: reason });
      return this.#handleEnd(child, reason);
    });
    return first.promise;
  }

  setCertificate(certificate: Http3Start['certificate']): void {
    this.#start = { ...this.#start, certificate };
    this.#child?.send({ kind: 'certificate', certificate });
  }

  /** Announces that the service is stopping, and serves everything. */
  drain(): void {
    this.#isDraining = true;
    this.#onServing(null);
  }

  /** Accepts no connections from now on, and closes those that are open when the service has ended their requests. */
  async close(endRequests: () => Promise<void>): Promise<void> {
    this.#isClosing = true;
    this.#child?.send({ kind: 'drain' });
    const startedMs = performance.now();
    await endRequests();
    const elapsedMs = performance.now() - startedMs;
    this.#child?.send({ kind: 'close', withinMs: Math.max(0, this.#start.bounds.closeTimeoutMs - elapsedMs) });
    await this.#child?.ended;
  }

  #handle(report: Http3Report): void {
    const { log, notice } = this.#logs;
    const { port, settings } = this.#start;
    if (report.kind === 'listening') {
      // A chosen port stays the same after a restart.
      this.#start = { ...this.#start, port: report.port };
      const host = settings.host?.includes(':') ? `[${settings.host}]` : (settings.host ?? 'localhost');
      this.url = `https://${host}:${report.port}`;
      if (!this.#isDraining) this.#onServing(report.port);
    } else if (report.kind === 'obstacle') {
      const reason = report.obstacle;
      this.#isClosing = true;
      log('http3_unavailable', `HTTP/3 is off: ${reason}`, { reason });
    } else if (report.kind === 'waiting') {
      notice('http3_waiting', `HTTP/3 waits for UDP port ${port}, which another process still has`, { port });
    }
  }

  async #handleEnd(child: Child, reason: string): Promise<void> {
    this.#child = null;
    if (this.#isClosing) return;
    if (!this.#isDraining) this.#onServing(null);
    const { http3RestartMs, http3MaxRestartMs } = this.#start.bounds;
    if (performance.now() - child.startedMs > http3MaxRestartMs) this.#pauseMs = http3RestartMs;
    const seconds = this.#pauseMs / 1000;
    const message = `the process for HTTP/3 ended (${reason}) with its connections; starting it again in ${seconds} seconds`;
    this.#logs.log('http3_ended', message, { reason, seconds });
    await delay(this.#pauseMs, undefined, { ref: false });
    this.#pauseMs = Math.min(2 * this.#pauseMs, http3MaxRestartMs);
    if (!this.#isClosing) await this.launch();
  }
}
