/** Renders the DNS part of a domain report: what is published and where it was found, what is not, and what is not known. */
import { html } from 'hono/html';
import { getDomain } from 'tldts';
import { failsValidation } from '../../../lookups/dns/note.ts';
import { dmarcOf } from '../../../lookups/domain/dmarc.ts';
import { caaOf, type DomainRecords } from '../../../lookups/domain/domain-records.ts';
import { doubtOf, type Finding, isMissing, isNameMissing, recordsOf } from '../../../lookups/domain/finding.ts';
import { type MailPolicy, mailPolicy } from '../../../lookups/domain/mail-policy.ts';
import { spfOf } from '../../../lookups/domain/spf.ts';
import type { Fragment } from '../fragment.ts';
import { renderAliases, renderRecord } from './dns.ts';
import { chip, type Fact, facts, type Result, renderClipped, renderList, resultTitle } from './result.ts';

export function renderDomainRecords(found: DomainRecords): Result {
  const { name, records } = found;
  const missing = isNameMissing(records) ? records.find(isMissing) : undefined;
  const policy = mailPolicyOf(found);
  const dnssec = describeDnssec(records);
  const brief = missing === undefined ? [dnssec.brief, policy.brief] : ['The name does not exist', policy.brief];
  const mail: Fact = ['Mail policy', renderPolicy(policy)];
  return {
    summary: `DNS records of ${name}`,
    brief: brief.filter((text) => text !== ''),
    content: html`${resultTitle(name)}
${missing === undefined ? '' : html`<p class="problem">${renderClipped(missing.answer?.note ?? '')}</p>`}
${facts(
  missing === undefined
    ? [...describeRecords(found), mail, ...describeUnknown(found), ['DNSSEC', dnssec.text]]
    : [...describeDmarcRecord(found), mail],
)}`,
  };
}

const typed = (records: readonly Finding[], type: Finding['type']): Finding | undefined =>
  records.find((finding) => finding.type === type);

function mailPolicyOf({ name, records, spf, dmarc }: DomainRecords): MailPolicy {
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

const verdicts = {
  good: chip('protected', ''),
  warn: chip('weak', 'warn'),
  bad: chip('not protected', 'bad'),
  unknown: chip('not known'),
  none: '',
} as const;

const renderPolicy = ({ look, sentences }: MailPolicy): Fragment =>
  html`${verdicts[look]} ${renderClipped(sentences.join(' '))}`;

/** Records by type, those of other names with that name; then the types without records. DS has a row only with DNSSEC. */
function describeRecords(found: DomainRecords): readonly Fact[] {
  const { name, records } = found;
  const rows = records.map((finding): Fact => [finding.type, renderList(recordsOf(finding), 'mono', renderRecord)]);
  const absent = records.filter(
    (finding) => doubtOf(finding) === null && recordsOf(finding).length === 0 && finding.type !== 'DS',
  );
  const caa = caaOf(found);
  return [
    ['Alias of', describeAlias(name, chainOf(records))],
    ...rows,
    ['CAA', caa.kind === 'found' ? renderFound(caa.finding, name) : caa.kind === 'none' ? noCaa : null],
    ...describeDmarcRecord(found),
    ['Not published', absent.map(({ type }) => type).join(', ')],
  ];
}

/** Name servers that replace such a record by its addresses hide it, so that a visible one is a mistake. */
function describeAlias(name: string, chain: readonly string[]): Fragment | null {
  const isRegistered = getDomain(name, { allowPrivateDomains: false, extractHostname: false }) === name;
  const aliases = renderAliases(chain);
  if (aliases === null || !isRegistered) return aliases;
  return html`${aliases}<p class="small">A CNAME record at the name of a zone is not allowed, because it hides the zone's own records, such as MX and NS (RFC 1034 §3.6.2).</p>`;
}

/** The aliases are the same for every type. */
const chainOf = (records: readonly Finding[]): readonly string[] =>
  records.flatMap(({ answer, failure }) =>
    failure === null && answer?.cnameChain.length ? [answer.cnameChain] : [],
  )[0] ?? [];

const noCaa = 'None here or above: every certificate authority may issue certificates.';

/** Records, with the name that has them if it is another one. */
const renderFound = (finding: Finding, name: string): Fragment =>
  html`${finding.name === name ? '' : html`<p class="small">at ${renderClipped(finding.name)}</p>`}${renderList(recordsOf(finding), 'mono', renderRecord)}`;

/** The record that applies, or those that receivers ignore. */
function describeDmarcRecord({ name, records, dmarc }: DomainRecords): readonly Fact[] {
  const policy = dmarcOf(dmarc, !isNameMissing(records));
  if (policy.kind === 'unknown') return [];
  const at = policy.kind === 'policy' ? policy.name : policy.ignored?.name;
  const finding = dmarc.find((each) => each.name === at);
  return finding === undefined ? [] : [['DMARC', renderFound(finding, `_dmarc.${name}`)]];
}

/** Types of which nothing or not everything is known, by the reason. */
function describeUnknown(found: DomainRecords): readonly Fact[] {
  const caa = caaOf(found);
  const doubtful = [
    ...found.records.map((finding) => ({ type: finding.type, doubt: doubtOf(finding) })),
    { type: 'CAA', doubt: caa.kind === 'unknown' ? caa.reason : caa.kind === 'found' ? doubtOf(caa.finding) : null },
  ].filter(({ doubt }) => doubt !== null);
  const reasons = Map.groupBy(doubtful, ({ doubt }) => doubt ?? '');
  return [...reasons].map(([reason, findings]): Fact => {
    const types = findings.map(({ type }) => type).join(', ');
    return ['Not known', html`${types}: ${renderClipped(reason)}`];
  });
}

/** Reads only answers: a failed validation is an answer without records. DS is a record of the parent zone and states nothing about this one. */
function describeDnssec(records: readonly Finding[]): { readonly brief: string; readonly text: string } {
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
