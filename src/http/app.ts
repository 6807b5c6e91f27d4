/** The HTTP application: finds the route of a request, and turns errors into responses. */
import { ServiceError } from '../core/errors.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform, RequestBody } from '../core/platform.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import { outboundUserAgent, selfHeader } from '../lookups/outbound.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { prefersHtml } from './negotiate.ts';
import { errorPage } from './page/error.ts';
import { defaultPolicy, errorResponse, type HttpResponse, preflightFor } from './response.ts';
import { createRoute, formatHeaders, type Route } from './route.ts';

/** Responds to one request; never throws, never rejects. */
export type App = (
  observed: ObservedRequest,
  platform: Platform,
  body: RequestBody,
) => HttpResponse | Promise<HttpResponse>;

/** The label under which every path without an endpoint is counted. */
export const unknownEndpoint = 'unknown';

const preflight = preflightFor(defaultPolicy);

/** The route of every path without an endpoint. */
const unknownRoute: Route = {
  label: unknownEndpoint,
  policy: defaultPolicy,
  renderError: errorPage,
  serve({ observed }) {
    if (observed.method === 'OPTIONS') return preflight;
    throw new ServiceError('not_found');
  },
};

/** Builds the application of a deployment. Tests serve other lists. */
export function createApp(deployment: Deployment, list: readonly Endpoint[] = endpoints): App {
  const { publicUrl } = deployment;
  const routes = new Map(list.map((endpoint) => [endpoint.path, createRoute(endpoint, deployment)]));
  // A path with a trailing slash is an alias; but // is not an alias of /.
  const findAlias = (path: string): Route | undefined =>
    path.length > 2 && path.endsWith('/') ? routes.get(path.slice(0, -1)) : undefined;
  // Closures are made only if a response takes time: those and promises cost /ip a tenth.
  const app: App = (observed, platform, body) => {
    const context = new AppContext(deployment, observed, platform, body);
    const route = routes.get(observed.path) ?? findAlias(observed.path) ?? unknownRoute;
    let response: HttpResponse | Promise<HttpResponse>;
    try {
      response = route.serve(context);
    } catch (error) {
      response = respondToError(error, context, route);
    }
    if (!(response instanceof Promise)) return count(response, route, platform);
    return response
      .catch((error) => respondToError(error, context, route))
      .then((later) => count(later, route, platform));
  };
  return publicUrl === null ? app : identifySelf(app, publicUrl);
}

function count(response: HttpResponse, { label }: Route, platform: Platform): HttpResponse {
  if (label !== null) platform.count(label, response.status);
  return response;
}

/** A class, so that the origin of a request is built only for responses that contain it: 1 % of `/ip`. */
class AppContext implements RequestContext {
  readonly observed: ObservedRequest;
  readonly platform: Platform;
  readonly body: RequestBody;
  readonly deployment: Deployment;

  constructor(deployment: Deployment, observed: ObservedRequest, platform: Platform, body: RequestBody) {
    this.deployment = deployment;
    this.observed = observed;
    this.platform = platform;
    this.body = body;
  }

  get baseUrl(): string {
    return this.deployment.publicUrl ?? this.observed.origin;
  }
}

/** Marks responses to this service's own lookups, which reached it under another name or address. */
function identifySelf(app: App, publicUrl: string): App {
  const ownUserAgent = outboundUserAgent(publicUrl);
  const mark = (response: HttpResponse): HttpResponse => ({
    ...response,
    headers: { ...response.headers, [selfHeader]: '?1' },
  });
  return (observed, platform, body) => {
    const response = app(observed, platform, body);
    if (observed.headers['user-agent'] !== ownUserAgent) return response;
    return response instanceof Promise ? response.then(mark) : mark(response);
  };
}

/** The one place where a failure becomes a response. */
function respondToError(thrown: unknown, context: RequestContext, { policy, renderError }: Route): HttpResponse {
  const isKnown = thrown instanceof ServiceError;
  if (!isKnown) context.platform.report(thrown);
  const error = isKnown ? thrown : new ServiceError('internal_error');
  const { status, headers, body } = errorResponse(error, context.baseUrl, policy);
  if (renderError === undefined) return { status, headers, body };
  const vary = { Vary: 'Accept' };
  // The same status, headers and message as HTML if the client prefers it.
  return prefersHtml(context.observed.headers.accept)
    ? {
        status,
        headers: { ...headers, ...formatHeaders('html', context.deployment), ...vary },
        body: renderError(error, context),
      }
    : { status, headers: { ...headers, ...vary }, body };
}
