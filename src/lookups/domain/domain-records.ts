/** All usual DNS records of a domain, with the DMARC policy and the CAA records that apply to it. */
import * as z from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { parseDnsName } from '../dns/name.ts';
import type { DnsType } from '../dns/schema.ts';
import { dmarcNames, hasDmarc } from './dmarc.ts';
import { climb, type DnsClient, doubtOf, Finding, find, isNameMissing, recordsOf } from './finding.ts';
import { missingQueries } from './spf.ts';

/** CAA has a search of its own. */
const recordTypes = ['A', 'AAAA', 'MX', 'NS', 'TXT', 'HTTPS', 'DS'] as const satisfies readonly DnsType[];

/** RFC 8659 §3: the closest name with records decides. Longer names are rare, and each label costs a query. */
const maxCaaNames = 10;

export const DomainRecords = z.object({
  name: z.string(),
  /** One for each record type, in order. */
  records: z.array(Finding),
  /** Records to which the SPF record refers, besides `records`. */
  spf: z.array(Finding),
  /** From the name upwards: the first only, if it has what applies. */
  caa: z.array(Finding),
  dmarc: z.array(Finding),
});
export type DomainRecords = z.infer<typeof DomainRecords>;

/** Throws `invalid_query`, and the error of a query if none has an answer. */
export async function domainRecordsOf(text: string, client: DnsClient): Promise<DomainRecords> {
  const name = parseDnsName(text);
  const errors: ServiceError[] = [];
  const onError = (error: ServiceError): void => void errors.push(error);
  const queried = recordTypes.map((type) => find(name, type, { client, onError }));
  const [records, spf, caa, dmarc] = await Promise.all([
    Promise.all(queried),
    Promise.all(queried).then((found) => followSpf(found, client)),
    climb(caaNames(name), 'CAA', { client, isFound: (finding) => recordsOf(finding).length > 0 }),
    climb(dmarcNames(name), 'TXT', { client, isFound: hasDmarc }),
  ]);
  const [error] = errors;
  if (error !== undefined && records.every(({ answer }) => answer === null)) throw error;
  return { name, records, spf, caa: [...caa], dmarc: [...dmarc] };
}

/** The names of a level concurrently: SPF has at most ten terms that need a query, included records among them. */
async function followSpf(found: readonly Finding[], client: DnsClient): Promise<Finding[]> {
  const txt = found.find(({ type }) => type === 'TXT');
  const followed: Finding[] = [];
  for (;;) {
    const queries = txt === undefined ? [] : missingQueries(txt, [...found, ...followed]);
    if (queries.length === 0) return followed;
    followed.push(...(await Promise.all(queries.map(({ name, type }) => find(name, type, { client })))));
  }
}

/** The name and its parents, without the root. */
export function caaNames(name: string): readonly string[] {
  const labels = name.split('.');
  return labels.map((_, at) => labels.slice(at).join('.')).slice(0, maxCaaNames);
}

/** The CAA records that apply; `unknown` if the answer for a name on the way up is not whole, or the name has more labels than are queried. */
export function caaOf({ name, caa }: Pick<DomainRecords, 'name' | 'caa'>) {
  for (const finding of caa) {
    if (finding.failure !== null) return { kind: 'unknown', reason: finding.failure } as const;
    if (recordsOf(finding).length > 0) return { kind: 'found', finding } as const;
    const doubt = doubtOf(finding);
    if (doubt !== null) return { kind: 'unknown', reason: doubt } as const;
  }
  if (name.split('.').length > maxCaaNames)
    return {
      kind: 'unknown',
      reason: `None at its lowest ${maxCaaNames} names; those above were not queried.`,
    } as const;
  return { kind: 'none' } as const;
}

/**
 * The first address of a domain, IPv4 first. Throws `invalid_query`; `target_unreachable` if it has none, `upstream_error` if that is not
 * known.
 */
export async function firstAddressOf(text: string, client: DnsClient): Promise<string> {
  const name = parseDnsName(text);
  const findings = await Promise.all((['A', 'AAAA'] as const).map((type) => find(name, type, { client })));
  const [address] = findings.flatMap(recordsOf).filter(({ error }) => error === undefined);
  if (address !== undefined) return address.data;
  const doubt = findings.map(doubtOf).find((each) => each !== null);
  if (doubt !== undefined) throw new ServiceError('upstream_error', doubt);
  const note = isNameMissing(findings) ? `${name} does not exist (NXDOMAIN).` : `${name} has no IP address.`;
  throw new ServiceError('target_unreachable', note);
}
