/** Starts the service on this machine's ports, from its settings. */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:net';
import { preparations } from '../../client/preparations.ts';
import type { Settings } from '../../core/settings.ts';
import type { App } from '../../http/app.ts';
import { type AcmeCertificates, openAcme } from './acme/acme.ts';
import { createChallenges } from './acme/challenges.ts';
import {
  type Certificate,
  createLocalhostCertificate,
  readCertificate,
  secureContextOf,
} from './connection/certificate.ts';
import { createHttpServer, createHttpsServer, type ServerParts } from './connection/servers.ts';
import { createContext, createServerParts, type Start } from './context.ts';
import { prepareDrain } from './drain.ts';
import { watchFaults } from './fault-watch.ts';
import { openGeoip } from './geoip/geoip.ts';
import { describeOldDatabases, updateMonthly } from './geoip/geoip-age.ts';
import { geoipFiles } from './geoip/geoip-files.ts';
import type { Bounds } from './limits/bounds.ts';
import { allocateLimits, openLimits } from './limits/limit-tables.ts';
import { fitConnections, readOpenFilesLimit } from './limits/open-files.ts';
import { createRateKeyOf } from './limits/rate-key.ts';
import { monotonicMs } from './limits/shared-table.ts';
import { openSharedLimits } from './limits/store/shared-limiter.ts';
import { type Listening, listen } from './listen.ts';
import type { Log } from './log/log.ts';
import { createNotices } from './log/notices.ts';
import { createMetrics, createMetricsServer, noMetrics } from './metrics.ts';
import { createReloads } from './reload.ts';
import { createIntercept } from './requests/intercept.ts';
import { createReject } from './requests/rejection.ts';
import { handleRequests, type ServerContext } from './requests/requests.ts';
import { createTurnQueue } from './requests/turn-queue.ts';
import { createUnsentBodies } from './requests/unsent.ts';

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
 * Throws an Error that names the invalid setting, after closing what it opened. `wrap` may wrap the application; `asnBytes` is
 * the embedded ASN database if it could not be stored in a file.
 */
export async function serve(
  settings: Settings,
  bounds: Bounds,
  givenLog: Log,
  wrap: (app: App) => App = (app) => app,
  asnBytes: Buffer | null = null,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const metered = settings.metricsPort === null ? null : createMetrics();
  const metrics = metered ?? noMetrics;
  const log: Log = (event, ...rest) => {
    metrics.countLogEvent(event);
    givenLog(event, ...rest);
  };
  // Instances that count together need the same keys.
  const secret = settings.rateLimitSecret ?? randomBytes(24).toString('base64');
  const rateKeyOf = createRateKeyOf(() => secret);
  const limits = openLimits(allocateLimits(settings, bounds, 1), settings, bounds, 1);
  const pruning = setInterval(() => limits.prune(monotonicMs()), bounds.pruneMs);
  pruning.unref();
  opened.defer(() => clearInterval(pruning));
  const reloads = createReloads(bounds.watchIntervalMs, log);
  opened.defer(reloads.end);
  const acme = settings.acmeDomain.length === 0 ? null : await openAcme(settings, bounds, log);
  if (acme !== null) opened.defer(acme.end);
  const [geoip, certificate] = await Promise.all([
    openGeoip(geoipFiles(settings, asnBytes)),
    settings.tlsPort === null ? null : (acme?.certificate ?? readOwnCertificate(settings)),
  ]);
  const sharedLimits = await openSharedLimits(settings, bounds, log);
  if (sharedLimits !== null) opened.defer(sharedLimits.end);
  const notice = createNotices(log);
  const queue = createTurnQueue(bounds);
  const start: Start = { settings, bounds, rateKeyOf, limits, sharedLimits, queue, log, notice, opened, reloads };
  metrics.watch('databases', () =>
    (['city', 'asn'] as const).flatMap((database) => {
      const builtAt = geoip.builtAt(database);
      return builtAt === null ? [] : [[{ database }, builtAt.getTime() / 1000] as const];
    }),
  );
  let isDraining = false;
  const unsent = createUnsentBodies(bounds, metrics);
  const context = createContext(start, geoip, metrics, unsent, wrap, () => isDraining);
  const parts = createServerParts(start, metrics, unsent);
  const urls = await openPorts(
    start,
    context,
    parts,
    certificate,
    acme,
    metered && createMetricsServer(metered.registry, context.platform.report),
  );
  if (settings.geoipAutoUpdate !== null) opened.defer(updateMonthly(settings, geoip, log));
  runInTurns(preparations);
  const owned = opened.move();
  return {
    ...urls,
    oldDatabases: describeOldDatabases(geoip, Date.now()),
    reload: reloads.reloadAll,
    async ping() {},
    drain() {
      isDraining = true;
    },
    close() {
      isDraining = true;
      return owned.disposeAsync();
    },
  };
}

/** Starts the servers of the ports that are on. */
async function openPorts(
  { settings: given, bounds, log, opened, reloads, notice }: Start,
  context: ServerContext,
  parts: ServerParts,
  certificate: Certificate | null,
  acme: AcmeCertificates | null,
  metricsServer: Server | null,
): Promise<Pick<Service, 'http' | 'https' | 'metrics'>> {
  // At the same time: they share one closing timeout.
  const closes: (() => Promise<void>)[] = [];
  opened.defer(async () => {
    await Promise.all(closes.map((close) => close()));
  });
  const connections = fitConnections(given, readOpenFilesLimit());
  const settings = { ...given, maxConnections: connections.max };
  const fittedParts = { ...parts, settings };
  const open = (server: Server, listening: Listening): Promise<string> => {
    server.on('drop', () => notice('connections_closed', `closing new connections: ${connections.reason}`));
    closes.push(prepareDrain(server, bounds));
    return listen(server, { ...listening, isShared: settings.reusePort }, bounds);
  };
  const faults = watchFaults(bounds.faultCheckMs, log);
  opened.defer(faults.end);
  parts.metrics.watch('certificateStart', () => faults.validity()?.start ?? null);
  parts.metrics.watch('certificateExpiry', () => faults.validity()?.expiry ?? null);
  const challenges = acme && createChallenges();
  const intercept = createIntercept(settings, context.platform, challenges);
  const { host, publicUrl } = settings;
  const urls: Record<'http' | 'https' | 'metrics', string | null> = { http: null, https: null, metrics: null };
  if (settings.port !== null) {
    const base = (): string => publicUrl ?? `${urls.http}`;
    const reject = createReject(context.platform, base);
    const server = createHttpServer(fittedParts, reject);
    handleRequests(server, context, base, reject, intercept);
    urls.http = `http://${await open(server, { setting: 'port', port: settings.port, host })}`;
  }
  if (settings.tlsPort !== null && certificate !== null) {
    const base = (): string => publicUrl ?? `${urls.https}`;
    const reject = createReject(context.platform, base);
    const server = createHttpsServer(fittedParts, certificate, reject, challenges);
    handleRequests(server, context, base, reject, intercept);
    urls.https = `https://${await open(server, { setting: 'tlsPort', port: settings.tlsPort, host })}`;
    faults.setCertificate(certificate.cert);
    const use = (renewed: Certificate): void => {
      server.setSecureContext(secureContextOf(renewed));
      faults.setCertificate(renewed.cert);
    };
    const { tlsCert, tlsKey } = settings;
    if (tlsCert !== null && tlsKey !== null)
      reloads.add([tlsCert, tlsKey], 'the certificate', async () => use(await readCertificate(tlsCert, tlsKey)));
    acme?.start((update) => (update.kind === 'certificate' ? use(update.certificate) : challenges?.update(update)));
  }
  if (metricsServer !== null && settings.metricsPort !== null) {
    const listening: Listening = { setting: 'metricsPort', port: settings.metricsPort, host: settings.metricsHost };
    urls.metrics = `http://${await open(metricsServer, listening)}/metrics`;
  }
  return urls;
}

function readOwnCertificate({ tlsCert, tlsKey }: Settings): Promise<Certificate> {
  return tlsCert === null || tlsKey === null ? createLocalhostCertificate() : readCertificate(tlsCert, tlsKey);
}

/** Runs one function in each turn of the event loop, so that requests wait for one at most. */
function runInTurns([next, ...rest]: readonly (() => unknown)[]): void {
  if (next === undefined) return;
  setImmediate(() => {
    next();
    runInTurns(rest);
  });
}
