/** The service as a function from a request to a response, from the bindings and variables of the Worker. */
import { ServiceError } from '../../core/errors.ts';
import { failureOf } from '../../core/failure.ts';
import { type RateName, rates } from '../../core/limits.ts';
import type { Platform } from '../../core/platform.ts';
import type { RequestBody } from '../../core/request-body.ts';
import { readSettings } from '../../core/settings.ts';
import { type Answer, createApp, errorAnswer } from '../../http/app.ts';
import { outboundUserAgent } from '../../lookups/outbound-user-agent.ts';
import { simulated } from '../simulated.ts';
import { observe } from './observe.ts';
import { createOutbound } from './outbound.ts';
import { createRegistryFiles } from './registry-files.ts';
import type {
  AnalyticsEngineDataset,
  Context,
  Environment,
  IncomingRequest,
  RateLimit,
  RegistryCache,
} from './runtime.ts';
import { readAtMost } from './streams.ts';

export type Service = (request: IncomingRequest, context: Context) => Promise<Response>;

/** What the runtime lends besides the bindings. */
export interface Runtime {
  readonly send: typeof fetch;
  readonly openCache: () => Promise<RegistryCache>;
  readonly log: (line: string) => void;
}

export function createService(environment: Environment, { send, openCache, log }: Runtime): Service {
  const variables = Object.entries(environment).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const settings = readSettings({}, Object.fromEntries(variables));
  if ('problem' in settings) {
    log(`seenby: ${settings.problem}`);
    return async ({ method, url }) => responseOf(errorAnswer('internal_error', new URL(url).origin), method);
  }
  const now = Date.now;
  const userAgent = outboundUserAgent(settings.publicUrl);
  const resolvers = settings.dohUrl;
  const outbound = createOutbound({ send, now, resolvers, userAgent });
  const source = { baseUrl: settings.rdapBootstrapUrl, userAgent, fetch: outbound.fetch, now };
  const registryFiles = createRegistryFiles(source, openCache);
  const shared = {
    ...outbound,
    resolvers,
    now,
    limit: limiter(environment),
    count: counter(environment.CALLS),
    report: (error: unknown) => log(failureOf(error)),
  };
  const app = createApp(settings);
  // Only the variables of `wrangler dev` say so (.dev.vars).
  const served = environment.SIMULATED === 'true' ? simulated(app) : app;
  return async (request, context) => {
    const platform: Platform = { ...shared, registryFile: registryFiles((work) => context.waitUntil(work)) };
    return responseOf(await served(observe(request), platform, bodyOf(request)), request.method);
  };
}

/**
 * A rate without a binding has no limit. The scarcer one first: what is refused by the second has spent of the first, for good. The
 * counters are Cloudflare's and see a keyed hash of the address.
 */
function limiter({ RATE_GENERAL, RATE_LOOKUP, VERSION }: Environment): Platform['limit'] {
  const bindings: Readonly<Record<RateName, RateLimit | undefined>> = { general: RATE_GENERAL, lookup: RATE_LOOKUP };
  // Random, known to nobody outside, and the same in every process of a deployment: they have to count together.
  const secret = VERSION?.id ?? crypto.randomUUID();
  return async (names, rateKey) => {
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret + rateKey));
    const key = new Uint8Array(hash).toBase64();
    for (const name of names.toSorted((one, other) => rates[one].perWindow - rates[other].perWindow)) {
      const outcome = await bindings[name]?.limit({ key });
      if (outcome?.success === false) return false;
    }
    return true;
  };
}

function counter(calls: AnalyticsEngineDataset | undefined): Platform['count'] {
  return (endpoint, status) => {
    calls?.writeDataPoint({ indexes: [endpoint], blobs: [endpoint, String(status)], doubles: [1] });
  };
}

/** An answer beside unread bytes may not reach the caller. */
const maxDroppedBytes = 8_388_608;

function bodyOf({ body }: Request): RequestBody {
  return {
    async read(maxBytes) {
      try {
        return await readAtMost(body, maxBytes, maxDroppedBytes);
      } catch {
        throw new ServiceError('request_timeout');
      }
    },
  };
}

function responseOf({ status, headers, body }: Answer, method: string): Response {
  if (status === 204) return new Response(null, { status, headers });
  if (method !== 'HEAD') return new Response(body, { status, headers });
  const length = String(new TextEncoder().encode(body).length);
  return new Response(null, { status, headers: { ...headers, 'Content-Length': length } });
}
