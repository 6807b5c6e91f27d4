/** The HTTP application: finds the route of a request, and converts errors to responses. */
import { ServiceError } from '../core/errors.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform, RequestBody } from '../core/platform.ts';
import type { Deployment, HttpResponse, RequestContext } from '../core/request-context.ts';
import { outboundUserAgent, selfHeader } from '../lookups/outbound.ts';
import { isInZone } from '../wire/dns/name.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { prefersHtml } from './negotiate.ts';
import { errorPage } from './page/error.ts';
import { createRateFields, defaultPolicy, errorResponse, memoize, preflightFor } from './response.ts';
import { createRoute, formatHeaders, type Route, RouteContext } from './route.ts';
import { wellKnownEndpoints } from './well-known.ts';

/** Responds to one request; never throws, never rejects. */
export type App = (
  observed: ObservedRequest,
  platform: Platform,
  body: RequestBody,
) => HttpResponse | Promise<HttpResponse>;

/** The label under which every path without an endpoint is counted. */
export const unknownEndpoint = 'unknown';

/** The route of every path without an endpoint. */
const unknownRoute: Route = {
  label: unknownEndpoint,
  policy: defaultPolicy,
  renderError: errorPage,
  serve() {
    throw new ServiceError('not_found');
  },
};

/** Builds the application of a deployment. Tests serve other lists. */
export function createApp(deployment: Deployment, list: readonly Endpoint[] = endpoints): App {
  const served = [...list, ...wellKnownEndpoints(deployment)];
  const routes = new Map(served.map((endpoint) => [endpoint.path, createRoute(endpoint, deployment)]));
  // A path with a trailing slash is an alias; but // is not an alias of /.
  for (const [path, route] of [...routes]) if (!routes.has(`${path}/`) && path !== '/') routes.set(`${path}/`, route);
  const patterns = list
    .filter(({ path }) => path.includes('{'))
    .map(({ path }) => ({
      route: routes.get(path),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/, '[^/]+')}/?$`),
    }));
  const findPattern = (path: string): Route | undefined => patterns.find(({ pattern }) => pattern.test(path))?.route;
  const zone = deployment.probes?.dns?.zone;
  const findRoute = ({ origin, path }: ObservedRequest): Route => {
    // Only tests of DNS use the names of the zone, which have the service's address.
    if (zone !== undefined && isInZone(URL.parse(origin)?.hostname ?? '', zone)) return unknownRoute;
    return routes.get(path) ?? findPattern(path) ?? unknownRoute;
  };
  const ownUserAgent = deployment.publicUrl === null ? null : outboundUserAgent(deployment.publicUrl);
  const addRateFields = createRateFields(deployment);
  const finish = (response: HttpResponse, { label }: Route, context: RouteContext): HttpResponse => {
    const { observed, platform, counted } = context;
    if (label !== null) platform.count(label, response.status);
    // A lookup of this service may have reached it under another name.
    const isOwn = ownUserAgent !== null && observed.headers['user-agent'] === ownUserAgent;
    const finished = counted === null ? response : addRateFields(response, counted);
    return isOwn ? { ...finished, ownHeaders: { ...finished.ownHeaders, [selfHeader]: '?1' } } : finished;
  };
  // Closures are made only if a response takes time: those and promises cost /ip a tenth.
  return (observed, platform, body) => {
    const context = new RouteContext(deployment, observed, platform, body);
    const route = findRoute(observed);
    let response: HttpResponse | Promise<HttpResponse>;
    try {
      response = observed.method === 'OPTIONS' ? preflightFor(route.policy) : route.serve(context);
    } catch (error) {
      response = respondToError(error, context, route);
    }
    if (!(response instanceof Promise)) return finish(response, route, context);
    return response
      .catch((error) => respondToError(error, context, route))
      .then((later) => finish(later, route, context));
  };
}

/** The one place where a failure becomes a response. */
function respondToError(thrown: unknown, context: RequestContext, { policy, renderError }: Route): HttpResponse {
  const isKnown = thrown instanceof ServiceError;
  if (!isKnown) context.platform.report(thrown);
  const error = isKnown ? thrown : new ServiceError('internal_error');
  const response = errorResponse(error, context.baseUrl, policy);
  if (renderError === undefined) return response;
  const headers = varyByAccept(response.headers);
  if (!prefersHtml(context.observed.headers.accept)) return { ...response, headers };
  const ofPage = { ...headers, ...formatHeaders('html', context.deployment, context.observed.isSecure) };
  return { ...response, headers: ofPage, body: renderError(error, context) };
}

const varyByAccept = memoize((headers: HttpResponse['headers']) => ({ ...headers, Vary: 'Accept' }));
