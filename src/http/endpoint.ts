/** Schema of a row in the list of endpoints, and the values derived from it: formats, errors, an example. */
import type * as z from 'zod';
import type { ErrorCode, ServiceError } from '../core/errors.ts';
import type { RateName } from '../core/limits.ts';
import type { Platform, RateDecision } from '../core/platform.ts';
import type { Body, Deployment, RequestContext } from '../core/request-context.ts';
import type { DialectRow } from '../dialects/dialect.ts';
import type { Lookup, Parameter } from '../lookups/lookup.ts';
import type { Tool } from '../mcp/tool.ts';
import { type Format, mediaTypes } from './negotiate.ts';

export type Renderer = (context: RequestContext, decision: RateDecision) => Body | Promise<Body>;

/** Renders an error for clients that prefer HTML. */
export type ErrorRenderer = (error: Pick<ServiceError, 'code' | 'message'>, context: RequestContext) => string;

/**
 * An endpoint. `address`: the client's IP address. `resource`: some of the observed values. `value`: one of them. `test`: more of the
 * client's connection than the request shows. `lookup`: a query to other servers. `page`: the web page of a lookup. `dialect`: a path of
 * another service. `mcp`: the MCP server. `document`: the same for every client, except for the service's own URL. `probe`: a health check,
 * which is not counted.
 */
export interface Endpoint {
  readonly kind:
    | 'address'
    | 'resource'
    | 'value'
    | 'test'
    | 'lookup'
    | 'page'
    | 'dialect'
    | 'mcp'
    | 'document'
    | 'probe';
  /** `{ip}` and `{port}` in it stand for an address and a port that the client names. */
  readonly path: string;
  /** Its response, for the documentation. */
  readonly summary: string;
  /** Rates that a request counts against. */
  readonly rates: readonly RateName[];
  /** Selects the rates of one request; if absent, each counts against `rates`. */
  readonly ratesOf?: (context: RequestContext) => readonly RateName[];
  /** Errors that do not follow from its formats, lookup and rates. */
  readonly errors?: readonly ErrorCode[];
  /** A function for each format of its response to GET, the default first. */
  readonly render: { readonly [Each in Format]?: Renderer };
  /** Parameters of an endpoint that runs no lookup. */
  readonly parameters?: readonly OwnParameter[];
  /** The path and query of another page that responds instead; null if none does. */
  readonly redirectTo?: (context: RequestContext) => string | null;
  /** The schema of its JSON. */
  readonly schema?: z.ZodObject;
  /** Set if the client can choose between JSON and text: content of the other format than the default, for the documentation. */
  readonly otherFormat?: string;
  /** The lookup that it runs. */
  readonly lookup?: Lookup;
  /** Renders its errors as HTML; if absent, they are always JSON. */
  readonly renderError?: ErrorRenderer;
  /** Other documents that its responses name, with their relation types (IANA registry of link relations). */
  readonly links?: readonly { readonly path: string; readonly rel: string }[];
  /** Whether its response is the same for every client, except for the URL of the service. */
  readonly isConstant?: boolean;
  /** Set if its response contains the URL of the service: without PUBLIC_URL, that has the Host of the request. */
  readonly namesService?: true;
  /** Whether a deployment offers it: otherwise the response is `not_enabled`; if absent, every one does. */
  readonly isOffered?: (deployment: Deployment) => boolean;
  /** Selects between the statuses 200 and 503; if absent, it is always available. */
  readonly isAvailable?: (platform: Platform) => boolean;
  /** Renders its response to GET, instead of `render`. */
  readonly dialect?: DialectRow;
  /** The tools of the MCP server, which responds to POST instead of GET. */
  readonly tools?: readonly Tool[];
}

interface OwnParameter extends Pick<Parameter, 'name' | 'description'> {
  readonly example?: string;
  /** JSON Schema of its value; if absent, any text. */
  readonly schema?: object;
  readonly isRequired?: true;
}

/** The rates of most endpoints, and those of lookups. */
export const generalRates = ['general'] as const;
export const lookupRates = ['general', 'lookup'] as const;

/** Whether its responses state the limits of the rates that they count against: only JSON that programs read, because a line of text would grow by half. */
export const statesLimits = ({ kind, dialect }: Endpoint): boolean =>
  kind === 'resource' ||
  kind === 'test' ||
  kind === 'lookup' ||
  dialect?.mediaType.startsWith(mediaTypes.json) === true;

/** Whether it responds to GET. */
export const handlesGet = ({ kind }: Endpoint): boolean => kind !== 'mcp';

/** Returns a function that defines endpoints which have these members in common. */
export const definer =
  (common: Omit<Endpoint, 'path' | 'summary' | 'render'>) =>
  (path: string, summary: string, render: Endpoint['render']): Endpoint => ({ ...common, path, summary, render });

/** The formats it offers to GET, the default first. */
export const formatsOf = ({ render }: Endpoint): readonly Format[] => Object.keys(render) as Format[];

/** Its response and parameters, as a table cell. */
export function describeEndpoint({ kind, summary, lookup, parameters: own = [] }: Endpoint): string {
  const ofLookup = kind === 'lookup' && lookup ? [lookup.parameter, ...lookup.options] : [];
  const parameters = kind === 'test' ? own : ofLookup;
  return [summary, ...parameters.map(({ name, description }) => `${name}: ${description}`)].join('; ');
}

/** The parts of paths that stand for an address and for a port. */
export const addressPart = '{ip}';
export const portPart = '{port}';

/** A path and query to which it responds. */
export function exampleOf({ path, lookup, parameters = [] }: Endpoint): string {
  const required = lookup === undefined ? parameters.filter(({ isRequired }) => isRequired) : [lookup.parameter];
  const query = new URLSearchParams(required.map(({ name, example = '' }) => [name, example]));
  return path.replace(addressPart, '8.8.8.8').replace(portPart, '443') + (query.size === 0 ? '' : `?${query}`);
}

/** Every code of its response to GET, except for `internal_error`, which all have. */
export function errorsOf({ kind, otherFormat, errors = [], lookup, isOffered, rates }: Endpoint): readonly ErrorCode[] {
  const all: (ErrorCode | false)[] = [
    otherFormat !== undefined && 'invalid_format',
    ...errors,
    isOffered !== undefined && 'not_enabled',
    ...(lookup ? ([lookup.parameter.error, 'invalid_target', ...lookup.errors, 'overloaded'] as const) : []),
    rates.length > 0 && 'rate_limited',
    kind === 'document' && 'document_limit',
  ];
  return all.filter((code) => code !== false);
}
