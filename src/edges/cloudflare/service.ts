/** The service as a function from a request to a response, from the bindings and variables of the Worker. */
import { failureOf, ServiceError } from '../../core/errors.ts';
import { maxDiscardedBytes, type RateName, rates } from '../../core/limits.ts';
import { type Platform, type RequestBody, unlimited } from '../../core/platform.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import { readSettings } from '../../core/settings.ts';
import { createApp } from '../../http/app.ts';
import { errorResponse } from '../../http/response.ts';
import { outboundUserAgent } from '../../lookups/outbound.ts';
import { wrapSimulation } from '../simulated.ts';
import { type IncomingRequest, observe } from './observe.ts';
import { createBootstrapFiles, createOutbound, type RegistryCache, readAtMost } from './outbound.ts';

export interface Context {
  /** Lets work continue after the response. */
  waitUntil(work: Promise<unknown>): void;
}

interface RateLimit {
  limit(call: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** Bindings and variables of `wrangler.jsonc`, all optional. */
export interface Environment extends Readonly<Partial<Record<`RATE_${Uppercase<RateName>}`, RateLimit>>> {
  /** Version of the deployment. */
  readonly VERSION?: { readonly id: string };
  /** A dataset of the Analytics Engine. */
  readonly CALLS?: { writeDataPoint(point: Record<'indexes' | 'blobs' | 'doubles', (string | number)[]>): void };
  readonly [variable: string]: unknown;
}

export type Service = (request: IncomingRequest, context: Context) => Promise<Response>;

/** Services of the runtime, besides the bindings. */
interface Runtime {
  readonly send: typeof fetch;
  readonly openCache: () => Promise<RegistryCache>;
  readonly log: (line: string) => void;
}

export function createService(environment: Environment, { send, openCache, log }: Runtime): Service {
  const variables = Object.entries(environment).filter(([, value]) => typeof value === 'string');
  const settings = readSettings({}, Object.fromEntries(variables) as Record<string, string>);
  if ('problem' in settings) {
    log(`seenby: ${settings.problem}`);
    return async ({ method, url }) =>
      responseOf(errorResponse(new ServiceError('internal_error'), new URL(url).origin), method);
  }
  const now = Date.now;
  const resolvers = settings.dohUrl;
  const outbound = createOutbound({ send, now, resolvers, userAgent: outboundUserAgent(settings.publicUrl) });
  const registryFiles = createBootstrapFiles({ settings, fetch: outbound.fetch, now }, openCache);
  const common = {
    ...outbound,
    resolvers,
    now,
    isDraining: () => false,
    addressData: null,
    connectBack: null,
    limit: createLimit(environment),
    count(endpoint: string, status: number) {
      environment.CALLS?.writeDataPoint({ indexes: [endpoint], blobs: [endpoint, String(status)], doubles: [1] });
    },
    countLookup() {},
    countToolCall() {},
    report: (error: unknown) => log(failureOf(error)),
  };
  // The limits of the bindings are not readable: a deployment that changes them sets the variables as well. Without a binding, there is none.
  const app = createApp({
    ...settings,
    ...(environment.RATE_GENERAL === undefined && { rateLimitGeneral: 0 }),
    ...(environment.RATE_LOOKUP === undefined && { rateLimitLookup: 0 }),
    ...(environment.RATE_TOOLS === undefined && { rateLimitTools: 0 }),
    // No binding counts bytes, and the platform sends them.
    rateLimitDocuments: 0,
    hasAddressData: false,
    readsCertificates: false,
  });
  // Only set in the variables of `wrangler dev` (.dev.vars).
  const served = environment.SIMULATED === 'true' ? wrapSimulation(app) : app;
  return async (request, context) => {
    const platform: Platform = { ...common, bootstrapFile: registryFiles((work) => context.waitUntil(work)) };
    return responseOf(await served(observe(request), platform, bodyOf(request)), request.method);
  };
}

/**
 * A rate without a binding has no limit. The smaller rate goes first: a request that the second rejects still counts against the
 * first. Cloudflare's counters receive a keyed hash of the address.
 */
function createLimit(environment: Environment): Platform['limit'] {
  const { RATE_GENERAL: general, RATE_LOOKUP: lookup, RATE_TOOLS: tools, RATE_MESSAGES: messages } = environment;
  const bindings: Readonly<Record<RateName, RateLimit | undefined>> = { general, lookup, tools, messages };
  // Random, secret, and the same in every process of a deployment, because these count together.
  const secret = environment.VERSION?.id ?? crypto.randomUUID();
  return async (names, rateKey) => {
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret + rateKey));
    const key = btoa(String.fromCharCode(...new Uint8Array(hash)));
    for (const name of names.toSorted((one, other) => rates[one].perWindow - rates[other].perWindow)) {
      const outcome = await bindings[name]?.limit({ key });
      if (outcome?.success === false) return { isAllowed: false, remaining: 0, resetSeconds: null };
    }
    return unlimited;
  };
}

function bodyOf({ body }: Request): RequestBody {
  return {
    async read(maxBytes) {
      try {
        return await readAtMost(body, maxBytes, maxDiscardedBytes);
      } catch {
        throw new ServiceError('request_timeout');
      }
    },
  };
}

function responseOf({ status, headers: common, ownHeaders, body }: HttpResponse, method: string): Response {
  const headers = { ...common, ...ownHeaders };
  if (status === 204) return new Response(null, { status, headers });
  if (method !== 'HEAD') return new Response(body, { status, headers });
  const { length } = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  // As in ingress: without a body, the length of the response to GET may be unknown.
  return new Response(null, {
    status,
    headers: length === 0 ? headers : { ...headers, 'Content-Length': `${length}` },
  });
}
