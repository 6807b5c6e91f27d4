/** Serves requests in this thread: its servers, and the services that their connections and requests share. */
import type { Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { preparations } from '../client/preparations.ts';
import { withoutBrackets } from '../core/address.ts';
import { failureOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { noMetrics } from '../core/metrics.ts';
import type { NameServer } from '../core/name-server.ts';
import type { Platform } from '../core/platform.ts';
import type { Probes } from '../core/request-context.ts';
import type { Settings } from '../core/settings.ts';
import { createAdmission } from '../edges/node/admission.ts';
import { createCompress } from '../edges/node/compression.ts';
import { type DatabaseKind, type NamedFiles, openGeoip } from '../edges/node/geoip/geoip.ts';
import { createAddressLimits, createDocumentLimit, createLimiter, openLimits } from '../edges/node/limits/limits.ts';
import { openStoreLimits } from '../edges/node/limits/store-limiter.ts';
import { createBootstrapFiles } from '../edges/node/outbound/bootstrap-files.ts';
import { createConnectBack } from '../edges/node/outbound/connect-back.ts';
import { createOutbound, loadUndici } from '../edges/node/outbound/outbound.ts';
import { limitOutbound } from '../edges/node/outbound/outbound-limit.ts';
import { createHandler, createIntercept } from '../edges/node/requests.ts';
import { createAltSvc, createResponses } from '../edges/node/responses.ts';
import { createProxyDetector } from '../edges/node/unknown-proxy.ts';
import { createClientResolver } from '../edges/proxy/client-request.ts';
import { isTrusted } from '../edges/proxy/forwarded.ts';
import { type App, createApp } from '../http/app.ts';
import { createIdentify } from '../ingress/limits/identity.ts';
import { isAuthority } from '../ingress/message/target.ts';
import type { Handler } from '../ingress/requests.ts';
import { Scheduler } from '../ingress/schedule/scheduler.ts';
import { Ingress } from '../ingress/server.ts';
import { collectGarbage, disablePretenuring, settleHeap } from '../native/garbage.ts';
import { createChallenges } from './acme/challenges.ts';
import { type Certificate, secureContextOf } from './certificate.ts';
import { listen } from './listen.ts';
import { watchMemory } from './memory-limit.ts';
import type { RegisteredMetrics } from './metrics.ts';
import { fitConnections, readOpenFilesLimit } from './process-limits.ts';
import type { Serving, ThreadStart, ThreadUpdate } from './threads/serving.ts';

/** Services of the process that a thread uses. */
export interface ThreadServices {
  /** Null if nothing reads them. */
  readonly metrics: RegisteredMetrics | null;
  readonly log: Log;
  /** Logs at most once a minute. */
  readonly notice: Log;
  /** Wraps the application. */
  readonly wrap: (app: App) => App;
}

/** Throws an Error that names the invalid setting, after closing what it opened. */
export async function serveInThread(start: ThreadStart, given: ThreadServices): Promise<Serving> {
  disablePretenuring();
  // Closes in reverse order: first the server, which waits for open requests, then what these use.
  await using opened = new AsyncDisposableStack();
  const context = await openContext(start, given, opened);
  const services = createRequestServices(context);
  const ingress = createIngress(context);
  opened.defer(() => ingress.close());
  const { urls, setCertificate } = await openPorts(ingress, context, services);
  const settle = (): void => settleHeap(start.bounds.heapGrowthPercent);
  // No request waits for this library, nor all others for one that loads it; and it is loaded while there are file descriptors.
  void runOnePerIteration([...preparations, loadUndici, settle]);
  const owned = opened.move();
  return {
    urls,
    async update(update: ThreadUpdate) {
      if (update.kind === 'drain') context.isDraining = true;
      else if (update.kind === 'certificate') setCertificate(update.certificate);
      else if (update.kind === 'http3') services.altSvc.port = update.port;
      else if (update.kind === 'database') {
        context.databases[update.database] = update.files;
        await context.geoip.reload(update.database);
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

type ThreadContext = Awaited<ReturnType<typeof openContext>>;

/** Opens what the connections and requests of the thread share, and lets `opened` close it. */
async function openContext(start: ThreadStart, given: ThreadServices, opened: AsyncDisposableStack) {
  const { settings, bounds, thread, sharedMemory } = start;
  // The object itself, because workerData lives as long as the thread and would keep a replaced database.
  const databases = start.databases as Record<DatabaseKind, NamedFiles | null>;
  const geoip = await openGeoip((kind) => databases[kind]);
  // The others connect as well, and what happens to one connection happens to all.
  const storeLimits = await openStoreLimits(settings, bounds, thread === 1 ? given.log : () => {});
  if (storeLimits !== null) opened.defer(storeLimits.end);
  const limits = openLimits(sharedMemory, { settings, bounds, thread });
  const identify = createIdentify(start.rateSecret);
  const outbound = createOutbound({ scheduler: new Scheduler(bounds) });
  opened.defer(outbound.end);
  const memory = watchMemory({ limitMb: start.memoryMb }, bounds, given.notice);
  opened.defer(memory.end);
  const context = {
    ...given,
    metrics: given.metrics ?? noMetrics,
    start,
    limits,
    identify,
    counts: { totals: limits.totals, clients: limits.connections, identify },
    /** Null without RATE_LIMIT_STORE. */
    storeLimits,
    databases,
    geoip,
    outbound,
    memory,
    /** Null without DNS_ZONE. */
    nameServer: null as NameServer | null,
    /** Null without ACME_DOMAIN. */
    challenges: settings.acmeDomain.length === 0 ? null : createChallenges(bounds.handshakeTimeoutMs),
    /** Whether the service is stopping. */
    isDraining: false,
  };
  if (settings.dnsZone !== null) {
    const { openNameServer } = await import('./datagrams/name-server.ts');
    const { nameServer, close } = openNameServer({
      ...start,
      counts: context.counts,
      isDraining: () => context.isDraining,
    });
    context.nameServer = nameServer;
    opened.defer(close);
  }
  return context;
}

/** Opens the ports that are on, each with a server. The returned function replaces the certificate. */
async function openPorts(ingress: Ingress, context: ThreadContext, services: Parameters<typeof createHandler>[0]) {
  const { settings, bounds, thread, sharedMemory, certificate, http3Folder } = context.start;
  const { host, reusePort, port, tlsPort, publicUrl } = settings;
  const urls: Record<keyof Serving['urls'], string | null> = { http: null, https: null };
  const handlerOf = (scheme: keyof Serving['urls']): Handler =>
    createHandler(services, () => publicUrl ?? `${urls[scheme]}`);
  const open = async (server: Server, scheme: keyof Serving['urls'], port: number): Promise<void> => {
    const setting = scheme === 'http' ? 'port' : 'tlsPort';
    const isReused = sharedMemory.threads > 1 || reusePort;
    urls[scheme] = `${scheme}://${await listen(server, { setting, port, host, reusePort: isReused }, bounds)}`;
  };

  if (port !== null) await open(ingress.createServer(handlerOf('http')), 'http', port);
  let setCertificate = (_renewed: Certificate): void => {};
  if (tlsPort !== null && certificate !== null) {
    const handler = { ...handlerOf('https'), ...(context.challenges && { takeOver: context.challenges.takeOver }) };
    const server = ingress.createSecureServer(handler, secureContextOf(certificate, settings));
    await open(server, 'https', tlsPort);
    setCertificate = (renewed) => server.setSecureContext(secureContextOf(renewed, settings));
  }
  if (http3Folder !== null) {
    const { createSocketCarrier } = await import('./http3/socket-carrier.ts');
    await ingress.serveHttp3(createSocketCarrier(join(http3Folder, `${thread}`), bounds), handlerOf('https'));
  }
  return { urls, setCertificate };
}

/** Runs the functions one after the other, each in an iteration of the event loop of its own, so that requests wait for one at most. */
async function runOnePerIteration(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    await setImmediate();
    await step();
  }
}

/** Creates the HTTP server, which has no ports yet. */
function createIngress({ start, limits, identify, memory, metrics, notice }: ThreadContext): Ingress {
  const { settings, bounds, sharedMemory } = start;
  metrics.watch('seenby_memory_bytes', memory.usedBytes);
  metrics.watch('seenby_memory_limit_bytes', () => memory.limitBytes);
  const countAddress = createAddressLimits(limits, settings.maxConnectionsPerAddress, bounds.networkBudget);
  const { max: maxConnections, reason } = fitConnections(settings, readOpenFilesLimit(), sharedMemory.threads);
  const ingress = new Ingress({
    bounds,
    maxConnections,
    peers: limits.peers,
    identify,
    proxyProtocol: settings.proxyProtocol,
    isTrusted: (ip) => isTrusted(settings.trustProxy, ip),
    admit: createAdmission({ countAddress, metrics, isMemoryFull: memory.isFull }),
    onClosed(closing) {
      metrics.countRejection(closing);
      if (closing === 'connections') notice('connections_closed', `closing new connections: ${reason}`);
      else if (closing === 'replaced')
        notice('connections_replaced', `closing connections without a request, to accept new ones: ${reason}`);
    },
    onHandshake: metrics.countHandshake,
  });
  metrics.watch('seenby_connections_accepted_total', () => ingress.connections.admitted);
  metrics.watch('seenby_connections', () =>
    Object.entries(ingress.connections.count()).map(([protocol, count]) => [{ protocol }, count]),
  );
  return ingress;
}

/** Creates the services that the requests of all ports share. */
function createRequestServices(context: ThreadContext) {
  const { start, limits, identify, storeLimits, geoip, challenges, metrics, notice, wrap } = context;
  const { settings, bounds, wellKnownFiles } = start;
  const { trustProxy: networks, trustProxyHeader: header, trustEdgeHeaders: edgeHeaders } = settings;
  const { locate, autonomousSystem } = geoip;
  const lookups = { identify, locate, autonomousSystem, isAuthority };
  const platform = createPlatform(context);
  const altSvc = createAltSvc(settings);
  return {
    app: wrap(
      createApp({
        ...settings,
        wellKnownFiles,
        otherHosts: settings.acmeDomain,
        sharesLimits: storeLimits !== null,
        offersHttp3: settings.http3Port !== null,
        probes: {
          dns: settings.dnsZone === null ? null : { zone: settings.dnsZone },
          stun: stunProbeOf(settings),
          portCheck: settings.portCheck,
        },
      }),
    ),
    platform,
    metrics,
    geoip,
    colo: settings.colo,
    responses: createResponses(bounds, createCompress(bounds, metrics), altSvc),
    altSvc,
    resolveClient: createClientResolver({ networks, header, edgeHeaders }, lookups, ({ logLine, problem }) =>
      notice('forwarding_header_unusable', logLine, problem),
    ),
    mayGetDocument: createDocumentLimit(limits),
    publicUrl: settings.publicUrl,
    intercept: createIntercept(settings, platform, challenges?.httpResponse ?? null),
    detectProxy: createProxyDetector(notice),
  };
}

function createPlatform(context: ThreadContext): Platform {
  const { limits, counts, storeLimits, geoip, outbound, nameServer, metrics, log, notice } = context;
  const { settings } = context.start;
  const { active, ...limited } = limitOutbound(
    { ...outbound, connectBack: settings.portCheck ? createConnectBack(settings) : null },
    { max: settings.maxOutbound, ...counts },
    (failure) => {
      if (failure === 'overloaded') {
        metrics.countRejection('outbound');
        const limit = `MAX_OUTBOUND is ${settings.maxOutbound}`;
        notice('lookups_rejected', `rejecting lookups: too many outbound requests or open files; ${limit}`);
      } else if (failure === 'timeout')
        notice('lookups_time_out', 'outbound requests time out; other servers or the network are slow');
    },
  );
  metrics.watch('seenby_outbound_requests', active);
  metrics.watch('seenby_outbound_requests_limit', () => settings.maxOutbound || null);
  if (storeLimits !== null) metrics.watch('seenby_rate_store_connected', () => (storeLimits.isConnected() ? 1 : 0));
  const limiter = createLimiter(limits);
  return {
    limit: storeLimits?.limitTogether(limiter) ?? limiter.limit,
    left: limiter.left,
    count: metrics.count,
    countLookup: metrics.countLookup,
    countToolCall: metrics.countToolCall,
    report: (error) => log('internal_error', failureOf(error)),
    isDraining: () => context.isDraining,
    now: Date.now,
    ...limited,
    // Without the limit: four files at most, and no RDAP lookup works without them.
    bootstrapFile: createBootstrapFiles({ settings, fetch: outbound.fetch, now: Date.now }),
    addressData: geoip,
    resolvers: settings.dohUrl,
    ...(nameServer && { nameServer }),
  };
}

/** The values of the STUN server for pages; null without one, or if its host or port is not known: with 0, the system chooses the port. */
function stunProbeOf({ stunPort, stunHost, stunMappingTest, publicUrl }: Settings): Probes['stun'] {
  const host = stunHost ?? (publicUrl === null ? null : withoutBrackets(new URL(publicUrl).hostname));
  if (stunPort === null || stunPort === 0 || host === null) return null;
  return { host, port: stunPort, mappingPort: stunMappingTest ? stunPort + 1 : null };
}
