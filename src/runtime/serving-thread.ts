/** Serves requests in this thread: its servers, and the services that their requests share. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { preparations } from '../client/preparations.ts';
import type { Log } from '../core/log.ts';
import { noMetrics } from '../core/metrics.ts';
import type { OpenGeoip } from '../edges/node/geoip/geoip.ts';
import { openLimits } from '../edges/node/limits/limit-tables.ts';
import { createRateKeyOf } from '../edges/node/limits/rate-key.ts';
import { openSharedLimits } from '../edges/node/limits/store/shared-limiter.ts';
import { createHandler, type RequestServices } from '../edges/node/requests.ts';
import type { App } from '../http/app.ts';
import type { Handler } from '../ingress/options.ts';
import type { Ingress } from '../ingress/server.ts';
import { settleHeap } from '../native/garbage.ts';
import { type Challenges, completeTlsChallenge, createChallenges } from './acme/challenges.ts';
import { type Certificate, secureContextOf } from './certificate.ts';
import { createRequestServices, openIngress, type ThreadContext } from './context.ts';
import { listen } from './listen.ts';
import type { RegisteredMetrics } from './metrics/metrics.ts';
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
  { settings, bounds, thread, limitMemory, rateSecret, certificate, http3Folder }: ThreadStart,
  { geoip, metrics, log, notice, wrap }: ThreadServices,
): Promise<Serving> {
  await using opened = new AsyncDisposableStack();
  // The others connect as well, and what happens to one connection happens to all.
  const sharedLimits = await openSharedLimits(settings, bounds, thread === 1 ? log : () => {});
  if (sharedLimits !== null) opened.defer(sharedLimits.end);
  let isDraining = false;
  const context: ThreadContext = {
    settings,
    bounds,
    threads: limitMemory.threads,
    limits: openLimits(limitMemory, { settings, bounds, thread }),
    rateKeyOf: createRateKeyOf(() => rateSecret),
    sharedLimits,
    geoip,
    metrics: metrics ?? noMetrics,
    log,
    notice,
    opened,
    isDraining: () => isDraining,
  };
  const challenges = settings.acmeDomain.length === 0 ? null : createChallenges();
  const services = createRequestServices(context, challenges, wrap);
  const ports = new Ports(context, openIngress(context), services);
  await ports.openHttp();
  const setCertificate = certificate && (await ports.openHttps(certificate, challenges));
  if (http3Folder !== null) await ports.openHttp3(join(http3Folder, `${thread}`));
  runOnePerIteration([...preparations, () => settleHeap(bounds.heapGrowthPercent)]);
  const owned = opened.move();
  return {
    urls: ports.urls,
    async update(update: ThreadUpdate) {
      if (update.kind === 'drain') isDraining = true;
      else if (update.kind === 'certificate') setCertificate?.(update.certificate);
      else if (update.kind === 'http3') services.altSvc.port = update.port;
      else if (update.kind !== 'database') challenges?.update(update);
    },
    metrics: async () => (metrics === null ? [] : [await metrics.registry.getMetricsAsJSON()]),
    async ping() {},
    close() {
      isDraining = true;
      return owned.disposeAsync();
    },
  };
}

/** The ports that are on, each with a server. */
class Ports {
  readonly urls: Record<keyof ServingUrls, string | null> = { http: null, https: null };
  readonly #context: ThreadContext;
  readonly #ingress: Ingress;
  readonly #services: RequestServices;

  constructor(context: ThreadContext, ingress: Ingress, services: RequestServices) {
    this.#context = context;
    this.#ingress = ingress;
    this.#services = services;
  }

  async openHttp(): Promise<void> {
    const { port } = this.#context.settings;
    if (port === null) return;
    const server = this.#ingress.createServer(this.#handlerOf('http'));
    this.urls.http = `http://${await this.#listen(server, 'port', port)}`;
  }

  /** Returns what replaces the certificate; null if the port is off. */
  async openHttps(
    certificate: Certificate,
    challenges: Challenges | null,
  ): Promise<((renewed: Certificate) => void) | null> {
    const { settings, bounds } = this.#context;
    if (settings.tlsPort === null) return null;
    const takeOver: Handler['takeOver'] = (socket, clientHello) => {
      const challenge = challenges?.tlsContext(clientHello) ?? null;
      if (challenge !== null) completeTlsChallenge(socket, challenge, bounds.handshakeTimeoutMs);
      return challenge !== null;
    };
    const handler = { ...this.#handlerOf('https'), takeOver };
    const server = this.#ingress.createSecureServer(handler, secureContextOf(certificate));
    this.urls.https = `https://${await this.#listen(server, 'tlsPort', settings.tlsPort)}`;
    return (renewed) => server.setSecureContext(secureContextOf(renewed));
  }

  /** Listens for the process that ends QUIC. */
  async openHttp3(path: string): Promise<void> {
    // A thread that ended leaves its socket behind.
    await rm(path, { force: true });
    await once(this.#ingress.createHttp3Server(this.#handlerOf('https')).listen(path), 'listening');
  }

  #handlerOf(port: keyof ServingUrls): Handler {
    return createHandler(this.#services, () => this.#context.settings.publicUrl ?? `${this.urls[port]}`);
  }

  #listen(server: Server, setting: 'port' | 'tlsPort', port: number): Promise<string> {
    const { settings, bounds, threads } = this.#context;
    const { host, reusePort } = settings;
    return listen(server, { setting, port, host, isShared: threads > 1 || reusePort }, bounds);
  }
}

/** Runs one function in each iteration of the event loop, so that requests wait for one at most. */
function runOnePerIteration([next, ...rest]: readonly (() => unknown)[]): void {
  if (next === undefined) return;
  setImmediate(() => {
    next();
    runOnePerIteration(rest);
  });
}
