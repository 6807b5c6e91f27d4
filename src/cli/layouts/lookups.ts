/** Layouts of lookups: an IP address, registration data, DNS records, and what a User-Agent states. */
import { statedVersion } from '../../client/bots/stated-version.ts';
import type { UserAgent } from '../../client/user-agent-schema.ts';
import type { AutonomousSystem } from '../../core/observed.ts';
import { replaceControls } from '../../core/text.ts';
import { deviceNames, kindNames } from '../../http/page/data/client-names.ts';
import type { DnsAnswer } from '../../lookups/dns/schema.ts';
import type { IpLookup } from '../../lookups/ip/ip-lookup.ts';
import type { PortCheck } from '../../lookups/port/port-check.ts';
import { countryMeaning } from '../../lookups/rdap/json.ts';
import type { AutnumSummary, DomainSummary, IpSummary, RdapResult } from '../../lookups/rdap/schema.ts';
import { describeRegistrant, describeSigning, explainStatus } from '../../lookups/rdap/status-meaning.ts';
import type { IpLocation } from '../../resources/geo.ts';
import { describePlace } from '../../resources/place.ts';
import { columns, describeDate, joinKnown, layOutRows, type Row, type Terminal, wrap } from './terminal.ts';

export const ip = {
  /** `databases`: which one of this machine gives what. */
  layOut(found: IpLookup & { readonly databases?: readonly string[] }, terminal: Terminal): string {
    const { databases = [] } = found;
    const data = databases.map((each, at): Row => [at === 0 ? 'Data' : '', each]);
    return layOutRows(
      [
        ['IP address', found.ip],
        ...placeRows(found),
        ['Organization', found.asOrganization],
        ['ASN', found.asn === null ? null : `AS${found.asn}`],
        ['Host name', found.hostname],
        ...data,
      ],
      terminal,
    );
  },
  subjectOf: (found: IpLookup): string => found.ip,
  shorten: (found: IpLookup): string => joinKnown([describePlace(found), providerOf(found)], ' · '),
};

/** One line for each port. */
export const port = {
  isLine: true,
  layOut: ({ ip, port, state, elapsedMs }: PortCheck): string =>
    `${replaceControls(`${`${port}`.padEnd(5)}  ${state.padEnd(8)}  ${ip}, ${elapsedMs} ms`)}\n`,
  shorten: ({ state }: PortCheck): string => state,
};

/** Dates as people say them, and status values in words. */
export const whois = {
  layOut({ summary, source }: RdapResult, terminal: Terminal): string {
    const rows = 'nameservers' in summary ? domainRows(summary, terminal) : numberRows(summary, terminal);
    return layOutRows([...rows, ['Source', source]], terminal);
  },
  subjectOf: ({ query }: RdapResult): string => query,
  /** When it expires, and the registrar or the organization. */
  shorten({ summary }: RdapResult): string {
    const date = 'expires' in summary && summary.expires !== null ? `expires ${summary.expires.slice(0, 10)}` : null;
    const name =
      'registrar' in summary ? summary.registrar?.name : 'organization' in summary ? summary.organization : null;
    return joinKnown([date, name], ' · ');
  },
};

const layOutRecords = ({ records, note }: DnsAnswer, terminal: Terminal): string => {
  const table = records.map(({ name, ttl, type, data }) => [name, String(ttl), type, data]);
  return `${columns(table, terminal)}${note === null ? '' : `${wrap(note, terminal.width).join('\n')}\n`}`;
};

/** The parts of a response besides its records. */
const describeResponse = ({ status, dnssec, resolver, cnameChain }: DnsAnswer): string => {
  const aliases = cnameChain.length === 0 ? null : `alias of ${cnameChain.join(' → ')}`;
  return joinKnown([status, aliases, dnssec ? 'DNSSEC validated' : 'DNSSEC not validated', `from ${resolver}`]);
};

/** One line for each record, and one for what the responses show besides, by type where they differ. */
function layOutAnswers(answers: readonly DnsAnswer[], terminal: Terminal): string {
  const types = Map.groupBy(answers, describeResponse);
  const rest = [...types].map(([description, alike]) => {
    const start = types.size === 1 ? '' : `${alike.map(({ type }) => type).join(', ')}: `;
    return wrap(`; ${start}${description}`, terminal.width, '; ').join('\n');
  });
  return `${answers.map((answer) => layOutRecords(answer, terminal)).join('')}${rest.join('\n')}\n`;
}

export const dns = {
  layOut: (answer: DnsAnswer, terminal: Terminal): string => layOutAnswers([answer], terminal),
  layOutAll: layOutAnswers,
  /** The data of each record. */
  shorten: ({ records }: DnsAnswer): readonly string[] => records.map(({ data }) => data),
};

/** The name and version of a bot, tool or library. */
const nameOf = (raw: string, bot: UserAgent['bot']): string | null =>
  bot && joinKnown([bot.name, statedVersion(raw, bot.name)], ' ');

export const ua = {
  layOut({ raw, browser, engine, os, device, cpu, kind, bot }: UserAgent, terminal: Terminal): string {
    const { type, vendor, model } = device;
    const rows: readonly Row[] = [
      ['Looks like', kindNames[kind]],
      ['Name', nameOf(raw, bot)],
      ['Operator', bot?.operator ?? null],
      ['Browser', joinKnown([browser.name, browser.version], ' ')],
      ['Engine', joinKnown([engine.name, engine.version], ' ')],
      ['OS', joinKnown([os.name, os.version], ' ')],
      ['Device', joinKnown([deviceNames[type] ?? null, joinKnown([vendor, model], ' ')])],
      ['Processor', cpu.architecture],
    ];
    return layOutRows(rows, terminal);
  },
  shorten: ({ raw, browser, os, kind, bot }: UserAgent): string =>
    joinKnown(
      [
        nameOf(raw, bot) ?? joinKnown([browser.name, browser.major], ' '),
        joinKnown([os.name, os.version], ' '),
        kindNames[kind],
      ],
      ' · ',
    ),
};

/** The members of a location that the terminal shows. */
export const placeMembers = {
  city: true,
  region: true,
  countryName: true,
  country: true,
  latitude: true,
  longitude: true,
  timezone: true,
} as const;
type Place = Pick<IpLocation, keyof typeof placeMembers>;

/** The members of a network that the layouts show. */
export type Provider = Pick<AutonomousSystem, 'asn' | 'asOrganization'>;

export const providerOf = ({ asn, asOrganization }: Provider): string =>
  joinKnown([asn === null ? null : `AS${asn}`, asOrganization], ' ');

export function placeRows(location: Place): readonly Row[] {
  const { latitude, longitude, timezone } = location;
  return [
    ['Location', describePlace(location)],
    ['Coordinates', latitude === null || longitude === null ? null : `${latitude}, ${longitude}`],
    ['Time zone', timezone],
  ];
}

/** Days until the domain expires, rounded down; null if the registry does not state it, or for numbers. */
export function daysToExpiry({ summary }: Pick<RdapResult, 'summary'>, nowMs: number): number | null {
  if (!('expires' in summary) || summary.expires === null) return null;
  return Math.floor((Date.parse(summary.expires) - nowMs) / 86_400_000);
}

type Summary = RdapResult['summary'];

const statusRow = (summary: Summary): Row => [
  'Status',
  summary.status.map((each) => joinKnown([each, explainStatus(each, summary)], ': ')),
];

const abuseRow = ({ abuse }: Summary): Row => ['Abuse', joinKnown([abuse?.email, abuse?.phone])];

function domainRows(summary: DomainSummary, terminal: Terminal): readonly Row[] {
  const { name, unicodeName, registrar, registrant, nameservers, dnssec, registrantNote } = summary;
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
    ['Registrant', [describeRegistrant(registrant), registrantNote]],
    abuseRow(summary),
    ['Name servers', nameservers],
    ['DNSSEC', describeSigning(dnssec)],
  ];
}

function numberRows(summary: IpSummary | AutnumSummary, terminal: Terminal): readonly Row[] {
  return [
    ...rangeRows(summary),
    ['Name', summary.name],
    ['Organization', summary.organization],
    ['Country', summary.country && `${summary.country} (${countryMeaning})`],
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
