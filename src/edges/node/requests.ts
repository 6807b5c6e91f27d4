/** Passes the exchanges of a server to the application, and sends its responses. */
import { errors } from '../../core/errors.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { Platform } from '../../core/platform.ts';
import { type App, unknownEndpoint } from '../../http/app.ts';
import { errorResponse } from '../../http/response.ts';
import type { Handler } from '../../ingress/requests.ts';
import type { ResolveClientRequest } from '../proxy/client-request.ts';
import type { Intercept } from './intercept.ts';
import { NodeRequest, type ServingSite } from './observe.ts';
import type { Responses } from './responses.ts';

/** What the requests of all servers of a thread share. */
export interface RequestServices extends ServingSite {
  readonly app: App;
  readonly platform: Platform;
  readonly metrics: Metrics;
  readonly responses: Responses;
  /** For requests of trusted proxies. */
  readonly resolveClient: ResolveClientRequest;
  readonly intercept: Intercept | null;
}

/** `baseUrl` returns the server's own URL, for requests that name no host and for links to the documentation. */
export function createHandler(services: RequestServices, baseUrl: () => string): Handler {
  const { app, platform, metrics, responses, resolveClient, intercept } = services;
  const reject: Handler['reject'] = (problem, message) => {
    const response = errorResponse({ code: problem, message: message ?? errors[problem].message }, baseUrl());
    platform.count(unknownEndpoint, response.status);
    return response;
  };
  const handle: Handler['handle'] = (exchange) => {
    const startedMs = metrics.now();
    const { target } = exchange;
    const { trusted } = exchange.connection.client;
    const request = new NodeRequest(exchange, services);
    const observed = trusted ? resolveClient(request) : request;
    if (observed === null) return responses.sendNow(exchange, reject('malformed_request'));
    const response = intercept?.(observed, trusted) ?? app(observed, platform, request);
    if (response instanceof Promise || responses.isCompressible(response))
      return responses.sendLater(exchange, response).then(() => metrics.observeDuration(target.path, startedMs));
    responses.sendNow(exchange, response);
    metrics.observeDuration(target.path, startedMs);
  };
  return {
    reject,
    defaultAuthority: () =>
      baseUrl()
        .replace(/^https?:\/\//i, '')
        .replace(/\/.*/, ''),
    handle,
    onError: platform.report,
  };
}
