/** Schema of a row in the list of lookups, and the parts that all lookups share: counting and the identity of their requests. */
import type * as z from 'zod';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import { outboundUserAgent } from './outbound.ts';

export interface Parameter {
  readonly name: string;
  /** Its value, for the documentation. */
  readonly description: string;
  readonly example: string;
  /** The error if it is missing, repeated or not valid. */
  readonly error: ErrorCode;
  /** The message of that error if it is missing or repeated. */
  readonly missing: string;
}

export interface Option {
  readonly name: string;
  readonly description: string;
  /** The default first. */
  readonly values: readonly [string, ...string[]];
}

export interface LookupPage {
  readonly path: string;
  readonly title: string;
  /** The label of its field; if absent, the description of the parameter. */
  readonly label?: string;
  /** The name of its button. */
  readonly action: string;
  /** Text for the page's head and the list of endpoints. */
  readonly description: string;
  /** Completes what a person typed; if absent, it is used as typed. */
  readonly complete?: (typed: string) => string;
}

/** The values as sent. */
export interface LookupQuery {
  /** Null if the parameter is missing or repeated. */
  readonly value: string | null;
  /** Values of the options, by name; absent ones get their default. */
  readonly options?: Readonly<Record<string, string | undefined>>;
}

/** The members of a request that lookups use. */
export interface LookupContext {
  readonly platform: Platform;
  /** The URL of this service, which its outbound requests contain; null if it has none. */
  readonly baseUrl: string | null;
  /** Absent in a terminal, where nobody sent a request. */
  readonly observed?: Pick<ObservedRequest, 'origin'>;
}

export interface Lookup<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  /** Its metric label, and the last part of its endpoint's path. */
  readonly name: Name;
  /** The path of its endpoint. */
  readonly path: string;
  /** Its response, for the documentation. */
  readonly summary: string;
  /** Selects what to look up. */
  readonly parameter: Parameter;
  /** Optional parameters with a fixed set of values. */
  readonly options: readonly Option[];
  /** Its errors besides those of every lookup. */
  readonly errors: readonly ErrorCode[];
  /** The schema of its result. */
  readonly schema: Schema;
  /** Its web page. */
  readonly page: LookupPage;
  /** Runs the lookup, and counts it by its outcome. */
  lookUp(query: LookupQuery, context: LookupContext): Promise<z.infer<Schema>>;
}

interface LookupRequest {
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly platform: Platform;
  readonly userAgent: string;
  /** Origins of this service: the one in its settings, and the one in the client's request; empty in a terminal. */
  readonly ownOrigins: readonly string[];
}

interface LookupRow<Name extends string, Schema extends z.ZodObject>
  extends Omit<Lookup<Name, Schema>, 'path' | 'options' | 'lookUp'> {
  readonly options?: readonly Option[];
  readonly run: (request: LookupRequest) => Promise<z.infer<Schema>>;
}

export function defineLookup<const Name extends string, Schema extends z.ZodObject>({
  run,
  ...row
}: LookupRow<Name, Schema>): Lookup<Name, Schema> {
  const { name, parameter, options = [] } = row;
  const runWith = async ({ value, options: sent = {} }: LookupQuery, context: LookupContext) => {
    const { platform, baseUrl, observed } = context;
    if (value === null) throw new ServiceError(parameter.error, parameter.missing);
    const chosen = options.map((option) => [option.name, sent[option.name] ?? option.values[0]]);
    return run({
      value,
      options: Object.fromEntries(chosen),
      platform,
      userAgent: outboundUserAgent(baseUrl),
      ownOrigins: observed === undefined ? [] : [observed.origin, baseUrl ?? observed.origin],
    });
  };
  return {
    ...row,
    options,
    path: `/api/${name}`,
    async lookUp(query, context) {
      const { platform } = context;
      try {
        const result = await runWith(query, context);
        platform.countLookup(name, 'ok');
        return result;
      } catch (error) {
        platform.countLookup(name, error instanceof ServiceError ? error.code : 'internal_error');
        throw error;
      }
    },
  };
}

/** Reads the parameters of a request. Throws the lookup's error if an option is repeated. */
export function readLookupQuery({ parameter, options }: Lookup, sent: URLSearchParams): LookupQuery {
  const [value = null, ...more] = sent.getAll(parameter.name);
  const chosen = options.map(({ name }) => {
    const [choice, ...repeated] = sent.getAll(name);
    if (repeated.length > 0) throw new ServiceError(parameter.error, `Send ${name} only once.`);
    return [name, choice] as const;
  });
  return { value: more.length > 0 ? null : value, options: Object.fromEntries(chosen) };
}
