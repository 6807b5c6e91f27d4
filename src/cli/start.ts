/** `seenby serve` and `seenby dev`: start the service, log its URLs, and stop or reload it on signals. */
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { startFailureOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { describeUnused, type Settings } from '../core/settings.ts';
import { bounds } from '../edges/node/limits/bounds.ts';
import { isTrusted } from '../edges/proxy/forwarded.ts';
import { hasTcpOptions } from '../native/tcp.ts';
import { runEvery } from '../native/ticks.ts';
import { describeUnknownGroups } from '../runtime/certificate.ts';
import { validateDataFolder } from '../runtime/data-folder.ts';
import { createServiceLog, type LogStream, type ServiceLog } from '../runtime/log.ts';
import { oneAtATime } from '../runtime/reload.ts';
import { type Service, serve } from '../runtime/serve.ts';
import { openServiceManager, type ServiceManager } from '../runtime/service-manager.ts';
import { describeUpdate, openWithDatabases, type ProgressStream } from './databases.ts';
import { planThreads } from './thread-plan.ts';

/** Environment and streams of one run, passed in so that tests can replace them. */
export interface CliIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** DATA_DIR if the operator did not set it; undefined: as in the list of settings. */
  readonly dataFolder?: string | undefined;
  /** How the operator calls the command line; undefined: as in a clone. */
  readonly program?: string | undefined;
  /** `columns` is the width of a terminal. */
  readonly out: ProgressStream & LogStream & { readonly columns?: number | undefined };
  /** The standard input, for the argument `-`. */
  readonly input?: AsyncIterable<Uint8Array | string> & NodeJS.ReadableStream;
  readonly err: LogStream;
  /** Receives the log of a service before it starts, for failures outside of it. */
  readonly onLog?: (log: ServiceLog) => void;
  /** Called before a command that does not serve. */
  readonly onCommand?: () => void;
  /** If set, signals stop and reload a service. */
  readonly supervision?: Supervision;
}

/** The result of a run: an exit code, or a running service. */
export type Outcome = { readonly exitCode: number } | { readonly service: Service };

const ffiMissing =
  'node:ffi is missing: round-trip time, delivery rate and the TCP SYN are null, databases take more memory, and systemd gets no notifications; use Node 26';

/**
 * Starts the service, or logs why it could not start. `isDev`: location and network values are simulated. `isDataDirSet`: the operator
 * chose DATA_DIR, which must then be writable.
 */
export async function startService(
  settings: Settings,
  io: CliIo,
  { isDev, isDataDirSet }: Readonly<Record<'isDev' | 'isDataDirSet', boolean>>,
): Promise<Outcome> {
  const { out } = io;
  const logs = createServiceLog(settings, io, io.environment);
  const { log } = logs;
  io.onLog?.(logs);
  const refuse = (problem: string): Outcome => {
    logs.logFailure('start_failed', problem);
    return { exitCode: 2 };
  };
  const plan = planThreads(settings, isDev);
  if ('problem' in plan) return refuse(plan.problem);
  const unknownGroups = describeUnknownGroups(settings.tlsGroups);
  if (unknownGroups !== null) return refuse(unknownGroups);
  try {
    if (isDataDirSet) await validateDataFolder(settings.dataDir);
    const wrap = isDev ? (await import('../edges/simulated.ts')).wrapSimulation : undefined;
    // Text for people; everything else is one line for each event.
    const isReadable = settings.logFormat === 'plain' && settings.logLevel === 'info';
    const terminal = isReadable && out.isTTY ? out : null;
    const service = await openWithDatabases(settings, { log, terminal }, (asnBytes) =>
      serve(plan.settings, bounds, { log, wrap, asnBytes, memory: plan }),
    );
    // Before its URLs are logged, so that signals are handled from then on.
    if (io.supervision !== undefined) await supervise(service, log, { ...io.supervision, ...settings });
    const { http, https, http3, dns, stun, metrics, databases, oldDatabases } = service;
    if (!hasTcpOptions && process.platform === 'linux') log('ffi_missing', ffiMissing);
    const unused = [...describeUnused(settings)];
    if (plan.fewer !== null) log('fewer_threads', ...plan.fewer);
    if (namesProxy(io.environment)) unused.push(proxyUnused);
    if (unused.length > 0) log('settings_unused', unused.join('; '));
    if (oldDatabases !== null)
      log('databases_old', `${oldDatabases.sentence} To update: ${describeUpdate(oldDatabases.kinds, settings, io)}`);
    if (isReadable) out.write(describeUrls(service, settings));
    else log('listening', 'listening', { http, https, http3, dns, stun, metrics, databases: databases.join('; ') });
    return { service };
  } catch (error) {
    logs.logFailure('start_failed', startFailureOf(error));
    return { exitCode: 1 };
  }
}

const proxyUnused =
  'HTTPS_PROXY is not used for DNS, RDAP, header checks and ACME, which connect directly; see docs/operations.md#behind-a-company-proxy';

const namesProxy = (environment: CliIo['environment']): boolean =>
  ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].some((name) => environment[name]);

function describeUrls(
  { http, https, http3, dns, stun, metrics, databases }: Service,
  { publicUrl, tlsCert, dnsZone, trustProxy, proxyProtocol }: Settings,
): string {
  const urls = [
    http,
    https,
    http3 && `${http3} (HTTP/3)`,
    dns === null ? null : `port ${dns} (DNS for ${dnsZone})`,
    stun === null ? null : `port ${stun} (STUN)`,
    metrics,
  ].filter((url) => url !== null);
  // Only a trusted address may send the header, and localhost may be ::1.
  const isProxy = proxyProtocol && ['127.0.0.1', '::1'].every((ip) => isTrusted(trustProxy, ip));
  const curl = isProxy ? 'curl --haproxy-protocol' : 'curl';
  // The certificate of the operator is not for localhost; the generated one is not trusted.
  const examples = [
    publicUrl && `curl ${publicUrl}`,
    publicUrl && `curl ${publicUrl}/json`,
    !publicUrl && http && `${curl} ${http}`,
    !publicUrl && http && `${curl} ${http}/json`,
    !publicUrl && https && !tlsCert && `${curl} -k --http2 ${https}/json`,
    !publicUrl && https && !tlsCert && !http && `${curl} -k ${https}`,
    !publicUrl && https && !tlsCert && !http && `${curl} -k ${https}/tls`,
    !publicUrl && http && !https && `${curl} ${http}/headers`,
  ].filter((line) => typeof line === 'string');
  const data = databases.length > 0 ? `Data\n${indentLines(databases)}` : '';
  return `${data}Listening on\n${indentLines(urls)}${examples.length > 0 ? `Try\n${indentLines(examples)}` : ''}`;
}

function indentLines(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}

/** Above `closeTimeoutMs`, and below the 10 seconds after which Docker kills a container. */
const forcedExitMs = 9_500;
/** Signals within this time are one: a terminal signals every process of a group, and a parent process forwards its own. */
const sameSignalMs = 500;

/** Shortest time from one reload to the next: 500 signals a second reload as often as one. */
const reloadPauseMs = 1_000;

interface Supervision {
  /** Variables with which the service manager started the process. */
  readonly managerVariables: NodeJS.ProcessEnv;
  readonly stopSignals: readonly NodeJS.Signals[];
}

/**
 * Stops the service on SIGINT or SIGTERM and ends the process with exit code 0; a second signal ends it immediately with exit code 1.
 * SIGHUP reloads; on a terminal it stops too, because there it means that the terminal was closed.
 */
async function supervise(
  service: Service,
  log: Log,
  { managerVariables, stopSignals, drainDelay: drainSeconds }: Supervision & Pick<Settings, 'drainDelay'>,
): Promise<void> {
  const manager = await openServiceManager(managerVariables, log);
  const { notify } = manager;
  let stoppingMs: number | null = null;
  const endEarly = (reason: string): void => {
    log('stopped_early', `stopped early: ${reason}`);
    process.exit(1);
  };
  const stop = async (): Promise<void> => {
    if (stoppingMs !== null) {
      if (performance.now() - stoppingMs > sameSignalMs) endEarly('received a second signal');
      return;
    }
    stoppingMs = performance.now();
    service.drain();
    const timeoutMicroseconds = (drainSeconds * 1000 + forcedExitMs + 500) * 1000;
    notify('STOPPING=1', `EXTEND_TIMEOUT_USEC=${timeoutMicroseconds}`, 'STATUS=Completing open requests');
    if (drainSeconds > 0) {
      const message = `draining: /readyz responds with 503; stopping in ${drainSeconds} seconds`;
      log('draining', message, { seconds: drainSeconds });
      await delay(drainSeconds * 1000);
    }
    log('stopping', 'stopping');
    setTimeout(endEarly, forcedExitMs, 'requests were open for too long').unref();
    await service.close();
    log('stopped', 'stopped');
    process.exit(0);
  };
  const urls = [service.http, service.https].filter((url) => url !== null);
  const notifyReady = (): void => notify('READY=1', `STATUS=Listening on ${urls.join(', ')}`);
  const reload = oneAtATime(async () => {
    // Microseconds of CLOCK_MONOTONIC.
    notify('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
    await service.reload();
    notifyReady();
    await delay(reloadPauseMs);
  });
  for (const signal of stopSignals) process.on(signal, () => void stop());
  const isOnTerminal = [0, 1, 2].some(isatty);
  process.on('SIGHUP', () => void (isOnTerminal ? stop() : reload()));
  notifyReady();
  startWatchdog(service, manager);
}

/** Notifies the manager as long as every thread that has loaded responds; it restarts a process that does not. */
function startWatchdog(service: Service, { notify, watchdogMs }: ServiceManager): void {
  if (watchdogMs === null) return;
  let isWaiting = false;
  runEvery(watchdogMs / 2, async () => {
    if (isWaiting) return;
    isWaiting = true;
    await service.ping();
    isWaiting = false;
    notify('WATCHDOG=1');
  });
}
