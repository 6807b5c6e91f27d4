/** One query of a domain report: the answer, or why nothing is known. Only a whole answer with NOERROR or NXDOMAIN shows what does not exist. */
import * as z from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { countedDnsLookup, type createDnsClient } from '../dns/dns-lookup.ts';
import { DnsAnswer, type DnsRecord, type DnsType, dnsTypes } from '../dns/schema.ts';

export type DnsClient = ReturnType<typeof createDnsClient>;

interface Queries {
  readonly client: DnsClient;
  /** Receives the error of a query without an answer. */
  readonly onError?: (error: ServiceError) => void;
}

export const Finding = z.object({
  name: z.string(),
  type: z.enum(dnsTypes),
  /** Null if no resolver responded. */
  answer: DnsAnswer.nullable(),
  /** Why nothing is known; null if the answer is conclusive. */
  failure: z.string().nullable(),
  /** Number of records that do not fit into the answer. */
  omitted: z.int(),
});
export type Finding = z.infer<typeof Finding>;

/** `name` as returned by `parseDnsName`. */
export async function find(name: string, type: DnsType, { client, onError }: Queries): Promise<Finding> {
  try {
    const { answer, omitted, isConclusive } = await countedDnsLookup(name, type, client);
    return { name: answer.name, type, answer, failure: isConclusive ? null : (answer.note ?? answer.status), omitted };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    onError?.(error);
    return { name, type, answer: null, failure: error.message, omitted: 0 };
  }
}

/** None of an answer that is not conclusive: a resolver that blocks a name may send records of its own. */
export const recordsOf = ({ answer, failure }: Finding): readonly DnsRecord[] =>
  failure === null ? (answer?.records ?? []) : [];

/** Why a record may exist that the answer does not contain; null if it contains all. */
export const doubtOf = ({ failure, omitted }: Finding): string | null =>
  failure ?? (omitted > 0 ? `The records exceed the limits of this service; not read: ${omitted}.` : null);

/** Whether the name does not exist. An alias whose target does not exist does exist. */
export const isMissing = ({ answer }: Finding): boolean => answer?.status === 'NXDOMAIN' && answer.exists === false;

/**
 * Whether findings of a name show that it does not exist. One positive answer shows that it does: some servers send NXDOMAIN for AAAA
 * (RFC 4074 §4.2), or for DS from the zone above if it lacks the delegation.
 */
export const isNameMissing = (findings: readonly Finding[]): boolean =>
  findings.some(isMissing) && !findings.some(({ answer }) => answer?.exists === true);

/**
 * Queries the first name, and if it has no such record, all others concurrently. `isFound` decides what counts as one. The findings have
 * the order of the names, and end with the first if that decides, or if its answer is not whole.
 */
export async function climb(
  names: readonly string[],
  type: DnsType,
  { client, isFound }: { readonly client: DnsClient; readonly isFound: (finding: Finding) => boolean },
): Promise<readonly Finding[]> {
  const [own = '', ...others] = names;
  const first = await find(own, type, { client });
  if (isFound(first) || doubtOf(first) !== null) return [first];
  return [first, ...(await Promise.all(others.map((name) => find(name, type, { client }))))];
}
