/** Starts the process for HTTP/3, starts it again when it ends unexpectedly, and ends it with the service. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../core/settings.ts';
import { urlHostOf } from '../listen.ts';
import { fitConnections, readOpenFilesLimit } from '../process-limits.ts';
import { ProgramHost, type ReportOf, type RequestOf } from '../program/host.ts';
import { type Program, type ProgramEvents, startProcess } from '../program/start.ts';
import type { ThreadServices } from '../serving-thread.ts';
import type { Serving, ThreadStart } from '../threads/serving.ts';
import type { Http3Report, Http3Request, Http3Start, Http3Usage } from './child.ts';

// Its own name in the package, where all programs are in one folder.
const isSource = extname(import.meta.url) === '.ts';
const program = fileURLToPath(new URL(isSource ? './child.ts' : './http3.js', import.meta.url));

/**
 * Options for a process without an environment: it reads the compiled code that this one keeps, and so starts with a third of the CPU time.
 * Otherwise, Node would load its TypeScript compiler for it.
 */
function useCompiledCode(): string[] {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  if (!folder) return [];
  const code = `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(folder)});`;
  return [`--import=data:text/javascript,${encodeURIComponent(code)}`];
}

const temporaryPrefix = 'seenby-http3-';
const ownPrefix = 'http3-';
/** A younger folder may be that of a process that is starting. */
const minAbandonedMs = 60_000;

/** Removes the folders of services that were killed: those in whose sockets nobody listens. Errors leave a folder where it is. */
export async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const folders = names.filter((name) => name.startsWith(prefix) && name.length === prefix.length + 6);
  await Promise.all(
    folders
      .map(async (name) => {
        const folder = join(parent, name);
        const { mtimeMs } = await stat(folder);
        if (Date.now() - mtimeMs < minAbandonedMs) return;
        const sockets = await readdir(folder);
        const areOpen = await Promise.all(sockets.map((socket) => isListening(join(folder, socket))));
        if (!areOpen.includes(true)) await rm(folder, { recursive: true });
      })
      .map((removal) => removal.catch(() => {})),
  );
}

/** Whether a process accepts connections on a Unix socket. */
function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((result) => {
    socket.destroy();
    return result as boolean;
  });
}

/** Creates a folder for the sockets between the process and the service, which only this user can read. */
export async function createSocketFolder({ dataDir }: Pick<Settings, 'dataDir'>): Promise<string> {
  await Promise.all([removeAbandoned(tmpdir(), temporaryPrefix), removeAbandoned(dataDir, ownPrefix)]);
  // A container may have nothing writable but DATA_DIR.
  return mkdtemp(join(tmpdir(), temporaryPrefix)).catch(() => mkdtemp(join(dataDir, ownPrefix)));
}

/**
 * Returns what serves HTTP/3 besides the protocols of `serving`, with its URL, such as `https://localhost:8443`; null if it is off, or not
 * possible here. `memoryMb` is the limit of its process. Throws an Error that names the setting if the port cannot be opened, after closing
 * what serves already.
 */
export async function withHttp3(
  serving: Serving,
  { settings, bounds, certificate, sharedMemory, http3Folder, memoryMb }: Omit<ThreadStart, 'thread'>,
  { metrics, log, notice }: Pick<ThreadServices, 'log' | 'notice' | 'metrics'>,
): Promise<Serving & { readonly http3: string | null }> {
  const { http3Port, host: address, reusePort, tlsGroups, connectionRate } = settings;
  if (http3Port === null || certificate === null || http3Folder === null) return { ...serving, http3: null };
  const { maxConnectionsPerAddress } = settings;
  const { max: maxConnections } = fitConnections(settings, readOpenFilesLimit(), sharedMemory.threads);
  let start: Http3Start = {
    settings: { host: address, reusePort, tlsGroups, connectionRate, maxConnections, maxConnectionsPerAddress },
    port: http3Port,
    bounds,
    certificate,
    memoryMb,
    folder: http3Folder,
    threads: sharedMemory.threads,
  };
  let url: string | null = null;
  /** As of the latest ping; null without a process. */
  let usage: Http3Usage | null = null;
  let isDraining = false;
  /** Announces the UDP port on which it serves from now on, null if it does not. When the service is stopping, clients must not try it any more. */
  const announce = (port: number | null): void => {
    if (!isDraining) void serving.update({ kind: 'http3', port });
  };
  const host = new ProgramHost<Http3Report, Http3Request>({
    bounds,
    logs: { log, notice },
    metrics,
    start: (events) => startChild(start, events),
    onReport(report) {
      if (report.kind === 'pong') usage = report.usage;
      // The process that has the port ends soon, and clients must not try HTTP/3 with this one.
      else if (report.kind === 'waiting') announce(null);
      else if (report.kind === 'listening') {
        const { port } = report;
        if (port === null) return host.letEnd();
        // A chosen port stays the same after a restart.
        start = { ...start, port };
        url = `https://${urlHostOf(address)}:${port}`;
        announce(port);
      }
    },
    onEnd(isStartedAgain) {
      usage = null;
      if (isStartedAgain) announce(null);
    },
    logEnd(reason, seconds, next) {
      const message = `the process for HTTP/3 ended (${reason}) with its connections; ${next}`;
      log('http3_ended', message, { reason, seconds });
    },
  });
  metrics?.watch('seenby_http3_memory_bytes', () => usage?.memoryBytes ?? null);
  metrics?.watch('seenby_http3_cpu_seconds_total', () => usage?.cpuSeconds ?? null);
  await host.open(serving.close);
  return {
    ...serving,
    http3: url,
    async update(update) {
      if (update.kind === 'certificate') {
        start = { ...start, certificate: update.certificate };
        host.send({ kind: 'certificate', certificate: update.certificate });
      } else if (update.kind === 'drain') {
        announce(null);
        isDraining = true;
      }
      await serving.update(update);
    },
    close() {
      // It accepts no connections from now on, and closes those that are open when the service has ended their requests.
      host.send({ kind: 'drain' });
      return host.close(serving.close);
    },
  };
}

/** Starts the process without any environment; of files, it gets the folder of compiled code. */
function startChild(start: Http3Start, events: ProgramEvents<ReportOf<Http3Report>>): Program<RequestOf<Http3Request>> {
  const options = {
    env: {},
    // Streams come and go by thousands: a larger young generation takes 60 MB more under attack.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2', ...useCompiledCode()],
    stdio: ['ignore' as const, 'ignore' as const, 'ignore' as const, 'ipc' as const],
  };
  const child = startProcess<ReportOf<Http3Report>, RequestOf<Http3Request>>(program, options, events);
  child.send({ kind: 'start', start });
  return child;
}
