/** Schema of a row in the list of lookups, and the parts that all lookups share: counting and the identity of their requests. */
import type * as z from 'zod';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import type { Deployment } from '../core/request-context.ts';
import { outboundUserAgent } from './outbound.ts';

export interface Parameter {
  readonly name: string;
  /** Its value, for the documentation. */
  readonly description: string;
  readonly example: string;
  /** The error if it is missing, repeated or not valid. */
  readonly error: ErrorCode;
}

export interface LookupOption {
  readonly name: string;
  readonly description: string;
  /** The default first. */
  readonly values: readonly [string, ...string[]];
}

/** Names and values of parameters as sent; an absent value is undefined. */
export type LookupParameters = Iterable<readonly [name: string, value: string | undefined]>;

/** The members of a request that lookups use. */
interface LookupContext {
  readonly platform: Platform;
  /** The URL of this service, which its outbound requests contain; null if it has none. */
  readonly baseUrl: string | null;
  /** Absent in a terminal, which has no client. */
  readonly observed?: ObservedRequest;
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
  readonly options: readonly LookupOption[];
  /** Errors of this lookup, besides those that every lookup has. */
  readonly errors: readonly ErrorCode[];
  /** The schema of its result. */
  readonly schema: Schema;
  /** Set if it needs a runtime that shows the certificates of servers. */
  readonly readsCertificates?: true;
  /** Completes what a person typed, on its page or in a terminal; if absent, it is used as typed. */
  readonly complete?: (typed: string) => string;
  /** Runs the lookup, and counts it by its outcome. */
  lookUp(sent: LookupParameters, context: LookupContext): Promise<z.infer<Schema>>;
}

/** Whether it has a result only with databases of IP addresses. */
export const needsAddressData = ({ errors }: Lookup): boolean => errors.includes('no_database');

/** Whether a deployment offers it. */
export const isOfferedBy = (
  lookup: Lookup,
  { hasAddressData = true, readsCertificates = true }: Pick<Deployment, 'hasAddressData' | 'readsCertificates'>,
): boolean => (hasAddressData || !needsAddressData(lookup)) && (readsCertificates || !lookup.readsCertificates);

interface LookupRequest {
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly platform: Platform;
  readonly userAgent: string;
  /** The client's request; undefined in a terminal. */
  readonly observed: ObservedRequest | undefined;
  /** Origins of this service: the one in its settings, and the one in the client's request; empty in a terminal. */
  readonly ownOrigins: readonly string[];
}

interface LookupRow<Name extends string, Schema extends z.ZodObject>
  extends Omit<Lookup<Name, Schema>, 'path' | 'options' | 'lookUp'> {
  readonly options?: readonly LookupOption[];
  readonly run: (request: LookupRequest) => Promise<z.infer<Schema>>;
}

/** The platform, which counts each outbound request as one of this client. */
function platformOf(platform: Platform, client: string | null): Platform {
  if (client === null) return platform;
  const { fetch, fetchPublic, handshakes } = platform;
  return {
    ...platform,
    fetch: (request) => fetch({ ...request, client }),
    fetchPublic: (request) => fetchPublic({ ...request, client }),
    ...(handshakes && { handshakes: (request) => handshakes({ ...request, client }) }),
  };
}

export function defineLookup<const Name extends string, Schema extends z.ZodObject>({
  run,
  ...row
}: LookupRow<Name, Schema>): Lookup<Name, Schema> {
  const { name, parameter, options = [] } = row;
  const readRequest = (sent: LookupParameters, { platform, baseUrl, observed }: LookupContext): LookupRequest => {
    const byName = Map.groupBy(sent, ([sentName]) => sentName);
    const readOne = (name: string, error: string): string | undefined => {
      const [found, ...repeated] = byName.get(name) ?? [];
      if (repeated.length > 0) throw new ServiceError(parameter.error, error);
      return found?.[1];
    };
    const chosen = options.map(({ name, values }) => [name, readOne(name, `Send ${name} only once.`) ?? values[0]]);
    const missing = `Send the parameter ${parameter.name} exactly once, such as ?${parameter.name}=${parameter.example}.`;
    const value = readOne(parameter.name, missing);
    if (value === undefined) throw new ServiceError(parameter.error, missing);
    return {
      value,
      options: Object.fromEntries(chosen),
      platform: platformOf(platform, observed?.ip ?? null),
      userAgent: outboundUserAgent(baseUrl),
      observed,
      ownOrigins: observed === undefined ? [] : [observed.origin, baseUrl ?? observed.origin],
    };
  };
  return {
    ...row,
    options,
    path: `/api/${name}`,
    async lookUp(sent, context) {
      const { platform } = context;
      try {
        const result = await run(readRequest(sent, context));
        platform.countLookup(name, 'ok');
        return result;
      } catch (error) {
        platform.countLookup(name, error instanceof ServiceError ? error.code : 'internal_error');
        throw error;
      }
    },
  };
}
