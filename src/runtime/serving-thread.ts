/** Serves requests in this thread: its servers, and the services that their requests share. */
import type { Server } from 'node:net';
import { preparations } from '../client/preparations.ts';
import type { Log } from '../core/log.ts';
import { noMetrics } from '../core/metrics.ts';
import type { OpenGeoip } from '../edges/node/geoip/geoip.ts';
import { createIntercept } from '../edges/node/intercept.ts';
import { openLimits } from '../edges/node/limits/limit-tables.ts';
import { createRateKeyOf } from '../edges/node/limits/rate-key.ts';
import { openSharedLimits } from '../edges/node/limits/store/shared-limiter.ts';
import { handleRequests, type ServerContext } from '../edges/node/requests.ts';
import type { App } from '../http/app.ts';
import { prepareDrain } from '../ingress/drain.ts';
import { createReject } from '../ingress/rejection.ts';
import { createTurnQueue } from '../ingress/scheduler.ts';
import { createUnsentBodies } from '../ingress/send-buffer.ts';
import { createHttpServer, createHttpsServer, type ServerParts } from '../ingress/servers.ts';
import { type Challenges, createChallenges } from './acme/challenges.ts';
import { type Certificate, secureContextOf } from './certificate.ts';
import { createContext, createServerParts, type Start } from './context.ts';
import { listen } from './listen.ts';
import type { RegisteredMetrics } from './metrics/metrics.ts';
import { fitConnections, readOpenFilesLimit } from './open-files.ts';
import type { Serving, ServingUrls, ThreadStart, ThreadUpdate } from './threads/serving.ts';

/** Values that a thread does not receive from another one. */
export interface ThreadServices {
  readonly geoip: OpenGeoip;
  /** Null if nothing reads them. */
  readonly metrics: RegisteredMetrics | null;
  readonly log: Log;
  /** Logs at most once a minute. */
  readonly notice: Log;
  /** Wraps the application. */
  readonly wrap: (app: App) => App;
}

/** Throws an Error that names the invalid setting, after closing what it opened. The databases of `geoip` are updated by its owner. */
export async function serveInThread(
  { settings, bounds, thread, limitMemory, rateSecret, certificate }: ThreadStart,
  { geoip, metrics: metered, log, notice, wrap }: ThreadServices,
): Promise<Serving> {
  await using opened = new AsyncDisposableStack();
  const metrics = metered ?? noMetrics;
  const limits = openLimits(limitMemory, { settings, bounds, thread });
  const rateKeyOf = createRateKeyOf(() => rateSecret);
  // The others connect as well, and what happens to one connection happens to all.
  const sharedLimits = await openSharedLimits(settings, bounds, thread === 1 ? log : () => {});
  if (sharedLimits !== null) opened.defer(sharedLimits.end);
  const { max: maxConnections, reason } = fitConnections(settings, readOpenFilesLimit(), limitMemory.threads);
  const start: Start = {
    ...{ settings: { ...settings, maxConnections }, bounds, threads: limitMemory.threads, rateKeyOf, limits },
    ...{ sharedLimits, queue: createTurnQueue(bounds), log, notice, opened },
  };
  let isDraining = false;
  const unsent = createUnsentBodies(bounds, metrics);
  const context = createContext(start, geoip, metrics, unsent, wrap, () => isDraining);
  const parts = createServerParts(start, metrics, unsent);
  const onDrop = (): void => notice('connections_closed', `closing new connections: ${reason}`);
  const challenges = settings.acmeDomain.length === 0 ? null : createChallenges();
  const { urls, setCertificate } = await openPorts(start, context, parts, certificate, challenges, onDrop);
  runInTurns(preparations);
  const owned = opened.move();
  return {
    urls,
    async update(update: ThreadUpdate) {
      if (update.kind === 'drain') isDraining = true;
      else if (update.kind === 'certificate') setCertificate(update.certificate);
      else if (update.kind !== 'database') challenges?.update(update);
    },
    metrics: async () => (metered === null ? [] : [await metered.registry.getMetricsAsJSON()]),
    async ping() {},
    close() {
      isDraining = true;
      return owned.disposeAsync();
    },
  };
}

/** Starts the servers of the ports that are on. */
async function openPorts(
  { settings, bounds, threads, opened }: Start,
  context: ServerContext,
  parts: ServerParts,
  certificate: Certificate | null,
  challenges: Challenges | null,
  onDrop: () => void,
): Promise<{ readonly urls: ServingUrls; readonly setCertificate: (certificate: Certificate) => void }> {
  // At the same time: they share one closing timeout.
  const closes: (() => Promise<void>)[] = [];
  opened.defer(async () => {
    await Promise.all(closes.map((close) => close()));
  });
  const intercept = createIntercept(settings, context.platform, challenges?.httpResponse ?? null);
  const { host, publicUrl } = settings;
  const open = (server: Server, setting: 'port' | 'tlsPort', port: number): Promise<string> => {
    server.on('drop', onDrop);
    closes.push(prepareDrain(server, bounds));
    return listen(server, { setting, port, host, isShared: threads > 1 || settings.reusePort }, bounds);
  };
  const urls: Record<'http' | 'https', string | null> = { http: null, https: null };
  let setCertificate = (_certificate: Certificate): void => {};
  if (settings.port !== null) {
    const base = (): string => publicUrl ?? `${urls.http}`;
    const reject = createReject(context.platform, base);
    const server = createHttpServer(parts, reject);
    handleRequests(server, context, base, reject, intercept);
    urls.http = `http://${await open(server, 'port', settings.port)}`;
  }
  if (settings.tlsPort !== null && certificate !== null) {
    const base = (): string => publicUrl ?? `${urls.https}`;
    const reject = createReject(context.platform, base);
    const server = createHttpsServer(parts, certificate, reject, challenges);
    handleRequests(server, context, base, reject, intercept);
    urls.https = `https://${await open(server, 'tlsPort', settings.tlsPort)}`;
    setCertificate = (renewed) => server.setSecureContext(secureContextOf(renewed));
  }
  return { urls, setCertificate };
}

/** Runs one function in each turn of the event loop, so that requests wait for one at most. */
function runInTurns([next, ...rest]: readonly (() => unknown)[]): void {
  if (next === undefined) return;
  setImmediate(() => {
    next();
    runInTurns(rest);
  });
}
