/** Names for SPF: records by type and name, and what an evaluation finds out by following them. */
import type { Finding } from '../../../src/lookups/domain/finding.ts';
import { missingQueries, type Spf, spfOf } from '../../../src/lookups/domain/spf.ts';
import { findingOf } from './findings.ts';

/** Data by type and name, such as `A host.example`; a name without any is NXDOMAIN, and `SERVFAIL` a failure. */
export type Names = Readonly<Record<string, readonly string[] | 'SERVFAIL'>>;

/** Evaluates the record of a name; throws if that needs more queries than the limits of RFC 7208 permit. */
export function evaluate(name: string, names: Names): Spf {
  const owners = new Set(Object.keys(names).map((key) => key.slice(key.indexOf(' ') + 1)));
  const find = (owner: string, type: Finding['type']): Finding => {
    const data = names[`${type} ${owner}`] ?? [];
    if (data === 'SERVFAIL') return findingOf(owner, type, { status: 'SERVFAIL' });
    return findingOf(owner, type, { data, status: owners.has(owner) ? 'NOERROR' : 'NXDOMAIN' });
  };
  const txt = find(name, 'TXT');
  const followed: Finding[] = [];
  for (let queries = missingQueries(txt, followed); queries.length > 0; queries = missingQueries(txt, followed)) {
    followed.push(...queries.map((query) => find(query.name, query.type)));
    if (followed.length > 150) throw new Error(`more than 150 queries for ${name}`);
  }
  return spfOf(txt, followed);
}
