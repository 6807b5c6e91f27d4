/** Renders registration data: a timeline of its dates, then registrant, registrar and contacts. */
import { html } from 'hono/html';
import type { RdapResult } from '../../../lookups/rdap/rdap-result.ts';
import type { DomainSummary } from '../../../lookups/rdap/summary-domain.ts';
import type { AutnumSummary, IpSummary } from '../../../lookups/rdap/summary-number.ts';
import { type Fragment, renderUntrusted } from '../fragment.ts';
import {
  chip,
  clippedOrNull,
  type Fact,
  facts,
  maxListed,
  type Result,
  renderClipped,
  renderLink,
  renderList,
  resultTitle,
} from './result.ts';
import { renderDates } from './timeline.ts';

export function renderRegistration(result: RdapResult, nowMs: number): Result {
  const { query, kind, summary, source, bootstrapUpdated } = result;
  const content =
    kind === 'domain'
      ? renderDomain(summary as DomainSummary, nowMs)
      : kind === 'ip'
        ? renderIpNetwork(summary as IpSummary, nowMs)
        : renderAutnum(summary as AutnumSummary, nowMs);
  const published = bootstrapUpdated === null ? '' : `, from IANA's list of ${bootstrapUpdated.slice(0, 10)}`;
  return {
    summary: `Registration of ${query}`,
    content: html`${content}<p class="small">Source: ${renderLink(source)}${published}</p>`,
  };
}

function renderDomain(summary: DomainSummary, nowMs: number): Fragment {
  const { unicodeName, registrar, registrant, dnssec, nameservers } = summary;
  const name = unicodeName ?? summary.name ?? 'Unnamed';
  const signed = `signed, ${dnssec.ds} DS record${dnssec.ds === 1 ? '' : 's'}`;
  const isUnpublished = summary.registrantNote !== null;
  const dates = [
    ['Registered', summary.registered],
    ['Transferred', summary.transferred],
    ['Updated', summary.updated],
    ['Expires', summary.expires],
  ] as const;
  return html`${resultTitle(name, name === summary.name ? null : clippedOrNull(summary.name))}
${renderDates(dates, nowMs) ?? ''}
${facts([
  ['Registrar', registrarOf(registrar)],
  ['Registrant', registrantOf(registrant, isUnpublished ? summary.registrarRdap : null)],
  ['Status', chips(summary.status)],
  ['Name servers', renderList(nameservers, 'mono', (nameserver) => renderClipped(nameserver))],
  ['DNSSEC', dnssec.signed === null ? null : dnssec.signed ? signed : 'not signed'],
  ['Abuse', contactOf(summary.abuse)],
  ['Registrar RDAP', summary.registrarRdap === null || isUnpublished ? null : renderLink(summary.registrarRdap)],
  ['WHOIS', clippedOrNull(summary.whoisServer)],
  omittedOf(summary),
])}`;
}

function renderIpNetwork(summary: IpSummary, nowMs: number): Fragment {
  const { startAddress, endAddress, cidrs } = summary;
  const blocks =
    cidrs.slice(0, maxListed).join(', ') + (cidrs.length > maxListed ? ` and ${cidrs.length - maxListed} more` : '');
  const range = startAddress === null || endAddress === null ? null : `${startAddress} – ${endAddress}`;
  return renderNumber(summary, nowMs, clippedOrNull(blocks), [
    ['Range', range === null ? null : renderUntrusted(range)],
    ...numberFacts(summary),
    ['Parent network', clippedOrNull(summary.parentHandle)],
  ]);
}

function renderAutnum(summary: AutnumSummary, nowMs: number): Fragment {
  const { startAutnum, endAutnum } = summary;
  const range = startAutnum === endAutnum ? `AS${startAutnum}` : `AS${startAutnum} – AS${endAutnum}`;
  return renderNumber(summary, nowMs, startAutnum === null ? null : range, numberFacts(summary));
}

/** `more`: the block or the numbers, below the registered name. */
function renderNumber(
  summary: IpSummary | AutnumSummary,
  nowMs: number,
  more: Fragment | string | null,
  rows: readonly Fact[],
): Fragment {
  const dates = [
    ['Registered', summary.registered],
    ['Updated', summary.updated],
  ] as const;
  const title = resultTitle(summary.name ?? summary.handle ?? 'Unnamed', more);
  return html`${title}${renderDates(dates, nowMs) ?? ''}${facts(rows)}`;
}

const numberFacts = (summary: IpSummary | AutnumSummary): readonly Fact[] => [
  ['Organization', clippedOrNull(summary.organization)],
  ['Country', clippedOrNull(summary.country)],
  ['Type', clippedOrNull(summary.type)],
  ['Status', chips(summary.status)],
  ['Handle', clippedOrNull(summary.handle)],
  ['Registry', clippedOrNull(summary.rir)],
  ['Abuse', contactOf(summary.abuse)],
  ['WHOIS', clippedOrNull(summary.whoisServer)],
  omittedOf(summary),
];

const omittedOf = ({ omitted }: RdapResult['summary']): Fact => [
  'Left out',
  omitted === 0 ? null : `${omitted} more entries of these lists; the JSON has them`,
];

const chips = (texts: readonly string[]): Fragment | null => renderList(texts, 'chips', (text) => chip(text));

const contactOf = (abuse: DomainSummary['abuse']): Fragment | null =>
  clippedOrNull([abuse?.name, abuse?.email, abuse?.phone].filter((text) => text != null).join(' · '));

function registrarOf(registrar: DomainSummary['registrar']): Fragment | null {
  const name = clippedOrNull(registrar?.name);
  const url = registrar?.url ? renderLink(registrar.url) : null;
  return name !== null && url !== null ? html`${name} · ${url}` : (name ?? url);
}

/** `elsewhere`: where to find a registrant that the registry does not publish. */
function registrantOf(registrant: DomainSummary['registrant'], elsewhere: string | null): Fragment | null {
  if (registrant === null && elsewhere === null) return null;
  const { name = null, organization = null, country = null, redacted = false } = registrant ?? {};
  const known = [organization, name, country].filter((text) => text !== null).join(', ');
  return html`${clippedOrNull(known) ?? ''}${redacted ? ' (partly withheld by the registry)' : ''}${
    elsewhere === null
      ? ''
      : html`<p class="small">not published by this registry; the registrar's record may contain it: ${renderLink(elsewhere)}</p>`
  }`;
}
