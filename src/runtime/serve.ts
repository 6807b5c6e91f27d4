/** Starts the service on this machine's ports, from its settings. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Settings } from '../core/settings.ts';
import { databaseKinds, type OpenGeoip, openGeoip } from '../edges/node/geoip/geoip.ts';
import { type Bounds, boundsOfThread } from '../edges/node/limits/bounds.ts';
import { allocateSharedMemory, openLimits, supervisorOf } from '../edges/node/limits/limits.ts';
import { monotonicMs } from '../edges/node/limits/shared-table.ts';
import type { App } from '../http/app.ts';
import { createRelease } from '../native/garbage.ts';
import { runEvery } from '../native/ticks.ts';
import { type Certificate, createLocalhostCertificate, openCertificate } from './certificate.ts';
import { describeSource } from './databases/database-sources.ts';
import { geoipFiles } from './databases/geoip-files.ts';
import { findOldDatabases, updateMonthly } from './databases/geoip-update.ts';
import { type FaultWatch, watchFaults } from './fault-watch.ts';
import { checkPorts } from './listen.ts';
import { createNotices } from './log.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { MetricsPort } from './metrics.ts';
import { addReloads, createReloads, statesOf } from './reload.ts';
import type { ThreadServices } from './serving-thread.ts';
import type { Serving, ThreadStart, ThreadUpdate } from './threads/serving.ts';
import { superviseThreads } from './threads/supervisor.ts';
import { readWellKnownFiles } from './well-known-files.ts';

interface ServeOptions {
  readonly log: Log;
  /** Wraps the application, which then runs in one thread. */
  readonly wrap?: ((app: App) => App) | undefined;
  /** The embedded ASN database if it could not be stored in a file. */
  readonly asnBytes?: Buffer | null;
  /** Limits of the processes; if absent, MAX_MEMORY for each, and none if it is empty. */
  readonly memory?: Pick<MemoryPlan, 'serviceMb' | 'http3Mb'>;
}

/**
 * A running service:
 * - `http`, `https`, `http3`, `metrics`: URLs such as `https://localhost:8443`; null for a port that is off.
 * - `dns`, `stun`: the ports of the DNS server and of the STUN server; null for one that is off.
 * - `databases`: a sentence for each database in use;
 * - `oldDatabases`: null if all databases are recent.
 * - `reload` reloads the certificate and the databases, and logs the result of each.
 * - `ping` resolves when the event loop of every thread that has loaded has responded.
 * - `drain` reports at /readyz that the service is stopping, and serves everything else.
 * - `close` drains, stops listening and lets open requests end.
 */
export type Service = Awaited<ReturnType<typeof serve>>;

/** Throws an Error that names the invalid setting, after closing what it opened. */
export async function serve(settings: Settings, bounds: Bounds, options: ServeOptions) {
  // What is opened later is closed first: what serves, before what it uses.
  await using opened = new AsyncDisposableStack();
  const threads = countThreads(settings.threads, options);
  const metrics = await openMetrics(settings, threads);
  const log = countEvents(options.log, metrics);
  const { memory = memoryOf(settings), wrap = (app) => app } = options;
  const sharedMemory = allocateSharedMemory(bounds, threads);
  const limits = openLimits(sharedMemory, { settings, bounds, thread: supervisorOf(sharedMemory) });
  opened.defer(runEvery(bounds.releaseMemoryMs, createRelease(bounds, threads)));
  opened.defer(runEvery(bounds.pruneMs, () => limits.prune(monotonicMs())));
  const reloads = createReloads(bounds.watchIntervalMs, log);
  opened.defer(reloads.end);
  const faults = watchFaults(bounds.faultCheckMs, log);
  opened.defer(faults.end);
  // Its library takes memory, so it is loaded only if it is used.
  const acme =
    settings.acmeDomain.length === 0 ? null : await (await import('./acme/acme.ts')).openAcme(settings, bounds, log);
  if (acme !== null) opened.defer(acme.end);
  const states = statesOf(settings);
  const [geoip, certificate] = await Promise.all([
    // The threads share its memory.
    openGeoip(geoipFiles(settings, options.asnBytes)),
    settings.tlsPort === null ? null : openTls(settings, acme?.certificate ?? null, faults),
  ]);
  if (metrics !== null) meterFiles(metrics.metered, geoip, faults);

  const http3Folder = await createHttp3Folder(settings);
  if (http3Folder !== null) opened.defer(() => rm(http3Folder, { recursive: true, force: true }));
  const start = {
    settings,
    bounds: boundsOfThread(bounds, { threads, memoryMb: memory.serviceMb }),
    sharedMemory,
    // Instances that count together need the same keys.
    rateSecret: settings.rateLimitSecret ?? randomBytes(24).toString('base64'),
    certificate,
    databases: { city: geoip.files('city'), asn: geoip.files('asn') },
    wellKnownFiles: readWellKnownFiles(settings.wellKnownDir),
    isMetered: metrics !== null,
    memoryMb: memory.serviceMb,
    http3Folder,
  };
  const services = { metrics: metrics?.metered ?? null, log, notice: createNotices(log), wrap };
  const served = await startThreads(start, services, limits.removeThread);
  const serving = await serveUdp(served, { ...start, memoryMb: memory.http3Mb }, services);
  // At the same time: they share one closing timeout.
  const closes = [serving.close];
  opened.defer(() => Promise.all(closes.map((close) => close())).then(() => {}));
  const update = async (change: ThreadUpdate): Promise<void> => {
    await serving.update(change);
    if (change.kind === 'certificate') faults.setCertificate(change.certificate.cert);
  };
  addReloads(settings, reloads, { geoip, update, certificate, states, log });
  acme?.start(update);
  let isDraining = false;
  const watched = { metrics: serving.metrics, isDraining: () => isDraining, memoryMb: memory.serviceMb };
  const metricsServer = (await metrics?.open(watched, bounds, log)) ?? null;
  if (metricsServer !== null) closes.push(metricsServer.close);
  if (settings.geoipAutoUpdate !== null) opened.defer(updateMonthly(settings, geoip, log));

  const owned = opened.move();
  const drain = (): void => {
    isDraining = true;
    void serving.update({ kind: 'drain' });
  };
  return {
    ...serving.urls,
    ...serving.udp,
    metrics: metricsServer?.url ?? null,
    databases: geoip.sources().map(describeSource),
    oldDatabases: findOldDatabases(geoip, Date.now()),
    reload: reloads.reloadAll,
    ping: serving.ping,
    drain,
    close() {
      drain();
      return owned.disposeAsync();
    },
  };
}

const memoryOf = ({ maxMemory }: Settings) => ({ serviceMb: maxMemory ?? 0, http3Mb: maxMemory ?? 0 });

/** Returns the stored certificate of ACME_DOMAIN, the operator's, or one for localhost, which nobody has to renew. */
async function openTls(settings: Settings, stored: Certificate | null, faults: FaultWatch): Promise<Certificate> {
  const own = stored ?? (await openCertificate(settings));
  if (own !== null) faults.setCertificate(own.cert);
  return own ?? createLocalhostCertificate();
}

/** Serves in this thread, or in several; `onEnd` is called when one of these has ended. */
async function startThreads(
  start: Omit<ThreadStart, 'thread'>,
  services: ThreadServices,
  onEnd: (thread: number) => void,
): Promise<Serving> {
  const { settings, bounds, sharedMemory } = start;
  if (sharedMemory.threads === 1) {
    // Loads the application, which a supervisor does not run: 24 MiB.
    const { serveInThread } = await import('./serving-thread.ts');
    return serveInThread({ ...start, thread: 1 }, services);
  }
  // The threads share their ports, so that they would not notice another process on them.
  if (!settings.reusePort) await checkPorts(settings, bounds);
  return superviseThreads(start, services.log, onEnd);
}

/** Nothing else in the process knows the folder, which is deleted when Node has a QUIC server. */
const loadHttp3 = () => import('./http3/http3-process.ts');

const createHttp3Folder = async (settings: Settings): Promise<string | null> =>
  settings.http3Port === null ? null : (await loadHttp3()).createSocketFolder(settings);

/** Starts the servers over UDP: the process for HTTP/3, and the thread for datagrams, which is loaded only if one of its servers is on. */
async function serveUdp(served: Serving, start: Omit<ThreadStart, 'thread'>, services: ThreadServices) {
  const { http3, ...serving } =
    start.settings.http3Port === null
      ? { ...served, http3: null }
      : await (await loadHttp3()).withHttp3(served, start, services);
  if (start.settings.dnsZone === null && start.settings.stunPort === null)
    return { ...serving, udp: { http3, dns: null, stun: null } };
  const { withDatagrams } = await import('./datagrams/datagram-thread.ts');
  const { ports, ...all } = await withDatagrams(serving, start, services);
  return { ...all, udp: { http3, dns: ports.dns ?? null, stun: ports.stun ?? null } };
}

/** Returns the number of threads that serve; logs why there is only one although the setting is higher. */
function countThreads(setting: Settings['threads'], { wrap, log }: ServeOptions): number {
  const count = setting === 'auto' ? availableParallelism() : setting;
  if (count === 1 || (wrap === undefined && process.platform === 'linux')) return count;
  const reason = wrap === undefined ? 'only Linux distributes connections among threads' : 'the command needs only one';
  log('one_thread', `serving with one thread: ${reason}`, { reason });
  return 1;
}

/** Null if the port is off; nothing is counted then, and the endpoints, whose names the metrics need, are not loaded here. */
async function openMetrics(settings: Settings, threads: number): Promise<MetricsPort | null> {
  if (settings.metricsPort === null) return null;
  const { createMetricsPort } = await import('./metrics.ts');
  return createMetricsPort(settings, settings.metricsPort, threads);
}

const countEvents =
  (log: Log, metrics: MetricsPort | null): Log =>
  (event, ...rest) => {
    metrics?.metered.countLogEvent(event);
    log(event, ...rest);
  };

/** Reports the age of the databases and the validity of the certificate from now on. */
function meterFiles({ watch }: Metrics, geoip: OpenGeoip, faults: FaultWatch): void {
  const seconds = (date: Date | undefined): number | null => (date === undefined ? null : date.getTime() / 1000);
  watch('seenby_database_built_timestamp_seconds', () =>
    databaseKinds.flatMap((database) => {
      const builtAt = geoip.builtAt(database);
      return builtAt === null ? [] : [[{ database }, builtAt.getTime() / 1000] as const];
    }),
  );
  watch('seenby_certificate_start_timestamp_seconds', () => seconds(faults.validity()?.validFromDate));
  watch('seenby_certificate_expiry_timestamp_seconds', () => seconds(faults.validity()?.validToDate));
}
