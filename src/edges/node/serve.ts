/** Starts the service on this machine's ports, from its settings. */
import type { AddressInfo, Server, Socket } from 'node:net';
import { parseUserAgent } from '../../client/user-agent.ts';
import { failureOf } from '../../core/failure.ts';
import { type RateName, windowSeconds } from '../../core/limits.ts';
import type { Platform } from '../../core/platform.ts';
import { flagOf, type SettingName, type Settings, variableOf } from '../../core/settings.ts';
import { type App, createApp } from '../../http/app.ts';
import { outboundUserAgent } from '../../lookups/outbound-user-agent.ts';
import { throughProxy } from '../proxy/through-proxy.ts';
import type { Bounds } from './bounds.ts';
import { localhostCertificate, readCertificate } from './certificate.ts';
import { type Geoip, openGeoip } from './geoip.ts';
import { geoipFiles, watchedFiles } from './geoip-files.ts';
import { createMetrics } from './metrics.ts';
import { createOutbound } from './outbound.ts';
import { rateKeyOf, rateTable } from './rate-table.ts';
import { createRegistryFiles } from './registry-files.ts';
import { handleRequests, refusalOf } from './requests.ts';
import { createHttpServer, createHttpsServer } from './servers.ts';
import { isAuthority } from './target.ts';
import { watchFiles } from './watch.ts';

export interface Service {
  /** Addresses such as `https://localhost:8443`; null for a port that is off. */
  readonly http: string | null;
  readonly https: string | null;
  readonly metrics: string | null;
  /** Stops listening and lets open requests end. */
  close(): Promise<void>;
}

/** Throws a sentence that names the setting where one cannot be used; then nothing is left open. `before` may stand before the application. */
export async function serve(
  settings: Settings,
  bounds: Bounds,
  log: (line: string) => void,
  before: (app: App) => App = (app) => app,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();

  const watch = (files: readonly string[], what: string, reload: () => Promise<void>): void => {
    const changed = (): void => {
      reload().then(
        () => log(`read ${what} again`),
        (error: Error) => log(`kept ${what} read before: ${error.message}`),
      );
    };
    opened.defer(watchFiles(files, bounds.watchIntervalMs, changed));
  };
  // Ends after the servers: a lookup that runs when the service stops may still be answered.
  const outbound = createOutbound();
  opened.defer(outbound.end);
  const closers: (() => Promise<void>)[] = [];
  opened.defer(async () => {
    await Promise.all(closers.map((close) => close()));
  });
  const listenOn = async (server: Server, name: SettingName, port: number, host: string | null): Promise<string> => {
    closers.push(closer(server, bounds.closeTimeoutMs));
    return listen(server, name, port, host, bounds.backlog);
  };

  const [geoip, certificate] = await Promise.all([
    openGeoip(geoipFiles(settings)),
    settings.tlsPort === null ? null : certificateOf(settings),
  ]);
  watch(watchedFiles(settings, 'city'), 'the city database', () => geoip.reload('city'));
  watch(watchedFiles(settings, 'asn'), 'the autonomous system database', () => geoip.reload('asn'));

  const limiter = createLimiter(settings, bounds);
  opened.defer(limiter.end);
  const metrics = createMetrics();
  const platform: Platform = {
    limit: limiter.limit,
    count: metrics.count,
    report: (error) => log(failureOf(error)),
    now: Date.now,
    fetch: outbound.fetch,
    fetchPublic: outbound.fetchPublic,
    registryFile: createRegistryFiles({
      baseUrl: settings.rdapBootstrapUrl,
      userAgent: outboundUserAgent(settings.publicUrl),
      fetch: outbound.fetch,
      now: Date.now,
    }),
    resolvers: settings.dohUrl,
  };

  const destination = {
    app: before(createApp(settings)),
    platform,
    geoip,
    bounds,
    throughProxy: throughProxyOf(settings, geoip),
  };
  const address: { http: string | null; https: string | null; metrics: string | null } = {
    http: null,
    https: null,
    metrics: null,
  };
  const noProxyHeader = (base: () => string) => () =>
    refusalOf('malformed_request', platform, base, 'A PROXY protocol header has to come first on this connection.');
  if (settings.port !== null) {
    const base = (): string => settings.publicUrl ?? `${address.http}`;
    const server = createHttpServer(bounds, settings, noProxyHeader(base));
    handleRequests(server, destination, base);
    address.http = `http://${await listenOn(server, 'port', settings.port, settings.host)}`;
  }
  if (settings.tlsPort !== null && certificate !== null) {
    const base = (): string => settings.publicUrl ?? `${address.https}`;
    const plainHttp = () => refusalOf('https_required', platform, base);
    const server = createHttpsServer(bounds, settings, certificate, noProxyHeader(base), plainHttp);
    handleRequests(server, destination, base);
    address.https = `https://${await listenOn(server, 'tlsPort', settings.tlsPort, settings.host)}`;
    const files = [settings.tlsCert, settings.tlsKey].filter((file) => file !== null);
    watch(files, 'the certificate', async () => server.setSecureContext(await certificateOf(settings)));
  }
  if (settings.metricsPort !== null) {
    const server = metrics.server();
    address.metrics = `http://${await listenOn(server, 'metricsPort', settings.metricsPort, settings.metricsHost)}/metrics`;
  }
  // The first unusual User-Agent compiles some 2,000 expressions (45 ms); this one is nobody's, and nobody waits for it.
  setImmediate(parseUserAgent, 'Unusual/1.0');
  const owned = opened.move();
  return { ...address, close: () => owned.disposeAsync() };
}

function certificateOf({ tlsCert, tlsKey }: Settings) {
  return tlsCert === null || tlsKey === null ? localhostCertificate() : readCertificate(tlsCert, tlsKey);
}

function throughProxyOf(settings: Settings, { locate, autonomousSystem }: Geoip) {
  const { trustProxy: networks, trustProxyHeader: header, trustEdgeHeaders: edgeHeaders } = settings;
  return throughProxy({ networks, header, edgeHeaders }, { rateKeyOf, locate, autonomousSystem, isAuthority });
}

function createLimiter({ rateLimitGeneral, rateLimitLookup }: Settings, { maxRateKeys }: Bounds) {
  const windowMs = windowSeconds * 1000;
  const tables = {
    general: rateTable(rateLimitGeneral, windowMs, maxRateKeys),
    lookup: rateTable(rateLimitLookup, windowMs, maxRateKeys),
  } as const satisfies Record<RateName, unknown>;
  // Often enough that nothing outlives its window for long.
  const timer = setInterval(() => {
    for (const table of Object.values(tables)) table.forget(performance.now());
  }, windowMs / 10);
  timer.unref();
  const limit = (rates: readonly RateName[], rateKey: string): boolean => {
    const nowMs = performance.now();
    const refused = rates.findIndex((rate) => !tables[rate].spend(rateKey, nowMs));
    if (refused === -1) return true;
    for (const rate of rates.slice(0, refused)) tables[rate].giveBack(rateKey);
    return false;
  };
  return { limit, end: () => clearInterval(timer) };
}

/** Listens and says at which host and port. */
async function listen(
  server: Server,
  name: SettingName,
  port: number,
  host: string | null,
  backlog: number,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(new Error(listenProblem(error, name, port, host)));
    server.once('error', fail);
    // Without a host, Node takes every IPv6 and IPv4 address, or IPv4 alone where there is no IPv6.
    server.listen({ port, backlog, ...(host === null ? {} : { host }) }, () => {
      server.off('error', fail);
      resolve();
    });
  });
  const shown = host?.includes(':') ? `[${host}]` : (host ?? 'localhost');
  return `${shown}:${(server.address() as AddressInfo).port}`;
}

function listenProblem({ code }: NodeJS.ErrnoException, name: SettingName, port: number, host: string | null): string {
  const variable = variableOf(name);
  if (code === 'EADDRINUSE') return `${variable}: port ${port} is in use; choose another with --${flagOf(name)}`;
  if (code === 'EACCES') return `${variable}: not allowed to listen on port ${port}; choose one above 1023`;
  const hostVariable = variableOf(name === 'metricsPort' ? 'metricsHost' : 'host');
  return `${hostVariable}: cannot listen on "${host ?? ''}" (${code}); give an address of this machine`;
}

/** Ends a server: open requests have `timeoutMs`, then their connections are closed. */
function closer(server: Server, timeoutMs: number): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, timeoutMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
}
