/** Renders registration data: a timeline of its dates, then registrant, registrar and contacts. */
import type { RdapResult } from '../../../lookups/rdap/rdap-result.ts';
import type { DomainSummary } from '../../../lookups/rdap/summary-domain.ts';
import type { AutnumSummary, IpSummary } from '../../../lookups/rdap/summary-number.ts';
import {
  type Child,
  createChip,
  createElement,
  createFacts,
  createLink,
  createSvg,
  renderUntrusted,
} from './elements.ts';

export function renderRegistration({ kind, summary, source, bootstrapUpdated }: RdapResult): Node[] {
  const nodes =
    kind === 'domain'
      ? renderDomain(summary as DomainSummary)
      : kind === 'ip'
        ? renderIpNetwork(summary as IpSummary)
        : renderAutnum(summary as AutnumSummary);
  const published = bootstrapUpdated === null ? '' : `, from IANA's list of ${bootstrapUpdated.slice(0, 10)}`;
  return [...nodes, createElement('p', { class: 'small' }, 'Source: ', createLink(source), published)];
}

function renderDomain(summary: DomainSummary): Node[] {
  const { name, unicodeName, registrar, registrant, dnssec } = summary;
  return [
    renderTitle(unicodeName ?? name, unicodeName === name ? null : name),
    ...renderDates(summary, summary.transferred, summary.expires),
    createFacts([
      ['Registrar', ...toTextNodes(registrar?.name), ...(registrar?.url ? [' · ', createLink(registrar.url)] : [])],
      ['Registrant', registrantNode(registrant), registrantNoteNode(summary.registrantNote)],
      ['Status', chipsOf(summary.status)],
      ['Name servers', linesOf(summary.nameservers)],
      ['DNSSEC', dnssec.signed === null ? null : dnssec.signed ? `signed, ${dnssec.ds} DS records` : 'not signed'],
      ['Abuse', contactNode(summary.abuse)],
      ['Registrar RDAP', ...(summary.registrarRdap === null ? [null] : [createLink(summary.registrarRdap)])],
      ['WHOIS', ...toTextNodes(summary.whoisServer)],
    ]),
  ];
}

function renderIpNetwork(summary: IpSummary): Node[] {
  const { startAddress, endAddress, parentHandle } = summary;
  return [
    renderTitle(summary.name ?? summary.handle, summary.cidrs.join(', ') || null),
    ...renderDates(summary, null, null),
    createFacts([
      [
        'Range',
        startAddress === null || endAddress === null ? null : renderUntrusted(`${startAddress} – ${endAddress}`),
      ],
      ...numberFacts(summary),
      ['Parent network', ...toTextNodes(parentHandle)],
    ]),
  ];
}

function renderAutnum(summary: AutnumSummary): Node[] {
  const { startAutnum, endAutnum } = summary;
  const range = startAutnum === endAutnum ? `AS${startAutnum}` : `AS${startAutnum} – AS${endAutnum}`;
  return [
    renderTitle(summary.name ?? summary.handle, startAutnum === null ? null : range),
    ...renderDates(summary, null, null),
    createFacts(numberFacts(summary)),
  ];
}

const numberFacts = (summary: IpSummary | AutnumSummary): (readonly [string, ...Child[]])[] => [
  ['Organization', ...toTextNodes(summary.organization)],
  ['Country', ...toTextNodes(summary.country)],
  ['Type', ...toTextNodes(summary.type)],
  ['Status', chipsOf(summary.status)],
  ['Handle', ...toTextNodes(summary.handle)],
  ['Registry', ...toTextNodes(summary.rir)],
  ['Abuse', contactNode(summary.abuse)],
  ['WHOIS', ...toTextNodes(summary.whoisServer)],
];

const toTextNodes = (text: string | null | undefined): Child[] => [text == null ? null : renderUntrusted(text)];

const chipsOf = (texts: readonly string[]): Child =>
  texts.length === 0 ? null : createElement('span', { class: 'chips' }, ...texts.map((text) => createChip(text)));

const linesOf = (texts: readonly string[]): Child =>
  texts.length === 0
    ? null
    : createElement('ul', { class: 'mono' }, ...texts.map((text) => createElement('li', {}, renderUntrusted(text))));

function contactNode(abuse: DomainSummary['abuse']): Child {
  const known = [abuse?.name, abuse?.email, abuse?.phone].filter((text) => text != null);
  return known.length === 0 ? null : renderUntrusted(known.join(' · '));
}

function registrantNode(registrant: DomainSummary['registrant']): Child {
  if (registrant === null) return null;
  const { name, organization, country, redacted } = registrant;
  const known = [organization, name, country].filter((text) => text !== null);
  return createElement(
    'span',
    {},
    renderUntrusted(known.join(', ')),
    redacted ? ' (partly withheld by the registry)' : null,
  );
}

/** Where to find a registrant that the registry does not publish. */
const registrantNoteNode = (note: string | null): Child =>
  note === null ? null : createElement('p', { class: 'small' }, renderUntrusted(note));

function renderTitle(text: string | null, more: string | null): HTMLElement {
  return createElement(
    'div',
    { class: 'part' },
    createElement('h4', { class: 'who' }, renderUntrusted(text ?? 'Unnamed')),
    more === null ? null : createElement('p', { class: 'small' }, renderUntrusted(more)),
  );
}

/** A timeline to scale, with the dates as text below it. */
function renderDates(
  { registered, updated }: { registered: string | null; updated: string | null },
  transferred: string | null,
  expires: string | null,
): Node[] {
  const known = (
    [
      ['Registered', registered],
      ['Transferred', transferred],
      ['Updated', updated],
      ['Expires', expires],
    ] as const
  ).flatMap(([term, date]) =>
    date === null || Number.isNaN(Date.parse(date)) ? [] : [{ term, ms: Date.parse(date) }],
  );
  if (known.length === 0) return [];
  const now = Date.now();
  const all = [...known.map(({ ms }) => ms), now];
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const x = (ms: number) => `${Math.round(20 + (960 * (ms - first)) / (last - first || 1)) / 10}%`;
  const marks = known.map(({ term, ms }) =>
    createSvg(
      'circle',
      { class: 'event', cx: x(ms), cy: '50%', r: '7' },
      createSvg('title', {}, `${term} ${formatDay(ms)}`),
    ),
  );
  const label = `${known.map(({ term, ms }) => `${term} ${formatDay(ms)}`).join(', ')}, today ${formatDay(now)}`;
  return [
    createSvg(
      'svg',
      { class: 'timeline', role: 'img', 'aria-label': label },
      createSvg('line', { class: 'axis', x1: '2%', x2: '98%', y1: '50%', y2: '50%' }),
      createSvg('line', { class: 'axis lived', x1: x(first), x2: x(now), y1: '50%', y2: '50%' }),
      ...marks,
      createSvg(
        'circle',
        { class: 'today', cx: x(now), cy: '50%', r: '5' },
        createSvg('title', {}, `Today ${formatDay(now)}`),
      ),
    ),
    createElement(
      'dl',
      { class: 'dates' },
      ...known.map(({ term, ms }) =>
        createElement(
          'div',
          {},
          createElement('dt', {}, term),
          createElement('dd', {}, formatDay(ms)),
          createElement('dd', { class: 'small' }, formatAge(ms, now)),
        ),
      ),
    ),
  ];
}

const formatDay = (ms: number): string =>
  new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

function formatAge(ms: number, now: number): string {
  const days = Math.round((ms - now) / 86_400_000);
  const [count, unit] =
    Math.abs(days) < 60
      ? [days, 'day' as const]
      : Math.abs(days) < 700
        ? [Math.round(days / 30.4), 'month' as const]
        : [Math.round(days / 365.25), 'year' as const];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(count, unit);
}
