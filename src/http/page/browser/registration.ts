/** A registration, drawn: its dates on a line, then who holds what. */
import type { RdapResult } from '../../../lookups/rdap/rdap-result.ts';
import type { DomainSummary } from '../../../lookups/rdap/summary-domain.ts';
import type { AutnumSummary, IpSummary } from '../../../lookups/rdap/summary-number.ts';
import { type Child, chip, drawing, element, facts, linked, shown } from './elements.ts';

export function registration({ kind, summary, source, bootstrapUpdated }: RdapResult): Node[] {
  const drawn =
    kind === 'domain'
      ? domain(summary as DomainSummary)
      : kind === 'ip'
        ? addresses(summary as IpSummary)
        : numbers(summary as AutnumSummary);
  const published = bootstrapUpdated === null ? '' : `, which IANA's list of ${bootstrapUpdated.slice(0, 10)} names`;
  return [...drawn, element('p', { class: 'small' }, 'Asked: ', linked(source), published)];
}

function domain(summary: DomainSummary): Node[] {
  const { name, unicodeName, registrar, registrant, dnssec } = summary;
  return [
    heading(unicodeName ?? name, unicodeName === name ? null : name),
    ...dates(summary, summary.transferred, summary.expires),
    facts([
      ['Registrar', ...named(registrar?.name), ...(registrar?.url ? [' · ', linked(registrar.url)] : [])],
      ['Holder', holder(registrant)],
      ['Status', chips(summary.status)],
      ['Name servers', lines(summary.nameservers)],
      ['DNSSEC', dnssec.signed === null ? null : dnssec.signed ? `signed, DS records: ${dnssec.ds}` : 'not signed'],
      ['Abuse', contact(summary.abuse)],
      ['More by RDAP', ...(summary.registrarRdap === null ? [null] : [linked(summary.registrarRdap)])],
      ['WHOIS', ...named(summary.whoisServer)],
    ]),
  ];
}

function addresses(summary: IpSummary): Node[] {
  const { startAddress, endAddress, parentHandle } = summary;
  return [
    heading(summary.name ?? summary.handle, summary.cidrs.join(', ') || null),
    ...dates(summary, null, null),
    facts([
      ['Range', startAddress === null || endAddress === null ? null : shown(`${startAddress} – ${endAddress}`)],
      ...held(summary),
      ['Cut from', ...named(parentHandle)],
    ]),
  ];
}

function numbers(summary: AutnumSummary): Node[] {
  const { startAutnum, endAutnum } = summary;
  const range = startAutnum === endAutnum ? `AS${startAutnum}` : `AS${startAutnum} – AS${endAutnum}`;
  return [
    heading(summary.name ?? summary.handle, startAutnum === null ? null : range),
    ...dates(summary, null, null),
    facts(held(summary)),
  ];
}

const held = (summary: IpSummary | AutnumSummary): (readonly [string, ...Child[]])[] => [
  ['Held by', ...named(summary.organization)],
  ['Country', ...named(summary.country)],
  ['Kind', ...named(summary.type)],
  ['Status', chips(summary.status)],
  ['Handle', ...named(summary.handle)],
  ['Registry', ...named(summary.rir)],
  ['Abuse', contact(summary.abuse)],
  ['WHOIS', ...named(summary.whoisServer)],
];

const named = (text: string | null | undefined): Child[] => [text == null ? null : shown(text)];

const chips = (texts: readonly string[]): Child =>
  texts.length === 0 ? null : element('span', { class: 'chips' }, ...texts.map((text) => chip(text)));

const lines = (texts: readonly string[]): Child =>
  texts.length === 0 ? null : element('ul', { class: 'mono' }, ...texts.map((text) => element('li', {}, shown(text))));

function contact(abuse: DomainSummary['abuse']): Child {
  const known = [abuse?.name, abuse?.email, abuse?.phone].filter((text) => text != null);
  return known.length === 0 ? null : shown(known.join(' · '));
}

function holder(registrant: DomainSummary['registrant']): Child {
  if (registrant === null) return null;
  const { name, organization, country, redacted } = registrant;
  const known = [organization, name, country].filter((text) => text !== null);
  return element('span', {}, shown(known.join(', ')), redacted ? ' (some of it withheld by the registry)' : null);
}

function heading(text: string | null, more: string | null): HTMLElement {
  return element(
    'div',
    { class: 'part' },
    element('h4', { class: 'who' }, shown(text ?? 'Unnamed')),
    more === null ? null : element('p', { class: 'small' }, shown(more)),
  );
}

/** Dates on a line to scale, and in words beneath it. */
function dates(
  { registered, updated }: { registered: string | null; updated: string | null },
  transferred: string | null,
  expires: string | null,
): Node[] {
  const known = (
    [
      ['Registered', registered],
      ['Transferred', transferred],
      ['Changed', updated],
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
    drawing('circle', { class: 'event', cx: x(ms), cy: '50%', r: '7' }, drawing('title', {}, `${term} ${day(ms)}`)),
  );
  const label = `${known.map(({ term, ms }) => `${term} ${day(ms)}`).join(', ')}, today ${day(now)}`;
  return [
    drawing(
      'svg',
      { class: 'timeline', role: 'img', 'aria-label': label },
      drawing('line', { class: 'axis', x1: '2%', x2: '98%', y1: '50%', y2: '50%' }),
      drawing('line', { class: 'axis lived', x1: x(first), x2: x(now), y1: '50%', y2: '50%' }),
      ...marks,
      drawing('circle', { class: 'today', cx: x(now), cy: '50%', r: '5' }, drawing('title', {}, `Today ${day(now)}`)),
    ),
    element(
      'dl',
      { class: 'dates' },
      ...known.map(({ term, ms }) =>
        element(
          'div',
          {},
          element('dt', {}, term),
          element('dd', {}, day(ms)),
          element('dd', { class: 'small' }, ago(ms, now)),
        ),
      ),
    ),
  ];
}

const day = (ms: number): string => new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

function ago(ms: number, now: number): string {
  const days = Math.round((ms - now) / 86_400_000);
  const [count, unit] =
    Math.abs(days) < 60
      ? [days, 'day' as const]
      : Math.abs(days) < 700
        ? [Math.round(days / 30.4), 'month' as const]
        : [Math.round(days / 365.25), 'year' as const];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(count, unit);
}
