/** Starts the service on this machine's ports, from its settings. */
import { randomBytes } from 'node:crypto';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { type DatabaseKind, databaseKinds, type OpenGeoip } from '../edges/node/geoip/geoip.ts';
import { type Bounds, boundsOfThread } from '../edges/node/limits/bounds.ts';
import { allocateLimits, type LimitTables, openLimits, supervisorOf } from '../edges/node/limits/limit-tables.ts';
import { monotonicMs } from '../edges/node/limits/shared-table.ts';
import type { App } from '../http/app.ts';
import { openAcme } from './acme/acme.ts';
import { type Certificate, createLocalhostCertificate, readCertificate } from './certificate.ts';
import { describeOldDatabases, updateMonthly } from './databases/geoip-age.ts';
import { geoipFiles, watchedFiles } from './databases/geoip-files.ts';
import { openServedDatabases, type ServedDatabases } from './databases/served-databases.ts';
import { watchFaults } from './fault-watch.ts';
import { checkPorts } from './listen.ts';
import { createNotices } from './log/notices.ts';
import type { RegisteredMetrics } from './metrics/metrics.ts';
import { createMetricsPort, type MetricsPort } from './metrics/metrics-port.ts';
import { createReloads, type Reloads } from './reload.ts';
import { countThreads } from './threads/count-threads.ts';
import type { Serving, ThreadStart, ThreadUpdate } from './threads/serving.ts';
import { superviseThreads } from './threads/supervisor.ts';

const descriptions: Readonly<Record<DatabaseKind, string>> = {
  city: 'the city database',
  asn: 'the autonomous system database',
};

export interface Service {
  /** URLs such as `https://localhost:8443`; null for a port that is off. */
  readonly http: string | null;
  readonly https: string | null;
  readonly metrics: string | null;
  /** One line that names old databases; null if they are recent. */
  readonly oldDatabases: string | null;
  /** Reloads the certificate and the databases; logs the result of each. */
  reload(): Promise<void>;
  /** Resolves when the event loop of every thread has responded. */
  ping(): Promise<void>;
  /** Reports at /readyz that the service is stopping, and serves everything else. */
  drain(): void;
  /** Drains, stops listening and lets open requests end. */
  close(): Promise<void>;
}

/**
 * Throws an Error that names the invalid setting, after closing what it opened. `wrap` may wrap the application, which then runs in one
 * thread; `asnBytes` is the embedded ASN database if it could not be stored in a file.
 */
export async function serve(
  settings: Settings,
  bounds: Bounds,
  givenLog: Log,
  wrap: ((app: App) => App) | null = null,
  asnBytes: Buffer | null = null,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const log: Log = (event, ...rest) => {
    metrics?.metered.countLogEvent(event);
    givenLog(event, ...rest);
  };
  let metrics: MetricsPort | null = null;
  const threads = countThreads(settings.threads, wrap === null, log);
  metrics = await createMetricsPort(settings, threads);
  const limitMemory = allocateLimits(bounds, threads);
  const limits = openLimits(limitMemory, { settings, bounds, thread: supervisorOf(limitMemory) });
  opened.defer(pruneRegularly(limits, bounds));
  const reloads = createReloads(bounds.watchIntervalMs, log);
  opened.defer(reloads.end);
  const faults = watchFaults(bounds.faultCheckMs, log);
  opened.defer(faults.end);
  const acme = settings.acmeDomain.length === 0 ? null : await openAcme(settings, bounds, log);
  if (acme !== null) opened.defer(acme.end);
  const [databases, certificate] = await Promise.all([
    openServedDatabases(geoipFiles(settings, asnBytes), threads > 1),
    settings.tlsPort === null ? null : (acme?.certificate ?? readOwnCertificate(settings)),
  ]);
  const { geoip } = databases;
  if (certificate !== null) faults.setCertificate(certificate.cert);
  metrics?.watchFiles(databaseKinds, geoip, faults);

  const start = {
    ...{ settings, limitMemory, certificate, databases: { ...databases.files } },
    bounds: boundsOfThread(bounds, threads),
    // Instances that count together need the same keys.
    rateSecret: settings.rateLimitSecret ?? randomBytes(24).toString('base64'),
  };
  const serving = await (threads === 1
    ? serveAlone(start, geoip, metrics?.metered ?? null, log, wrap)
    : serveInThreads(start, bounds, limits, metrics !== null, log));
  // At the same time: they share one closing timeout.
  const closes = [serving.close];
  opened.defer(async () => {
    await Promise.all(closes.map((close) => close()));
  });
  const update = async (change: ThreadUpdate): Promise<void> => {
    await serving.update(change);
    if (change.kind === 'certificate') faults.setCertificate(change.certificate.cert);
  };
  addReloads(reloads, settings, databases, certificate !== null, update);
  acme?.start(update);
  const metricsServer = (await metrics?.open(serving, bounds, log)) ?? null;
  if (metricsServer !== null) closes.push(metricsServer.close);
  if (settings.geoipAutoUpdate !== null) opened.defer(updateMonthly(settings, geoip, log));

  const owned = opened.move();
  const drain = (): void => void serving.update({ kind: 'drain' });
  return {
    ...serving.urls,
    metrics: metricsServer?.url ?? null,
    oldDatabases: describeOldDatabases(geoip, Date.now()),
    reload: reloads.reloadAll,
    ping: serving.ping,
    drain,
    close() {
      drain();
      return owned.disposeAsync();
    },
  };
}

/** What every thread starts with. */
type CommonStart = Omit<ThreadStart, 'thread'>;

/** Serves in this thread. */
async function serveAlone(
  start: CommonStart,
  geoip: OpenGeoip,
  metrics: RegisteredMetrics | null,
  log: Log,
  wrap: ((app: App) => App) | null,
): Promise<Serving> {
  // Loads the application, which a supervisor does not run: 24 MiB.
  const { serveInThread } = await import('./serving-thread.ts');
  const services = { geoip, metrics, log, notice: createNotices(log), wrap: wrap ?? ((app: App) => app) };
  return serveInThread({ ...start, thread: 1 }, services);
}

/** Serves in worker threads, which this thread supervises. */
async function serveInThreads(
  start: CommonStart,
  bounds: Bounds,
  limits: LimitTables,
  isMetered: boolean,
  log: Log,
): Promise<Serving> {
  // The threads share their ports, so that they would not notice another process on them.
  if (!start.settings.reusePort) await checkPorts(start.settings, bounds);
  return superviseThreads(start, {
    ...{ isMetered, log, notice: createNotices(log), onEnd: limits.removeThread },
    onFailing(thread) {
      log('threads_failing', `ending the process: thread ${thread} ended five times within a minute`, { thread });
      process.exit(1);
    },
  });
}

/** Discards what no limit needs any more; returns what ends it. */
function pruneRegularly(limits: LimitTables, { pruneMs }: Bounds): () => void {
  const timer = setInterval(() => limits.prune(monotonicMs()), pruneMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Reloads the certificate and the databases when their files change. */
function addReloads(
  reloads: Reloads,
  settings: Settings,
  databases: ServedDatabases,
  hasCertificate: boolean,
  update: (change: ThreadUpdate) => Promise<void>,
): void {
  const { tlsCert, tlsKey } = settings;
  if (hasCertificate && tlsCert !== null && tlsKey !== null)
    reloads.add([tlsCert, tlsKey], 'the certificate', async () =>
      update({ kind: 'certificate', certificate: await readCertificate(tlsCert, tlsKey) }),
    );
  for (const database of databaseKinds)
    reloads.add(watchedFiles(settings, database), descriptions[database], async () => {
      await databases.geoip.reload(database);
      await update({ kind: 'database', database, files: databases.files[database] });
    });
}

function readOwnCertificate({ tlsCert, tlsKey }: Settings): Promise<Certificate> {
  return tlsCert === null || tlsKey === null ? createLocalhostCertificate() : readCertificate(tlsCert, tlsKey);
}
