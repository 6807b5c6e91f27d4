/** What a row of the list of endpoints says. */
import type * as z from 'zod';
import type { RateName } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import type { Format } from './negotiate.ts';

/** What an endpoint answers from. */
export interface Call {
  readonly observed: ObservedRequest;
  readonly platform: Platform;
  /** The service's own address without a final slash, where it was set. */
  readonly publicUrl: string | null;
}

export interface Endpoint {
  readonly path: string;
  /** What it answers, for the documentation. */
  readonly summary: string;
  readonly rate: RateName | null;
  /** The shape of its JSON; null where it has none. */
  readonly schema: z.ZodObject | null;
  /** One printer for each format it offers. */
  readonly print: { readonly [Each in Format]?: (call: Call) => string };
}
