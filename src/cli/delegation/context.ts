/** What the parts of the check of a delegation have in common: its input, and the form of a finding. */
import { ServiceError } from '../../core/errors.ts';
import type { DnsAnswer, DnsType } from '../../lookups/dns/schema.ts';
import type { QueryAuthority, QueryServer } from './name-server.ts';

export interface DelegationContext {
  readonly zone: string;
  /** Names of the servers in DNS_NAME_SERVERS. */
  readonly nameServers: readonly string[];
  /** Rejects with a ServiceError if no resolver responds. */
  readonly resolve: (name: string, type: DnsType) => Promise<DnsAnswer>;
  /** Whether instances that serve the zone pass on queries to each other, by RATE_LIMIT_STORE. */
  readonly hasStore: boolean;
  readonly queryServer: QueryServer;
  readonly queryAuthority: QueryAuthority;
}

/** `unknown`: this machine cannot test it, or resolvers do not show it. */
export interface Finding {
  readonly result: 'ok' | 'failed' | 'unknown';
  /** The finding; for a failure, also what to change. */
  readonly text: string;
}

export const ok = (text: string): Finding => ({ result: 'ok', text });
export const failed = (text: string): Finding => ({ result: 'failed', text });
export const unknown = (text: string): Finding => ({ result: 'unknown', text });

/** The answer of a resolver; null if none responds: one that tries every server of a zone before it fails may take longer than a lookup waits. */
export async function tryResolve(
  name: string,
  type: DnsType,
  { resolve }: Pick<DelegationContext, 'resolve'>,
): Promise<DnsAnswer | null> {
  try {
    return await resolve(name, type);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** Describes why there is no usable answer. */
export const statusText = (answer: DnsAnswer | null): string => answer?.status ?? 'no response in time';

/** Data of the records that the name itself owns: a response may also contain those of an alias's target. */
export const ownData = (answer: DnsAnswer | null, name: string): readonly string[] =>
  (answer?.records ?? []).filter((record) => record.name.toLowerCase() === name).map(({ data }) => data.toLowerCase());

/** A record as in a zone file, in quotation marks. */
export const recordText = (owner: string, type: DnsType, data: string): string => `"${owner}. ${type} ${data}"`;

export const joinAll = (parts: readonly string[]): string => parts.join(' and ');
