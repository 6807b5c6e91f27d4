/** Routes of the application: each serves one endpoint, with its methods, rates, formats and headers. */
import { acceptClientHints } from '../client/client-hints.ts';
import { ServiceError } from '../core/errors.ts';
import { type RateDecision, unlimited } from '../core/platform.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import {
  type CustomEndpoint,
  type DocumentEndpoint,
  type ErrorRenderer,
  formatsOf,
  type GetEndpoint,
  type Renderer,
  ratesOf,
} from './endpoint.ts';
import { type Format, mediaTypes, negotiate } from './negotiate.ts';
import { errorPage } from './page/error.ts';
import { pageHeaders } from './page/page-headers.ts';
import {
  type AccessPolicy,
  commonHeaders,
  defaultPolicy,
  type HttpResponse,
  headersFor,
  preflightFor,
} from './response.ts';

export const formatHeaders = {
  json: { 'Content-Type': mediaTypes.json, ...commonHeaders },
  text: { 'Content-Type': `${mediaTypes.text}; charset=utf-8`, ...commonHeaders },
  html: { 'Content-Type': `${mediaTypes.html}; charset=utf-8`, ...commonHeaders },
  card: { 'Content-Type': mediaTypes.card, ...commonHeaders },
  catalog: { 'Content-Type': mediaTypes.catalog, ...commonHeaders },
  svg: { 'Content-Type': mediaTypes.svg, ...commonHeaders },
  ico: { 'Content-Type': mediaTypes.ico, ...commonHeaders },
  png: { 'Content-Type': mediaTypes.png, ...commonHeaders },
} as const satisfies Record<Format, Record<string, string>>;

const preflight = preflightFor(defaultPolicy);

type AnyRenderer = Renderer | NonNullable<DocumentEndpoint['render'][Format]>;

export interface Route {
  /** The path under which requests are counted; null if they are not. */
  readonly label: string | null;
  readonly policy: AccessPolicy;
  /** Renders errors for clients that prefer HTML; null if errors are always JSON. */
  readonly renderError: ErrorRenderer | null;
  serve(context: RequestContext): HttpResponse | Promise<HttpResponse>;
}

/** The route of a path without an endpoint. */
export const noRoute: Pick<Route, 'policy' | 'renderError'> = { policy: defaultPolicy, renderError: errorPage };

export function createRenderRoute(endpoint: GetEndpoint, deployment: Deployment): Route {
  const { publicUrl } = deployment;
  const { render }: { readonly render: { readonly [Each in Format]?: AnyRenderer } } = endpoint;
  const rates = ratesOf(endpoint);
  const offered = formatsOf(endpoint);
  const vary = offered.length > 1 ? { Vary: 'Accept' } : {};
  const headersWith = (extra: Record<string, string>) =>
    Object.fromEntries(
      offered.map((format) => [
        format,
        { ...formatHeaders[format], ...(format === 'html' && pageHeaders(deployment)), ...vary, ...extra },
      ]),
    );
  const plain = headersWith({});
  // Browsers honor it only on secure connections.
  const secure = headersWith({ 'Accept-CH': acceptClientHints });
  // Without a set URL, documents contain the Host of the request, which must not be stored and which a client can vary.
  const isConstant = publicUrl !== null && endpoint.kind === 'document' && !endpoint.isDated;
  // At most two per format: these headers and those over TLS.
  const constants = new Map<HttpResponse['headers'], HttpResponse>();
  const respond = (decision: RateDecision, context: RequestContext): HttpResponse | Promise<HttpResponse> => {
    if (!decision.isAllowed) throw new ServiceError('rate_limited');
    const format = negotiate(offered, context.observed);
    const headers = (context.observed.isSecure ? secure : plain)[format] ?? commonHeaders;
    const constant = isConstant ? constants.get(headers) : undefined;
    if (constant !== undefined) return constant;
    const unavailable = endpoint.kind === 'probe' ? (endpoint.unavailable?.(context.platform) ?? null) : null;
    if (unavailable !== null) return { status: 503, headers, body: unavailable };
    const rendered = render[format]?.(context) ?? '';
    if (rendered instanceof Promise) return okLater(headers, rendered);
    const response = ok(headers, rendered);
    if (!isConstant) return response;
    constants.set(headers, { ...response, isConstant: true });
    return constants.get(headers) ?? response;
  };
  return {
    label: endpoint.kind === 'probe' ? null : endpoint.path,
    policy: defaultPolicy,
    renderError: errorRendererOf(endpoint),
    serve(context) {
      const { observed, platform } = context;
      if (observed.method === 'OPTIONS') return preflight;
      if (observed.method !== 'GET' && observed.method !== 'HEAD') throw new ServiceError('method_not_allowed');
      const decision = rates.length === 0 ? unlimited : platform.limit(rates, observed.rateKey);
      return 'then' in decision ? decision.then((later) => respond(later, context)) : respond(decision, context);
    },
  };
}

function errorRendererOf(endpoint: GetEndpoint): ErrorRenderer | null {
  if (endpoint.kind === 'page') return endpoint.renderError;
  return endpoint.kind === 'document' && 'html' in endpoint.render ? errorPage : null;
}

export function createCustomRoute({ path, methods, cors, explainMethods, respond }: CustomEndpoint): Route {
  const policy = { allow: [...methods, 'OPTIONS'].join(', '), cors };
  const preflight = preflightFor(policy);
  const headers = headersFor(cors);
  return {
    label: path,
    policy,
    renderError: null,
    async serve(context) {
      const { method } = context.observed;
      if (method === 'OPTIONS') return preflight;
      if (!methods.includes(method)) throw new ServiceError('method_not_allowed', explainMethods(context.baseUrl));
      const { status, mediaType, body } = await respond(context);
      return { status, headers: mediaType === null ? headers : { 'Content-Type': mediaType, ...headers }, body };
    },
  };
}

function ok(headers: HttpResponse['headers'], body: HttpResponse['body']): HttpResponse {
  return { status: 200, headers, body };
}

async function okLater(headers: HttpResponse['headers'], body: Promise<string>): Promise<HttpResponse> {
  return ok(headers, await body);
}
