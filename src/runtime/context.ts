/** Creates the services that the requests and connections of all ports share, from the settings. */
import { failureOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Platform } from '../core/platform.ts';
import type { Settings } from '../core/settings.ts';
import { createCompress } from '../edges/node/compression.ts';
import type { OpenGeoip } from '../edges/node/geoip/geoip.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import type { LimitTables } from '../edges/node/limits/limit-tables.ts';
import { createLimiter } from '../edges/node/limits/limiter.ts';
import type { RateKeyOf } from '../edges/node/limits/rate-key.ts';
import type { SharedLimits } from '../edges/node/limits/store/shared-limiter.ts';
import { createBootstrapFiles } from '../edges/node/outbound/bootstrap-files.ts';
import { createOutbound } from '../edges/node/outbound/outbound.ts';
import { limitOutbound } from '../edges/node/outbound/outbound-limit.ts';
import type { ServerContext } from '../edges/node/requests.ts';
import { createResponses } from '../edges/node/responses.ts';
import { createClientResolver } from '../edges/proxy/client-request.ts';
import { type App, createApp } from '../http/app.ts';
import { createAdmission } from '../ingress/admission.ts';
import { watchConnections } from '../ingress/connection-watch.ts';
import type { TurnQueue } from '../ingress/scheduler.ts';
import type { UnsentBodies } from '../ingress/send-buffer.ts';
import type { ServerParts } from '../ingress/servers.ts';
import { isAuthority } from '../ingress/target.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { limitHeapGrowth } from '../native/garbage.ts';
import { watchMemory } from './memory.ts';

/** Values that all parts of a start need; the stack closes them in reverse order. */
export interface Start {
  readonly settings: Settings;
  readonly bounds: Bounds;
  readonly threads: number;
  readonly rateKeyOf: RateKeyOf;
  /** Null without RATE_LIMIT_STORE. */
  readonly sharedLimits: SharedLimits | null;
  readonly limits: LimitTables;
  readonly queue: TurnQueue;
  readonly log: Log;
  /** Logs at most once a minute. */
  readonly notice: Log;
  readonly opened: AsyncDisposableStack;
}

/** Creates the services that the requests of all ports share. */
export function createContext(
  { settings, bounds, rateKeyOf, limits, sharedLimits, queue, log, notice, opened }: Start,
  geoip: OpenGeoip,
  metrics: Metrics,
  unsent: UnsentBodies,
  wrap: (app: App) => App,
  isDraining: () => boolean,
): ServerContext {
  // Ends after the servers: a lookup that runs when the service stops may still finish.
  const outbound = createOutbound();
  opened.defer(outbound.end);
  const limited = limitOutbound(outbound, settings.maxOutbound, limits.totals, (failure) => {
    if (failure === 'overloaded') {
      metrics.countRejection('outbound');
      const limit = `MAX_OUTBOUND is ${settings.maxOutbound}`;
      notice('lookups_rejected', `rejecting lookups: too many outbound requests or open files; ${limit}`);
    } else if (failure === 'timeout')
      notice('lookups_time_out', 'outbound requests time out; other servers or the network are slow');
  });
  if (sharedLimits !== null) metrics.watch('rateStore', () => (sharedLimits.isConnected() ? 1 : 0));
  const limiter = createLimiter(limits);
  metrics.watch('outbound', limited.active);
  metrics.watch('outboundLimit', () => settings.maxOutbound || null);
  const platform: Platform = {
    limit: sharedLimits?.share(limiter) ?? limiter.limit,
    count: metrics.count,
    countLookup: metrics.countLookup,
    report: (error) => log('internal_error', failureOf(error)),
    isDraining,
    now: Date.now,
    fetch: limited.fetch,
    fetchPublic: limited.fetchPublic,
    bootstrapFile: createBootstrapFiles({
      baseUrl: settings.rdapBootstrapUrl,
      userAgent: outboundUserAgent(settings.publicUrl),
      // Without the limit: four files at most, and no RDAP lookup works without them.
      fetch: outbound.fetch,
      now: Date.now,
    }),
    addressData: geoip,
    resolvers: settings.dohUrl,
  };
  const { trustProxy: networks, trustProxyHeader: header, trustEdgeHeaders: edgeHeaders } = settings;
  const { locate, autonomousSystem } = geoip;
  const lookups = { rateKeyOf, locate, autonomousSystem, isAuthority };
  const resolveClient = createClientResolver({ networks, header, edgeHeaders }, lookups);
  const responses = createResponses(bounds, unsent, createCompress(bounds, metrics));
  const app = wrap(createApp({ ...settings, sharesLimits: sharedLimits !== null }));
  return { app, platform, metrics, geoip, bounds, queue, responses, resolveClient };
}

/** Creates the bounds on connections that all ports share. */
export function createServerParts(
  { settings, bounds, threads, rateKeyOf, limits, queue, notice, opened }: Start,
  metrics: Metrics,
  unsent: UnsentBodies,
): ServerParts {
  limitHeapGrowth(bounds.heapGrowthPercent);
  const memory = watchMemory(settings.maxMemory, bounds, notice);
  opened.defer(memory.end);
  metrics.watch('memoryLimit', () => memory.limitBytes);
  const connectionWatch = watchConnections(bounds, unsent, metrics);
  opened.defer(connectionWatch.end);
  const admission = createAdmission(settings, bounds, limits, memory, metrics);
  const { totals } = limits;
  return { settings, bounds, threads, rateKeyOf, totals, queue, admission, connectionWatch, metrics };
}
