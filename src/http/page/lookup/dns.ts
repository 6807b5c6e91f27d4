/** Renders a DNS lookup: the records, then status, validation, aliases and note. */
import { html } from 'hono/html';
import type { DnsAnswer } from '../../../lookups/dns/schema.ts';
import { chip, facts, maxListed, type Result, renderClipped, renderList, resultTitle } from './result.ts';

export function renderDns({ name, type, status, records, cnameChain, ttl, dnssec, note, resolver }: DnsAnswer): Result {
  const count = `${records.length} ${type} record${records.length === 1 ? '' : 's'}`;
  return {
    summary: `${count} of ${name}${status === 'NOERROR' ? '' : `, ${status}`}`,
    content: html`${resultTitle(name)}
<p class="chips">${chip(type)}${chip(status, status === 'NOERROR' ? '' : 'warn')}</p>
${note === null ? '' : html`<p>${renderClipped(note)}</p>`}
${renderList(records, 'mono records', (record) => html`${renderClipped(record.data)} <span class="small">TTL ${record.ttl} s</span>`) ?? ''}
${facts([
  ['Aliases', cnameChain.slice(0, maxListed).join(' → ')],
  ['Cacheable', ttl === null ? null : `${ttl} s`],
  ['DNSSEC', dnssec ? 'validated' : 'not validated'],
  ['Resolver', resolver],
])}`,
  };
}
