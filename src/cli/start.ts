/** `seenby serve` and `seenby dev`: start the service and log its URLs. */
import { availableParallelism } from 'node:os';
import { describeUnused, type Settings } from '../core/settings.ts';
import { bounds } from '../edges/node/limits/bounds.ts';
import { hasTcpOptions } from '../native/tcp-options.ts';
import { checkDataFolder } from '../runtime/data-folder.ts';
import { createServiceLog, type LogStream, type ServiceLog } from '../runtime/log.ts';
import { memoryProblem } from '../runtime/process-limits.ts';
import { type Service, serve } from '../runtime/serve.ts';
import { type ProgressStream, prepareAsn } from './databases.ts';

/** Environment and streams of one run, passed in so that tests can replace them. */
export interface CliIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** DATA_DIR if the operator did not set it; undefined: as in the list of settings. */
  readonly dataFolder?: string | undefined;
  /** `columns` is the width of a terminal. */
  readonly out: ProgressStream & LogStream & { readonly columns?: number | undefined };
  /** The standard input, for the argument `-`. */
  readonly input?: AsyncIterable<Uint8Array | string> & NodeJS.ReadableStream;
  readonly err: LogStream;
  /** Receives the log of a service before it starts, for failures outside of it. */
  readonly onLog?: (log: ServiceLog) => void;
  /** Called before a command that does not serve. */
  readonly onCommand?: () => void;
  /** Receives a service before its URLs are logged, so that signals are handled from then on. */
  readonly onStart?: (service: Service, settings: Settings) => Promise<void> | void;
}

/** The result of a run: an exit code, or a running service. */
export type Outcome = { readonly exitCode: number } | { readonly service: Service };

const ffiMissing =
  'node:ffi is missing: round-trip time, delivery rate and the TCP SYN are null, databases take more memory, and systemd gets no notifications; use Node 26';

interface StartOptions {
  /** Whether location and network values are simulated. */
  readonly isDev: boolean;
  /** Whether the operator chose DATA_DIR, which must then be writable. */
  readonly isDataDirSet: boolean;
}

/** Logs why the service could not start. */
export async function startService(
  settings: Settings,
  io: CliIo,
  { isDev, isDataDirSet }: StartOptions,
): Promise<Outcome> {
  const { out } = io;
  const logs = createServiceLog(settings, io, io.environment);
  const { log } = logs;
  io.onLog?.(logs);
  const threads = settings.threads === 'auto' ? availableParallelism() : settings.threads;
  const problem = memoryProblem(settings.maxMemory, isDev || process.platform !== 'linux' ? 1 : threads);
  if (problem !== null) {
    logs.logFailure('start_failed', problem);
    return { exitCode: 2 };
  }
  try {
    if (isDataDirSet) await checkDataFolder(settings.dataDir);
    const wrap = isDev ? (await import('../edges/simulated.ts')).wrapSimulation : undefined;
    // Text for people; everything else is one line for each event.
    const isReadable = settings.logFormat === 'plain' && settings.logLevel === 'info';
    const asnBytes = await prepareAsn(settings, log, isReadable && out.isTTY ? out : null);
    const service = await serve(settings, bounds, { log, wrap, asnBytes });
    await io.onStart?.(service, settings);
    const { http, https, http3, metrics, oldDatabases } = service;
    if (!hasTcpOptions && process.platform === 'linux') log('ffi_missing', ffiMissing);
    const unused = [...describeUnused(settings)];
    if (unused.length > 0) log('settings_unused', unused.join('; '));
    if (oldDatabases !== null) log('databases_old', `${oldDatabases} To update: ${updateCommand(io)}`);
    if (isReadable) out.write(describeUrls(service));
    else log('listening', 'listening', { http, https, http3, metrics });
    return { service };
  } catch (error) {
    logs.logFailure('start_failed', error instanceof Error ? error.message : String(error));
    return { exitCode: 1 };
  }
}

/** An installed package has a data folder; a clone has none. */
const updateCommand = ({ dataFolder }: CliIo): string =>
  `${dataFolder === undefined ? 'npm start --' : 'seenby'} geo update`;

function describeUrls({ http, https, http3, metrics }: Service): string {
  const urls = [http, https, http3 && `${http3} (HTTP/3)`, metrics].filter((url) => url !== null);
  const examples = [
    http && `curl ${http}`,
    http && `curl ${http}/json`,
    https && `curl -k --http2 ${https}/json`,
    https && !http && `curl -k ${https}`,
    https && !http && `curl -k ${https}/tls`,
    http && !https && `curl ${http}/headers`,
  ].filter((line) => typeof line === 'string');
  return `Listening on\n${indentLines(urls)}${examples.length > 0 ? `Try\n${indentLines(examples)}` : ''}`;
}

function indentLines(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}
