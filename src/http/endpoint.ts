/** What a row of the list of endpoints says. */
import type * as z from 'zod';
import type { RateName } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import type { RequestBody } from '../core/request-body.ts';
import type { Format } from './negotiate.ts';

/** What an endpoint answers from. */
export interface Call {
  readonly observed: ObservedRequest;
  readonly platform: Platform;
  readonly body: RequestBody;
  /** The service's own address without a final slash, where it was set. */
  readonly publicUrl: string | null;
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
  answer(call: Call): Promise<Exchanged>;
}

export interface Exchanged {
  readonly status: number;
  /** Null where there is no body. */
  readonly mediaType: string | null;
  readonly body: string;
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
}
