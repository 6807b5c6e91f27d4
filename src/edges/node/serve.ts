/** Starts the service on this machine's ports, from its settings. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { failureOf } from '../../core/errors.ts';
import type { Settings } from '../../core/settings.ts';
import type { App } from '../../http/app.ts';
import { openAcme } from './acme/acme.ts';
import { type Certificate, createLocalhostCertificate, readCertificate } from './connection/certificate.ts';
import { prepareDrain } from './drain.ts';
import { watchFaults } from './fault-watch.ts';
import type { DatabaseKind } from './geoip/geoip.ts';
import { describeOldDatabases, updateMonthly } from './geoip/geoip-age.ts';
import { watchedFiles } from './geoip/geoip-files.ts';
import { openServedDatabases } from './geoip/served-databases.ts';
import { type Bounds, boundsOfThread } from './limits/bounds.ts';
import { allocateLimits, openLimits, supervisorOf } from './limits/limit-tables.ts';
import { monotonicMs } from './limits/shared-table.ts';
import { listen } from './listen.ts';
import type { Log } from './log/log.ts';
import { createNotices } from './log/notices.ts';
import { createMetrics, createMetricsServer, mergeMetrics } from './metrics.ts';
import { createReloads } from './reload.ts';
import { serveInThread } from './serving-thread.ts';
import { countThreads } from './threads/count-threads.ts';
import type { ThreadUpdate } from './threads/serving.ts';
import { superviseThreads } from './threads/supervisor.ts';

const descriptions: Readonly<Record<DatabaseKind, string>> = {
  city: 'the city database',
  asn: 'the autonomous system database',
};
const kinds = Object.keys(descriptions) as DatabaseKind[];

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
    metered?.countLogEvent(event);
    givenLog(event, ...rest);
  };
  const threads = countThreads(settings.threads, wrap === null, log);
  const metered = settings.metricsPort === null ? null : createMetrics(threads === 1 ? 'all' : 'process');
  const limitMemory = allocateLimits(settings, bounds, threads);
  const limits = openLimits(limitMemory, settings, bounds, supervisorOf(limitMemory));
  const pruning = setInterval(() => limits.prune(monotonicMs()), bounds.pruneMs);
  pruning.unref();
  opened.defer(() => clearInterval(pruning));
  const reloads = createReloads(bounds.watchIntervalMs, log);
  opened.defer(reloads.end);
  const faults = watchFaults(bounds.faultCheckMs, log);
  opened.defer(faults.end);
  const acme = settings.acmeDomain.length === 0 ? null : await openAcme(settings, bounds, log);
  if (acme !== null) opened.defer(acme.end);
  const [databases, certificate] = await Promise.all([
    openServedDatabases(settings, asnBytes, threads > 1),
    settings.tlsPort === null ? null : (acme?.certificate ?? readOwnCertificate(settings)),
  ]);
  const { geoip } = databases;
  if (certificate !== null) faults.setCertificate(certificate.cert);
  metered?.watch('databases', () =>
    kinds.flatMap((database) => {
      const builtAt = geoip.builtAt(database);
      return builtAt === null ? [] : [[{ database }, builtAt.getTime() / 1000] as const];
    }),
  );
  metered?.watch('certificateStart', () => faults.validity()?.start ?? null);
  metered?.watch('certificateExpiry', () => faults.validity()?.expiry ?? null);
  const notice = createNotices(log);
  // Instances that count together need the same keys.
  const rateSecret = settings.rateLimitSecret ?? randomBytes(24).toString('base64');
  const start = {
    settings,
    bounds: boundsOfThread(bounds, threads),
    limitMemory,
    rateSecret,
    certificate,
    databases: databases.files(),
  };
  // The threads share their ports, so that they would not notice another process on them.
  if (threads > 1 && !settings.reusePort) await checkPorts(settings, bounds);
  const serving = await (threads === 1
    ? serveInThread({ ...start, thread: 1 }, { geoip, metrics: metered, log, notice, wrap: wrap ?? ((app) => app) })
    : superviseThreads(start, {
        ...{ isMetered: metered !== null, log, notice },
        onEnd: limits.removeThread,
        onFailing(thread) {
          log('threads_failing', `ending the process: thread ${thread} ended five times within a minute`, { thread });
          process.exit(1);
        },
      }));
  // At the same time: they share one closing timeout.
  const closes = [serving.close];
  opened.defer(async () => {
    await Promise.all(closes.map((close) => close()));
  });
  const { tlsCert, tlsKey, metricsPort, metricsHost } = settings;
  const update = async (change: ThreadUpdate): Promise<void> => {
    await serving.update(change);
    if (change.kind === 'certificate') faults.setCertificate(change.certificate.cert);
  };
  if (certificate !== null && tlsCert !== null && tlsKey !== null)
    reloads.add([tlsCert, tlsKey], 'the certificate', async () =>
      update({ kind: 'certificate', certificate: await readCertificate(tlsCert, tlsKey) }),
    );
  acme?.start(update);
  for (const database of kinds)
    reloads.add(watchedFiles(settings, database), descriptions[database], async () => {
      await geoip.reload(database);
      await update({ kind: 'database', database, files: databases.files()[database] });
    });
  let metricsUrl: string | null = null;
  if (metered !== null && metricsPort !== null) {
    const registry = threads === 1 ? metered.registry : mergeMetrics(metered.registry, serving);
    const server = createMetricsServer(registry, (error) => log('internal_error', failureOf(error)));
    closes.push(prepareDrain(server, bounds));
    const listening = {
      setting: 'metricsPort',
      port: metricsPort,
      host: metricsHost,
      isShared: settings.reusePort,
    } as const;
    metricsUrl = `http://${await listen(server, listening, bounds)}/metrics`;
  }
  if (settings.geoipAutoUpdate !== null) opened.defer(updateMonthly(settings, geoip, log));
  const owned = opened.move();
  const drain = (): void => void serving.update({ kind: 'drain' });
  return {
    ...serving.urls,
    metrics: metricsUrl,
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

/** Throws an Error that names the setting if another process listens on a port. */
async function checkPorts(settings: Settings, bounds: Bounds): Promise<void> {
  for (const setting of ['port', 'tlsPort'] as const) {
    const port = settings[setting];
    if (port === null || port === 0) continue;
    const server = createServer((socket) => socket.destroy());
    await listen(server, { setting, port, host: settings.host }, bounds);
    await new Promise((resolve) => server.close(resolve));
  }
}

function readOwnCertificate({ tlsCert, tlsKey }: Settings): Promise<Certificate> {
  return tlsCert === null || tlsKey === null ? createLocalhostCertificate() : readCertificate(tlsCert, tlsKey);
}
