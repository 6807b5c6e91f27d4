/** Serves requests in this thread: its servers, and the services that their requests share. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { preparations } from '../client/preparations.ts';
import { type DatabaseKind, type NamedFiles, openGeoip } from '../edges/node/geoip/geoip.ts';
import { openLimits } from '../edges/node/limits/limit-tables.ts';
import { createRateKeyOf } from '../edges/node/limits/rate-key.ts';
import { openSharedLimits } from '../edges/node/limits/store/shared-limiter.ts';
import { loadUndici } from '../edges/node/outbound/outbound.ts';
import { createHandler, type RequestServices } from '../edges/node/requests.ts';
import type { Handler } from '../ingress/options.ts';
import { collectGarbage, settleHeap } from '../native/garbage.ts';
import { createChallenges } from './acme/challenges.ts';
import { type Certificate, secureContextOf } from './certificate.ts';
import { createRequestServices, openIngress, type ThreadContext } from './context.ts';
import { listen } from './listen.ts';
import type { Serving, ServingUrls, ThreadStart, ThreadUpdate } from './threads/serving.ts';

/** Throws an Error that names the invalid setting, after closing what it opened. */
export async function serveInThread(
  start: ThreadStart,
  given: Pick<ThreadContext, 'metrics' | 'log' | 'notice' | 'wrap'>,
): Promise<Serving> {
  await using opened = new AsyncDisposableStack();
  const { settings, bounds, thread, limitMemory, rateSecret } = start;
  // The object itself, because workerData lives as long as the thread and would keep a replaced database.
  const databases = start.databases as Record<DatabaseKind, NamedFiles | null>;
  const geoip = await openGeoip((kind) => databases[kind]);
  // The others connect as well, and what happens to one connection happens to all.
  const sharedLimits = await openSharedLimits(settings, bounds, thread === 1 ? given.log : () => {});
  if (sharedLimits !== null) opened.defer(sharedLimits.end);
  const context: ThreadContext = {
    ...given,
    start,
    limits: openLimits(limitMemory, { settings, bounds, thread }),
    rateKeyOf: createRateKeyOf(() => rateSecret),
    sharedLimits,
    geoip,
    challenges: settings.acmeDomain.length === 0 ? null : createChallenges(bounds.handshakeTimeoutMs),
    opened,
    isDraining: false,
  };
  const services = createRequestServices(context);
  const { urls, setCertificate } = await openPorts(context, services);
  // No lookup waits for undici, and it is loaded while there are file descriptors; the MCP library costs too much memory in each thread.
  void runOnePerIteration([...preparations, loadUndici, () => settleHeap(bounds.heapGrowthPercent)]);
  const owned = opened.move();
  return {
    urls,
    async update(update: ThreadUpdate) {
      if (update.kind === 'drain') context.isDraining = true;
      else if (update.kind === 'certificate') setCertificate(update.certificate);
      else if (update.kind === 'http3') services.altSvc.port = update.port;
      else if (update.kind === 'database') {
        databases[update.database] = update.files;
        await geoip.reload(update.database);
        collectGarbage();
      } else context.challenges?.update(update);
    },
    metrics: async () => (given.metrics === null ? [] : [await given.metrics.registry.getMetricsAsJSON()]),
    async ping() {},
    close() {
      context.isDraining = true;
      return owned.disposeAsync();
    },
  };
}

/** Opens the ports that are on, each with a server. The returned function replaces the certificate. */
async function openPorts(context: ThreadContext, services: RequestServices) {
  const { settings, bounds, thread, limitMemory, certificate, http3Folder } = context.start;
  const { host, reusePort, port, tlsPort, publicUrl } = settings;
  const ingress = openIngress(context);
  const urls: Record<keyof ServingUrls, string | null> = { http: null, https: null };
  const handlerOf = (scheme: keyof ServingUrls): Handler =>
    createHandler(services, () => publicUrl ?? `${urls[scheme]}`);
  const open = async (server: Server, scheme: keyof ServingUrls, port: number): Promise<void> => {
    const setting = scheme === 'http' ? 'port' : 'tlsPort';
    const isShared = limitMemory.threads > 1 || reusePort;
    urls[scheme] = `${scheme}://${await listen(server, { setting, port, host, isShared }, bounds)}`;
  };

  if (port !== null) await open(ingress.createServer(handlerOf('http')), 'http', port);
  let setCertificate = (_renewed: Certificate): void => {};
  if (tlsPort !== null && certificate !== null) {
    const takeOver = context.challenges === null ? {} : { takeOver: context.challenges.takeOver };
    const handler = { ...handlerOf('https'), ...takeOver };
    const server = ingress.createSecureServer(handler, secureContextOf(certificate));
    await open(server, 'https', tlsPort);
    setCertificate = (renewed) => server.setSecureContext(secureContextOf(renewed));
  }
  if (http3Folder !== null) {
    // Its process connects here. A thread that ended leaves its socket behind.
    const path = join(http3Folder, `${thread}`);
    await rm(path, { force: true });
    await once(ingress.createHttp3Server(handlerOf('https')).listen(path), 'listening');
  }
  return { urls, setCertificate };
}

/** Runs the functions in turn, each in an iteration of the event loop of its own, so that requests wait for one at most. */
async function runOnePerIteration(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    await setImmediate();
    await step();
  }
}
