/** Renders registration data: a timeline of its dates, then registrant, registrar and contacts. */

import { formatAge, formatCount, joinKnown } from '../../../core/text.ts';
import { countryMeaning } from '../../../lookups/rdap/json.ts';
import type { AutnumSummary, DomainSummary, IpSummary, RdapResult } from '../../../lookups/rdap/schema.ts';
import { describeRegistrant, describeSigning, explainStatus } from '../../../lookups/rdap/status-meaning.ts';
import { briefOfRegistration } from '../../../lookups/report.ts';
import { type Fragment, html } from '../markup.ts';
import { linkDomain, linkHost, linkNetwork } from './navigation.ts';
import {
  chip,
  type Fact,
  facts,
  maxListed,
  type Result,
  renderClipped,
  renderLink,
  renderList,
  resultTitle,
  type Visit,
} from './result.ts';

export function renderRegistration({ query, summary, source, bootstrapUpdated }: RdapResult, { nowMs }: Visit): Result {
  const { name, detail, dates, rows } = 'dnssec' in summary ? describeDomain(summary) : describeNumbers(summary);
  const published =
    bootstrapUpdated && html`, named by IANA's list of <span class="whole">${bootstrapUpdated.slice(0, 10)}</span>`;
  const omitted = `${formatCount(summary.omitted, 'more entry', 'more entries')} of these lists; the JSON has all`;
  return {
    summary: `Registration of ${query}`,
    brief: briefOfRegistration({ summary }, nowMs),
    content: html`${resultTitle(name ?? 'Unnamed', detail)}
${renderDates({ Registered: summary.registered, Updated: summary.updated, ...dates }, nowMs) ?? ''}
${facts([...rows, ['Left out', summary.omitted === 0 ? null : omitted]])}
<p class="small">Source${published}: ${renderLink(source)}</p>`,
  };
}

function describeDomain(summary: DomainSummary) {
  const { unicodeName, registrar, dnssec, registrarRdap } = summary;
  const name = unicodeName ?? summary.name;
  const isUnpublished = summary.registrantNote !== null;
  return {
    name,
    detail: name === summary.name ? null : summary.name,
    dates: { Transferred: summary.transferred, Expires: summary.expires },
    rows: [
      ['Registrar', registrarOf(registrar)],
      ['Registrant', registrantOf(summary)],
      ['Status', renderStatus(summary)],
      ['Name servers', renderList(summary.nameservers, 'mono', linkHost)],
      ['DNSSEC', describeSigning(dnssec)],
      ['Abuse', contactOf(summary.abuse)],
      ['Registrar RDAP', registrarRdap === null || isUnpublished ? null : renderLink(registrarRdap)],
      ['WHOIS', summary.whoisServer],
      ['Report', summary.name === null ? null : linkDomain(summary.name)],
    ] satisfies Fact[],
  };
}

/** Each value with its meaning, if it has one. */
const renderStatus = (summary: RdapResult['summary']): Fragment | null =>
  renderList(summary.status, 'status', (value) => {
    const meaning = explainStatus(value, summary);
    return html`${chip(value)}${meaning && html` <span class="small">${meaning}</span>`}`;
  });

function describeNumbers(summary: IpSummary | AutnumSummary) {
  const isNetwork = 'cidrs' in summary;
  return {
    name: summary.name ?? summary.handle,
    detail: isNetwork ? blocksOf(summary) : rangeOf('AS', summary.startAutnum, summary.endAutnum),
    dates: {},
    rows: [
      ['Range', isNetwork ? rangeOf('', summary.startAddress, summary.endAddress) : null],
      ['Organization', summary.organization],
      ['Country', summary.country === null ? null : `${summary.country} (${countryMeaning})`],
      ['Type', summary.type],
      ['Status', renderStatus(summary)],
      ['Handle', summary.handle],
      ['Registry', summary.rir],
      ['Abuse', contactOf(summary.abuse)],
      ['WHOIS', summary.whoisServer],
      ['Parent network', isNetwork ? summary.parentHandle : null],
    ] satisfies Fact[],
  };
}

function blocksOf({ cidrs }: IpSummary): Fragment {
  const more = cidrs.length > maxListed ? ` and ${cidrs.length - maxListed} more` : '';
  return html`${cidrs.slice(0, maxListed).map((cidr, n) => html`${n > 0 && ', '}${linkNetwork(cidr)}`)}${more}`;
}

function rangeOf(prefix: string, first: string | number | null, last: string | number | null): string | null {
  if (first === null || last === null) return null;
  return first === last ? `${prefix}${first}` : `${prefix}${first} – ${prefix}${last}`;
}

const contactOf = (abuse: DomainSummary['abuse']) => joinKnown([abuse?.name, abuse?.email, abuse?.phone]);

function registrarOf(registrar: DomainSummary['registrar']): Fragment | string | null {
  if (!registrar?.url) return registrar?.name ?? null;
  const link = renderLink(registrar.url);
  return registrar.name ? html`${renderClipped(registrar.name)}<p>${link}</p>` : link;
}

/** The note ends with the URL of the registrar's RDAP server. */
function registrantOf({ registrant, registrantNote, registrarRdap }: DomainSummary): Fragment | string | null {
  const known = describeRegistrant(registrant);
  if (registrantNote === null || registrarRdap === null) return known;
  const note = registrantNote.slice(0, -registrarRdap.length);
  return html`${known && renderClipped(known)}<p class="small">${note}${renderLink(registrarRdap)}</p>`;
}

/** A line to scale with a mark for each date, and the dates below it, today among them; null if none is known. */
export function renderDates(dates: Readonly<Record<string, string | null>>, nowMs: number): Fragment | null {
  const known = Object.entries(dates).map(([term, date]) => ({ term, ms: Date.parse(date ?? '') }));
  const today = { term: 'Today', ms: nowMs };
  const marks = [...known, today].filter(({ ms }) => !Number.isNaN(ms)).toSorted((a, b) => a.ms - b.ms);
  if (marks.length === 1) return null;
  const positions = percentsOf(marks.map(({ ms }) => ms));
  const lookOf = (n: number): string => (marks[n] === today ? 'today' : n < marks.indexOf(today) ? 'past' : 'ahead');
  // Today is drawn last, above a date that is close to it.
  const drawn = positions
    .map((at, n) => ({ at, look: lookOf(n) }))
    .toSorted((a, b) => Number(a.look === 'today') - Number(b.look === 'today'));
  const items = marks.map((mark, n) => {
    const age = mark === today ? '' : html`<span class="small">${formatAge(mark.ms, nowMs)}</span>`;
    return html`<li class="${lookOf(n)}"><span class="small">${mark.term}</span> <b>${formatDay(mark.ms)}</b> ${age}</li>`;
  });
  return html`<svg class="scale" aria-hidden="true"><rect y="6" width="100%" height="3"/><rect class="past" y="6" width="${positions[marks.indexOf(today)]}%" height="3"/>${drawn.map(({ at, look }) => html`<circle class="${look}" cx="${at}%" cy="7.5" r="5.5"/>`)}</svg>
<ol class="timeline">${items}</ol>`;
}

/** Positions from 0 to 100 to scale, rounded to a tenth. `times` are in order. */
export function percentsOf(times: readonly number[]): readonly number[] {
  const first = times[0] ?? 0;
  const span = (times.at(-1) ?? first) - first || 1;
  return times.map((ms) => Math.round((1000 * (ms - first)) / span) / 10);
}

const formatDay = (ms: number) => new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
