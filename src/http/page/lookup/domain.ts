/** Renders the DNS part of a domain report: what is published and where it was found, what is not, and what is not known. */

import { getDomain } from 'tldts';
import { dmarcOf } from '../../../lookups/domain/dmarc.ts';
import { caaOf, type DomainRecords } from '../../../lookups/domain/domain-records.ts';
import { doubtOf, type Finding, isMissing, isNameMissing, recordsOf } from '../../../lookups/domain/finding.ts';
import type { MailPolicy } from '../../../lookups/domain/mail-policy.ts';
import { briefOfRecords, describeDnssec, mailPolicyOf } from '../../../lookups/domain/overview.ts';
import { type Fragment, html } from '../markup.ts';
import { renderAliases, renderRecord } from './dns.ts';
import { chip, type Fact, facts, type Result, renderClipped, renderList, resultTitle } from './result.ts';

export function renderDomainRecords(found: DomainRecords): Result {
  const { name, records } = found;
  const missing = isNameMissing(records) ? records.find(isMissing) : undefined;
  const policy = mailPolicyOf(found);
  const dnssec = describeDnssec(records);
  const mail: Fact = ['Mail policy', renderPolicy(policy)];
  return {
    summary: `DNS records of ${name}`,
    brief: briefOfRecords(found),
    content: html`${resultTitle(name)}
${missing === undefined ? '' : html`<p class="problem">${renderClipped(missing.answer?.note ?? '')}</p>`}
${facts(
  missing === undefined
    ? [...describeRecords(found), mail, ...describeUnknown(found), ['DNSSEC', dnssec.text]]
    : [...describeDmarcRecord(found), mail],
)}`,
  };
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

/** The record that applies, or the records that receivers ignore. */
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
