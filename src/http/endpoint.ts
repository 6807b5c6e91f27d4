/** Schema of a row in the list of endpoints, and the values derived from it: formats, rates, errors, an example. */
import type * as z from 'zod';
import type { ErrorCode, ServiceError } from '../core/errors.ts';
import type { RateName } from '../core/limits.ts';
import type { Platform } from '../core/platform.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { Lookup, Option, Parameter } from '../lookups/lookup.ts';
import type { McpResponse } from '../mcp/message.ts';
import type { Format } from './negotiate.ts';

interface Described {
  readonly path: string;
  /** Its response, for the documentation. */
  readonly summary: string;
}

export type Renderer = (context: RequestContext) => string | Promise<string>;

/** A file of bytes, such as an image. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The client's IP address, without a JSON form. */
export interface AddressEndpoint extends Described {
  readonly kind: 'address';
  readonly render: { readonly text: Renderer; readonly html?: Renderer };
}

/** Some of the observed values of the request, in JSON or text. */
export interface ResourceEndpoint extends Described {
  readonly kind: 'resource';
  readonly schema: z.ZodObject;
  /** Content of its text, for the OpenAPI description. */
  readonly textSummary: string;
  readonly render: { readonly json: Renderer; readonly text: Renderer };
}

/** One value, as a line of text or as JSON with one key; text unless JSON is preferred. */
export interface ValueEndpoint extends Described {
  readonly kind: 'value';
  readonly rates: readonly RateName[];
  readonly errors: readonly ErrorCode[];
  readonly schema: z.ZodObject;
  readonly render: { readonly text: Renderer; readonly json: Renderer };
}

/** A lookup as JSON. */
export interface LookupEndpoint extends Described {
  readonly kind: 'lookup';
  readonly lookup: Lookup;
  readonly render: { readonly json: Renderer };
}

/** A lookup as a page: its form, and its result if the visitor requested it. */
export interface LookupPageEndpoint extends Described {
  readonly kind: 'page';
  readonly lookup: Lookup;
  readonly render: { readonly html: Renderer };
  /** The page with the form and the error. */
  readonly renderError: ErrorRenderer;
}

/** Renders an error for clients that prefer HTML. */
export type ErrorRenderer = (error: Pick<ServiceError, 'code' | 'message'>, context: RequestContext) => string;

/** The same for every client, except for the service's own URL. */
export interface DocumentEndpoint extends Described {
  readonly kind: 'document';
  readonly errors: readonly ErrorCode[];
  /** Whether it contains a date, so that it cannot be rendered once. */
  readonly isDated: boolean;
  readonly render: { readonly [Each in Format]?: (context: RequestContext) => string | Bytes };
}

/** A health check, as text: without a rate, and not counted. */
export interface ProbeEndpoint extends Described {
  readonly kind: 'probe';
  readonly render: { readonly text: Renderer };
  /** Returns the body of a 503 response, or null if the service is available; null if it always is. */
  readonly unavailable: ((platform: Platform) => string | null) | null;
}

/** An endpoint that reads a body and enforces its limits itself. */
export interface CustomEndpoint extends Described {
  readonly kind: 'custom';
  readonly methods: readonly string[];
  /** The message that rejects any other method. */
  explainMethods(baseUrl: string): string;
  readonly cors: CorsPolicy;
  respond(context: RequestContext): Promise<McpResponse>;
}

export type GetEndpoint =
  | AddressEndpoint
  | ResourceEndpoint
  | ValueEndpoint
  | LookupEndpoint
  | LookupPageEndpoint
  | DocumentEndpoint
  | ProbeEndpoint;
export type Endpoint = GetEndpoint | CustomEndpoint;

/** Permissions of pages from other origins: lists, in the form of the headers. */
export interface CorsPolicy {
  readonly methods: string;
  readonly requestHeaders: string;
  readonly exposedHeaders: string;
}

/** Rates that a request counts against. */
const ratesByKind = {
  address: ['general'],
  resource: ['general'],
  lookup: ['general', 'lookup'],
  page: ['general', 'lookup'],
  document: [],
  probe: [],
  custom: [],
} as const satisfies Record<Exclude<Endpoint['kind'], 'value'>, readonly RateName[]>;

export const ratesOf = (endpoint: Endpoint): readonly RateName[] =>
  endpoint.kind === 'value' ? endpoint.rates : ratesByKind[endpoint.kind];

/** Whether it responds to GET. */
export const handlesGet = (endpoint: Endpoint): endpoint is GetEndpoint => endpoint.kind !== 'custom';

/** The formats it offers to GET, the default first. */
export const formatsOf = (endpoint: Endpoint): readonly Format[] =>
  handlesGet(endpoint) ? (Object.keys(endpoint.render) as Format[]) : [];

/** Whether the client can choose between JSON and text. */
export const takesFormat = ({ kind }: Endpoint): boolean => kind === 'resource' || kind === 'value';

/** The schema of its JSON; null if it has none. */
export const schemaOf = (endpoint: Endpoint): z.ZodObject | null =>
  'schema' in endpoint ? endpoint.schema : endpoint.kind === 'lookup' ? endpoint.lookup.schema : null;

/** Its response and parameters, as a table cell. */
export const describeEndpoint = (endpoint: Endpoint): string =>
  endpoint.kind === 'lookup'
    ? [endpoint.summary, ...[endpoint.lookup.parameter, ...endpoint.lookup.options].map(describeParameter)].join('; ')
    : endpoint.summary;

const describeParameter = ({ name, description }: Parameter | Option): string => `${name}: ${description}`;

/** A path and query to which it responds. */
export function exampleOf(endpoint: Endpoint): string {
  const lookup = lookupOf(endpoint);
  if (lookup === null) return endpoint.path;
  return `${endpoint.path}?${new URLSearchParams({ [lookup.parameter.name]: lookup.parameter.example })}`;
}

/** The lookup of the endpoint or page; null if it is neither. */
export const lookupOf = (endpoint: Endpoint): Lookup | null => ('lookup' in endpoint ? endpoint.lookup : null);

/** Every code of its response to GET, except for `internal_error`, which all have. */
export function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const lookup = lookupOf(endpoint);
  return [
    ...(takesFormat(endpoint) ? (['invalid_format'] as const) : []),
    ...(endpoint.kind === 'value' || endpoint.kind === 'document' ? endpoint.errors : []),
    ...(lookup === null ? [] : ([lookup.parameter.error, 'invalid_target', ...lookup.errors, 'overloaded'] as const)),
    ...(ratesOf(endpoint).length > 0 ? (['rate_limited'] as const) : []),
  ];
}
