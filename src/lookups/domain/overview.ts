/** What the DNS records of a domain say together: its policy for mail, whether DNSSEC protects it, and both in brief. Pure. */
import { failsValidation } from '../dns/note.ts';
import { dmarcOf } from './dmarc.ts';
import type { DomainRecords } from './domain-records.ts';
import { doubtOf, type Finding, isNameMissing, recordsOf } from './finding.ts';
import { type MailPolicy, mailPolicy } from './mail-policy.ts';
import { spfOf } from './spf.ts';

/** For one line about the whole domain. */
export function briefOfRecords(found: DomainRecords): readonly string[] {
  const first = isNameMissing(found.records) ? 'The name does not exist' : describeDnssec(found.records).brief;
  return [first, mailPolicyOf(found).brief].filter((text) => text !== '');
}

const typed = (records: readonly Finding[], type: Finding['type']): Finding | undefined =>
  records.find((finding) => finding.type === type);

export function mailPolicyOf({ name, records, spf, dmarc }: DomainRecords): MailPolicy {
  const mx = typed(records, 'MX');
  const txt = typed(records, 'TXT');
  if (mx === undefined || txt === undefined) throw new TypeError('a report has MX and TXT');
  const addresses = records.filter(({ type }) => type === 'A' || type === 'AAAA');
  const exists = !isNameMissing(records);
  return mailPolicy({
    name,
    exists,
    dmarc: dmarcOf(dmarc, exists),
    spf: spfOf(txt, [...records, ...spf]),
    mx,
    addresses,
  });
}

/** Reads only answers: a failed validation is an answer without records. DS is a record of the parent zone and states nothing about this one. */
export function describeDnssec(records: readonly Finding[]): { readonly brief: string; readonly text: string } {
  const isBroken = records.some(({ answer }) => answer?.note?.includes(failsValidation) === true);
  if (isBroken) return { brief: 'DNSSEC broken', text: 'validation fails' };
  const known = records.filter(({ failure, type }) => failure === null && type !== 'DS');
  if (known.length === 0) return { brief: 'DNS not known', text: 'not known' };
  const validated = known.filter(({ answer }) => answer?.dnssec === true);
  if (validated.length === known.length) return { brief: 'DNSSEC validated', text: 'validated' };
  if (validated.length === 0) return describeUnsigned(typed(records, 'DS'));
  const others = known.filter((each) => !validated.includes(each)).map(({ type }) => type);
  return { brief: 'DNSSEC in part', text: `validated, except ${others.join(', ')}` };
}

/** Describes DNSSEC if no record is validated. A `ds` that is validated and empty proves that the zone is not signed. */
function describeUnsigned(ds: Finding | undefined) {
  const isProved = ds?.answer?.dnssec === true && doubtOf(ds) === null && recordsOf(ds).length === 0;
  return isProved
    ? { brief: 'no DNSSEC', text: 'not signed: the parent zone has no DS record' }
    : { brief: 'DNSSEC not validated', text: 'not validated' };
}
