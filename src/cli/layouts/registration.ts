/** Layout of registration data: dates as people say them, and status values in words. */
import type { RdapResult } from '../../lookups/rdap/rdap-result.ts';
import { explainStatus } from '../../lookups/rdap/status-meaning.ts';
import type { DomainSummary } from '../../lookups/rdap/summary-domain.ts';
import type { AutnumSummary, IpSummary } from '../../lookups/rdap/summary-number.ts';
import { describeDate, joinKnown, layOutRows, type Row, type Terminal } from './terminal.ts';

type Summary = RdapResult['summary'];

export function layOut({ summary, source }: RdapResult, terminal: Terminal): string {
  const rows = 'nameservers' in summary ? domainRows(summary, terminal) : numberRows(summary, terminal);
  return layOutRows([...rows, ['Source', source]], terminal);
}

/** The name, and when it expires or was registered. */
export function shorten({ query, summary }: RdapResult): string {
  const date = 'expires' in summary && summary.expires !== null ? `expires ${summary.expires.slice(0, 10)}` : null;
  const holder =
    'registrar' in summary ? summary.registrar?.name : 'organization' in summary ? summary.organization : null;
  return joinKnown([query, date, holder], ' · ');
}

/** Days until the domain expires, rounded down; null if the registry does not state it, or for numbers. */
export function daysToExpiry({ summary }: Pick<RdapResult, 'summary'>, nowMs: number): number | null {
  if (!('expires' in summary) || summary.expires === null) return null;
  return Math.floor((Date.parse(summary.expires) - nowMs) / 86_400_000);
}

const statusRow = ({ status }: Summary): Row => [
  'Status',
  status.map((each) => joinKnown([each, explainStatus(each)], ': ')),
];

const abuseRow = ({ abuse }: Summary): Row => ['Abuse', joinKnown([abuse?.email, abuse?.phone])];

function domainRows(summary: DomainSummary, terminal: Terminal): readonly Row[] {
  const { name, unicodeName, registrar, registrant, nameservers, dnssec, registrantNote } = summary;
  const { signed, ds } = dnssec;
  return [
    ['Domain', joinKnown([unicodeName === name ? null : unicodeName, name], ' = ')],
    ['Registered', describeDate(summary.registered, terminal)],
    ['Expires', describeDate(summary.expires, terminal)],
    ['Updated', describeDate(summary.updated, terminal)],
    ['Transferred', describeDate(summary.transferred, terminal)],
    statusRow(summary),
    [
      'Registrar',
      [joinKnown([registrar?.name, registrar?.ianaId ? `IANA ${registrar.ianaId}` : null]), registrar?.url ?? null],
    ],
    ['Registrant', joinKnown([registrant?.organization, registrant?.name, registrant?.country]) || registrantNote],
    abuseRow(summary),
    ['Name servers', nameservers],
    ['DNSSEC', signed === null ? null : signed ? `signed, DS records: ${ds}` : 'not signed'],
  ];
}

function numberRows(summary: IpSummary | AutnumSummary, terminal: Terminal): readonly Row[] {
  return [
    ...rangeRows(summary),
    ['Name', summary.name],
    ['Organization', summary.organization],
    ['Country', summary.country],
    ['Type', summary.type],
    ['Registered', describeDate(summary.registered, terminal)],
    ['Updated', describeDate(summary.updated, terminal)],
    statusRow(summary),
    abuseRow(summary),
    ['Registry', summary.rir],
  ];
}

function rangeRows(summary: IpSummary | AutnumSummary): readonly Row[] {
  if ('cidrs' in summary) {
    const range = joinKnown([summary.startAddress, summary.endAddress], ' to ');
    return [
      ['Block', summary.cidrs],
      ['Range', range],
    ];
  }
  const numbers = new Set([summary.startAutnum, summary.endAutnum].filter((each) => each !== null));
  return [['AS number', [...numbers].map((each) => `AS${each}`).join(' to ')]];
}
