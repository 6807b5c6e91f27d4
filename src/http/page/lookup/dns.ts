/** Renders DNS lookups: the records, then status, validation, aliases and note; and all usual records of a domain. */
import { html } from 'hono/html';
import type { DnsAnswer, DnsRecord } from '../../../lookups/dns/schema.ts';
import type { DomainRecords } from '../../../lookups/list.ts';
import type { Fragment } from '../fragment.ts';
import { linkAddress, linkDomain, linkHost } from './navigation.ts';
import { chip, facts, maxListed, type Result, renderClipped, renderList, resultTitle } from './result.ts';

export function renderDns({ name, type, status, records, cnameChain, ttl, dnssec, note, resolver }: DnsAnswer): Result {
  const count = `${records.length} ${type} record${records.length === 1 ? '' : 's'}`;
  const aliases = cnameChain.slice(0, maxListed).map((alias, n) => html`${n > 0 && ' → '}${linkHost(alias)}`);
  return {
    summary: `${count} of ${name}${status === 'NOERROR' ? '' : `, ${status}`}`,
    content: html`${resultTitle(name)}
<p class="chips">${chip(type)}${chip(status, status === 'NOERROR' ? '' : 'warn')}</p>
${note === null ? '' : html`<p>${renderClipped(note)}</p>`}
${renderList(records, 'mono records', (record) => html`${renderRecord(record)} <span class="small">TTL ${record.ttl} s</span>`) ?? ''}
${facts([
  ['Aliases', aliases.length === 0 ? null : html`${aliases}`],
  ['Cacheable', ttl === null ? null : `${ttl} s`],
  ['DNSSEC', dnssec ? 'validated' : 'not validated'],
  ['Resolver', resolver],
  ['Report', html`${linkDomain(name)}`],
])}`,
  };
}

/** Policies in TXT records by how they begin: RFC 7208 §4.5, RFC 7489 §6.3, RFC 6376 §3.6.1. */
const policies = { SPF: /^v=spf1(?: |$)/i, DMARC: /^v=DMARC1\s*(?:;|$)/i, DKIM: /^v=DKIM1\s*(?:;|$)/i };

function renderRecord({ type, data, mx, srv, error }: DnsRecord): Fragment {
  if (error !== undefined) return html`${renderClipped(data)} ${chip(error, 'warn')}`;
  if (type === 'A' || type === 'AAAA') return linkAddress(data);
  if (type === 'NS' || type === 'CNAME' || type === 'PTR') return linkHost(data);
  if (mx !== null) return html`${mx.preference} ${linkHost(mx.exchange)}`;
  if (srv !== undefined) return html`${srv.priority} ${srv.weight} ${srv.port} ${linkHost(srv.target)}`;
  const [policy] = Object.entries(policies).find(([, pattern]) => type === 'TXT' && pattern.test(data)) ?? [];
  return html`${policy && html`${chip(policy, '')} `}${renderClipped(data)}`;
}

/** One row for each record type; DMARC is the record of another name. */
export function renderDomainRecords({ name, answers }: DomainRecords): Result {
  const rows = answers.map((answer) => [answer.name === name ? answer.type : 'DMARC', answer.records] as const);
  const missing = rows.filter(([, records]) => records.length === 0).map(([label]) => label);
  return {
    summary: `DNS records of ${name}`,
    content: html`${resultTitle(name)}
${facts([
  ...rows.map(([label, records]) => [label, renderList(records, 'mono', renderRecord)] as const),
  ['Mail policy', describeMailPolicy(answers)],
  ['Not published', missing.join(', ')],
  ['DNSSEC', answers.every(({ dnssec }) => dnssec) ? 'validated' : 'not validated'],
])}`,
  };
}

/** Empty if the domain has both SPF and DMARC. */
function describeMailPolicy(answers: DomainRecords['answers']): string {
  const texts = answers.filter(({ type }) => type === 'TXT').flatMap(({ records }) => records.map(({ data }) => data));
  const missing = (['SPF', 'DMARC'] as const).filter((policy) => !texts.some((text) => policies[policy].test(text)));
  return missing.length > 0 ? `No ${missing.join(' and no ')}: others can send email in the name of this domain.` : '';
}
