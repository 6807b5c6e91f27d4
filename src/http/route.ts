/** Routes of the application: each serves one endpoint, with its methods, rates, formats and headers. */
import { acceptClientHints } from '../client/client-hints.ts';
import { ServiceError } from '../core/errors.ts';
import type { RateName } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { type Platform, type RateDecision, type RequestBody, unlimited } from '../core/platform.ts';
import type { Deployment, HttpResponse, RequestContext } from '../core/request-context.ts';
import { type DialectReply, type DialectRow, subjectOf } from '../dialects/dialect.ts';
import { createMcpServer } from '../mcp/server.ts';
import { documentationUrl } from '../mcp/server-info.ts';
import type { Tool } from '../mcp/tool.ts';
import { addressPart, type Endpoint, type ErrorRenderer, formatsOf, portPart, statesLimits } from './endpoint.ts';
import { checkClientPort, runsPortCheck } from './lookup-endpoints.ts';
import { contentTypeOf, type Format, negotiate } from './negotiate.ts';
import { pageHeaders } from './page/page-headers.ts';
import { rejectOtherOrigins } from './request-origin.ts';
import { type CountedRates, commonHeaders, defaultPolicy, headersFor, memoize } from './response.ts';

/** The context of a request. A class, so that the origin of a request is built only for responses that contain it: 1 % of `/ip`. */
export class RouteContext implements RequestContext {
  /** The rates that counted the request, if responses state them; its route sets it. */
  counted: CountedRates | null = null;
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

export interface Route {
  /** The path under which requests are counted; null if they are not. */
  readonly label: string | null;
  readonly policy: typeof defaultPolicy;
  /** Renders errors for clients that prefer HTML; if absent, errors are always JSON. */
  readonly renderError?: ErrorRenderer | undefined;
  serve(context: RouteContext): HttpResponse | Promise<HttpResponse>;
}

/** Headers of a response in this format. */
export const formatHeaders = (format: Format, deployment: Deployment, isSecure: boolean): Record<string, string> => ({
  'Content-Type': contentTypeOf(format),
  ...commonHeaders,
  ...(format === 'html' && pageHeaders(deployment, isSecure)),
});

export function createRoute(endpoint: Endpoint, deployment: Deployment): Route {
  const { path, kind, tools, renderError } = endpoint;
  const label = kind === 'probe' ? null : path;
  if (tools !== undefined) return { label, policy: mcpPolicy, serve: createMcpHandler(tools, deployment) };
  return { label, policy: defaultPolicy, renderError, serve: createGetHandler(endpoint, deployment) };
}

function createGetHandler(endpoint: Endpoint, deployment: Deployment): Route['serve'] {
  const { kind, ratesOf = () => endpoint.rates, render, isAvailable, dialect, redirectTo = () => null } = endpoint;
  const offered = formatsOf(endpoint);
  const vary = offered.length > 1 ? { Vary: 'Accept' } : {};
  const link = endpoint.links === undefined ? {} : { Link: linksOf(endpoint.links) };
  const headersWith = (isSecure: boolean): Partial<Record<Format, HttpResponse['headers']>> => {
    // Browsers honor it only on secure connections.
    const hints = isSecure ? { 'Accept-CH': acceptClientHints } : {};
    const headersOf = (format: Format) => ({
      ...formatHeaders(format, deployment, isSecure),
      ...vary,
      ...link,
      ...hints,
    });
    return Object.fromEntries(offered.map((format) => [format, headersOf(format)]));
  };
  const plain = headersWith(false);
  const secure = headersWith(true);
  const isCounted = statesLimits(endpoint);
  // The Host of a request must not be stored, and a client can vary it.
  const isConstant = endpoint.isConstant === true && !(endpoint.namesService && deployment.publicUrl === null);
  const document = kind === 'document' ? ({ isDocument: true } as const) : null;
  // At most two per format: these headers and those over TLS.
  const constants = new Map<HttpResponse['headers'], HttpResponse>();
  const isOffered = endpoint.isOffered?.(deployment) ?? true;
  const respond = (context: RouteContext, rates: readonly RateName[], decision: RateDecision) => {
    if (isCounted) context.counted = { rates, decision };
    if (!decision.isAllowed) throw new ServiceError('rate_limited');
    if (!isOffered) throw new ServiceError('not_enabled');
    if (dialect !== undefined) return respondAs(dialect, context, decision);
    const format = negotiate(offered, context.observed);
    const headers = (context.observed.isSecure ? secure : plain)[format] ?? commonHeaders;
    const constant = isConstant ? constants.get(headers) : undefined;
    if (constant !== undefined) return constant;
    const location = redirectTo(context);
    if (location !== null) return { status: 303, headers: { ...headers, Location: location }, body: '' };
    const body = render[format]?.(context, decision) ?? '';
    if (body instanceof Promise) return body.then((later) => ({ status: 200, headers, body: later }));
    if (isAvailable?.(context.platform) === false) return { status: 503, headers, body };
    if (!isConstant) return { status: 200, headers, body, ...document };
    const response = { status: 200, headers, body, isConstant, ...document } as const;
    constants.set(headers, response);
    return response;
  };
  return (context) => {
    const { observed, platform } = context;
    if (observed.method !== 'GET' && observed.method !== 'HEAD') throw new ServiceError('method_not_allowed');
    const rates = ratesOf(context);
    const decision = rates.length === 0 ? unlimited : platform.limit(rates, observed.rateKey);
    if (!('then' in decision)) return respond(context, rates, decision);
    return decision.then((later) => respond(context, rates, later));
  };
}

/** RFC 8288. */
const linksOf = (links: NonNullable<Endpoint['links']>): string =>
  links.map(({ path, rel }) => `<${path}>; rel="${rel}"`).join(', ');

/** The text in the path in place of a part such as `{ip}`, not validated; null if the path has no such part. */
function namedInPath(part: string, { path }: DialectRow, observed: ObservedRequest): string | null {
  const at = path.split('/').indexOf(part);
  return at === -1 ? null : decode(observed.path.split('/')[at] ?? '');
}

/** The address that the client names in the path or the query, not validated; null for the client's own. */
export function namedAddress(dialect: DialectRow, observed: ObservedRequest): string | null {
  const named = namedInPath(addressPart, dialect, observed);
  if (named !== null || dialect.addressParameter === undefined || observed.query === '') return named;
  return new URLSearchParams(observed.query).get(dialect.addressParameter) || null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The response of a dialect. */
function respondAs(
  dialect: DialectRow,
  context: RequestContext,
  decision: RateDecision,
): HttpResponse | Promise<HttpResponse> {
  const { observed, platform } = context;
  if (dialect.connectsBack) {
    rejectOtherOrigins(context);
    if (!runsPortCheck(context)) return { status: 200, headers: headersOf(dialect), body: '' };
  }
  const named = namedAddress(dialect, observed);
  const reply = dialect.shape({
    ...subjectOf(named, observed, platform.addressData),
    observed,
    decision,
    isLookup: named !== null,
    port: namedInPath(portPart, dialect, observed),
    nowMs: platform.now(),
    query: [...new URLSearchParams(observed.query)],
    checkPort: (port) => checkClientPort([['port', port]], context),
  });
  return reply instanceof Promise ? reply.then((later) => responseTo(later, dialect)) : responseTo(reply, dialect);
}

function responseTo(reply: string | DialectReply, dialect: DialectRow): HttpResponse {
  if (typeof reply === 'string') return { status: 200, headers: headersOf(dialect), body: reply };
  const { body, status = 200, mediaType = dialect.mediaType, headers } = reply;
  return { status, headers: { ...headersOf(dialect), 'Content-Type': mediaType, ...headers }, body };
}

const headersOf = memoize(({ mediaType }: DialectRow) => ({ 'Content-Type': mediaType, ...commonHeaders }));

const mcpPolicy = {
  allow: 'POST, OPTIONS',
  // The protocol's, though there are no streams to GET and no sessions to DELETE.
  corsMethods: 'POST, GET, DELETE',
  corsHeaders: 'Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name',
  exposedHeaders: 'Mcp-Session-Id',
};

function createMcpHandler(tools: readonly Tool[], deployment: Deployment): Route['serve'] {
  const respond = createMcpServer(tools, deployment, headersFor(mcpPolicy));
  return (context) => {
    if (context.observed.method === 'POST') return respond(context);
    const docs = documentationUrl(context.baseUrl);
    const reason = `This is an MCP endpoint (Streamable HTTP): send JSON-RPC messages with POST. See ${docs}.`;
    throw new ServiceError('method_not_allowed', reason);
  };
}
