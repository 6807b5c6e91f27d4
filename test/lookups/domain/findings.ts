/** Findings for tests: answers with records, answers without, and failed queries. */
import type { DnsRecord, DnsType } from '../../../src/lookups/dns/schema.ts';
import type { Finding } from '../../../src/lookups/domain/finding.ts';

type Status = 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL';

interface FindingInput {
  readonly data?: readonly string[];
  readonly status?: Status;
  readonly dnssec?: boolean;
}

/** SERVFAIL is a failure, as for the report. */
export function findingOf(
  name: string,
  type: DnsType,
  { data = [], status = 'NOERROR', dnssec = true }: FindingInput = {},
): Finding {
  const records = data.map((each): DnsRecord => {
    const [preference = '', exchange = ''] = each.split(' ');
    const mx = type === 'MX' ? { preference: Number(preference), exchange } : null;
    return {
      name,
      type,
      ttl: 60,
      data: each,
      mx,
      txt: type === 'TXT' ? { chunks: [each] } : null,
      caa: null,
      soa: null,
    };
  });
  const failure = status === 'SERVFAIL' ? `${name} could not be resolved (SERVFAIL).` : null;
  const note = status === 'NXDOMAIN' ? `${name} does not exist (NXDOMAIN).` : failure;
  const exists = status === 'SERVFAIL' ? null : status === 'NOERROR';
  const answer = {
    name,
    type,
    status,
    exists,
    records,
    cnameChain: [],
    ttl: 60,
    dnssec,
    note,
    resolver: 'one.example',
  };
  return { name, type, answer, failure, omitted: 0 };
}

export const txt = (name: string, ...data: string[]): Finding => findingOf(name, 'TXT', { data });
export const missing = (name: string): Finding => findingOf(name, 'TXT', { status: 'NXDOMAIN' });
export const failed = (name: string, type: DnsType = 'TXT'): Finding => findingOf(name, type, { status: 'SERVFAIL' });
/** A query that no resolver answered. */
export const unanswered = (name: string, type: DnsType = 'TXT'): Finding => ({
  name,
  type,
  answer: null,
  failure: 'No DNS resolver responded within 5 seconds; try again later.',
  omitted: 0,
});
