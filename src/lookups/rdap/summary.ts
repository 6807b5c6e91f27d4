/** What most callers want of an RDAP object, in one shape for all registries. */
import type { JsonObject } from './json.ts';
import type { Question } from './query.ts';
import { DomainSummary, domainSummary } from './summary-domain.ts';
import { AutnumSummary, autnumSummary, IpSummary, ipSummary } from './summary-number.ts';

export type Summary = DomainSummary | IpSummary | AutnumSummary;

export const summaries = { domain: DomainSummary, ip: IpSummary, autnum: AutnumSummary } as const;

/** Reads whatever there is: a member that is missing or malformed becomes null or an empty list. `source` was asked. */
export function summarize(kind: Question['kind'], data: JsonObject, source: string): Summary {
  if (kind === 'domain') return domainSummary(data);
  return kind === 'ip' ? ipSummary(data, source) : autnumSummary(data, source);
}
