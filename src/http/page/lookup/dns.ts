/** Renders DNS lookups: the records, then status, validation, aliases and note. */

import { formatCount } from '../../../core/text.ts';
import type { DnsAnswer, DnsRecord } from '../../../lookups/dns/schema.ts';
import { parseDmarc } from '../../../lookups/domain/dmarc.ts';
import { isSpf } from '../../../lookups/domain/spf-record.ts';
import { type Fragment, html } from '../markup.ts';
import { linkAddress, linkDomain, linkHost } from './navigation.ts';
import { chip, facts, maxListed, type Result, renderClipped, renderList, resultTitle } from './result.ts';

export function renderDns(answer: DnsAnswer): Result {
  const { name, type, status, exists, records, cnameChain, ttl, dnssec, note, resolver } = answer;
  const count = `${formatCount(records.length, `${type} record`)} of ${name}`;
  // With any other status, or if a resolver blocks the name, it is not known which records there are.
  const isAnswered = status === 'NOERROR' || status === 'NXDOMAIN';
  const isComplete = isAnswered && exists !== null;
  return {
    summary: isComplete
      ? `${count}${status === 'NOERROR' ? '' : `, ${status}`}`
      : `${type} records of ${name}: ${isAnswered ? 'not known' : status}`,
    content: html`${resultTitle(name)}
<p class="chips">${chip(type)}${chip(status, status === 'NOERROR' && isComplete ? '' : 'warn')}</p>
${note === null ? '' : html`<p>${renderClipped(note)}</p>`}
${renderList(records, 'mono records', (record) => html`${renderRecord(record)} <span class="small">TTL ${record.ttl} s</span>`) ?? ''}
${facts([
  ['Alias of', renderAliases(cnameChain)],
  ['Cacheable', ttl === null ? null : `${ttl} s more at this resolver`],
  ['DNSSEC', dnssec ? 'validated' : 'not validated'],
  ['Resolver', resolver],
  ['Report', html`${linkDomain(name)}`],
])}`,
  };
}

/** Names from alias to alias; null for none. */
export const renderAliases = (chain: readonly string[]): Fragment | null =>
  chain.length === 0
    ? null
    : html`${chain.slice(0, maxListed).map((alias, n) => html`${n > 0 && ' → '}${linkHost(alias)}`)}`;

/** Policies in TXT records: RFC 7208 §4.5, RFC 9989 §4.8, RFC 6376 §3.6.1. */
const policies: Readonly<Record<string, (text: string) => boolean>> = {
  SPF: isSpf,
  DMARC: (text) => parseDmarc(text) !== null,
  DKIM: (text) => /^v=DKIM1\s*(?:;|$)/i.test(text),
};

const describeDs = ({
  keyTag,
  algorithm,
  algorithmName,
  digestType,
  digestTypeName,
  digest,
}: NonNullable<DnsRecord['ds']>) => `${keyTag} ${algorithmName ?? algorithm} ${digestTypeName ?? digestType} ${digest}`;

export function renderRecord({ type, data, mx, srv, ds, error }: DnsRecord): Fragment {
  if (error !== undefined) return html`${renderClipped(data)} ${chip(error, 'warn')}`;
  if (type === 'A' || type === 'AAAA') return linkAddress(data);
  if (type === 'NS' || type === 'CNAME' || type === 'PTR') return linkHost(data);
  if (mx !== null) return html`${mx.preference} ${linkHost(mx.exchange)}`;
  if (srv !== undefined) return html`${srv.priority} ${srv.weight} ${srv.port} ${linkHost(srv.target)}`;
  // Not as a comment at the end, as in data: behind a long digest, it would stand on a line of its own.
  if (ds !== undefined) return html`${renderClipped(describeDs(ds))}`;
  const [policy] = Object.entries(policies).find(([, accepts]) => type === 'TXT' && accepts(data)) ?? [];
  return html`${policy && html`${chip(policy, '')} `}${renderClipped(data)}`;
}
