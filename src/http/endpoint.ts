/** What a row of the list of endpoints says. */
import type * as z from 'zod';
import type { ErrorCode } from '../core/errors.ts';
import type { RateName } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import type { RequestBody } from '../core/request-body.ts';
import type { Contact } from '../core/settings.ts';
import type { McpAnswer } from '../mcp/server.ts';
import type { Format } from './negotiate.ts';

/** What the operator tells callers of this deployment; the settings do. */
export interface Deployment {
  /** The service's own address without a final slash; null to take what each request asked for. */
  readonly publicUrl: string | null;
  readonly contact: Contact | null;
}

/** What an endpoint answers from. */
export interface Call extends Deployment {
  readonly observed: ObservedRequest;
  readonly platform: Platform;
  readonly body: RequestBody;
}

/** The service's own address for this call. */
export const baseOf = ({ observed, publicUrl }: Pick<Call, 'observed' | 'publicUrl'>): string =>
  publicUrl ?? observed.origin;

export interface Endpoint {
  readonly path: string;
  /** What it answers, for the documentation. */
  readonly summary: string;
  /** Every call spends from each of them. */
  readonly rates: readonly RateName[];
  /** The query parameter it cannot do without; null where there is none. */
  readonly parameter: Parameter | null;
  /** What it can answer instead, besides what follows from the other fields. */
  readonly errors: readonly ErrorCode[];
  /** The shape of its JSON; null where it has none. */
  readonly schema: z.ZodObject | null;
  /** One printer for each format it offers. */
  readonly print: { readonly [Each in Format]?: (call: Call) => string | Promise<string> };
}

/** A path and query that the endpoint answers. */
export const exampleOf = ({ path, parameter }: Pick<Endpoint, 'path' | 'parameter'>): string =>
  parameter === null ? path : `${path}?${new URLSearchParams({ [parameter.name]: parameter.example })}`;

/** An endpoint that takes a body and answers in its own way: it prints nothing for GET, and holds its limits itself. */
export interface Exchange extends Endpoint {
  readonly methods: readonly string[];
  readonly cors: Cors;
  answer(call: Call): Promise<McpAnswer>;
}

/** What a page of another origin may do: lists, as the headers have them. */
export interface Cors {
  readonly methods: string;
  readonly requestHeaders: string;
  readonly exposedHeaders: string;
}

export interface Parameter {
  readonly name: string;
  /** What its value is, for the documentation. */
  readonly is: string;
  readonly example: string;
  /** What is answered where it is missing, given twice or no such value. */
  readonly error: ErrorCode;
}

/** What it answers, and to what, in a line of a table. */
export const answerOf = ({ summary, parameter }: Endpoint): string =>
  parameter === null ? summary : `${summary}; ${parameter.name}: ${parameter.is}`;

/** Whether it answers a GET. */
export const prints = ({ print }: Endpoint): boolean => Object.keys(print).length > 0;

/** Whether the caller may choose between JSON and text. */
export const takesFormat = ({ print }: Endpoint): boolean => print.json !== undefined && print.text !== undefined;

/** Every code its GET can answer with but `internal_error`, which all can. */
export function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const { parameter, errors, rates } = endpoint;
  return [
    ...(takesFormat(endpoint) ? (['invalid_format'] as const) : []),
    ...(parameter === null ? [] : [parameter.error]),
    ...errors,
    ...(rates.length > 0 ? (['rate_limited'] as const) : []),
  ];
}
