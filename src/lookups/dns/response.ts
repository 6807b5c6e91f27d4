/** Interprets a DNS message: its response code, the records that belong to the queried name, and what they do not show. */

import {
  extendedErrorNames,
  responseCodes,
  vagueErrors,
  validationErrors,
} from '../../wire/dns/data/dns-parameters.ts';
import type { ExtendedError, Message } from '../../wire/dns/message.ts';
import { Malformed } from '../../wire/dns/name.ts';
import { formatRecord, printable } from './record.ts';
import { type DnsAnswer, type DnsRecord, type DnsType, maxDataBytes, maxRecords } from './schema.ts';

const codeNames = new Map<number, string>(Object.entries(responseCodes).map(([name, code]) => [code, name]));

export const statusOf = ({ rcode }: Message): string => codeNames.get(rcode) ?? `RCODE${rcode}`;

/** Resolvers stop earlier. */
const maxAliases = 20;
/** Records that are formatted, of which some may not fit into the answer: 64 KB can contain 6,000, which take 40 ms if they are malformed. */
const maxFormatted = 2 * maxRecords;

/**
 * Follows the CNAME records from the queried name onwards; ignores records of names outside that chain. `isEndless`: they form a loop or
 * exceed the maximum. `found`: all records of the type that the last alias owns, or the name itself if there is no alias.
 */
export function followAliases({ answers }: Message, name: string, type: DnsType) {
  const byOwner = Map.groupBy(answers, (record) => record.name.toLowerCase());
  const aliases: DnsRecord[] = [];
  const visited = new Set([name]);
  for (let owner = name; ; visited.add(owner)) {
    const own = byOwner.get(owner) ?? [];
    const found = own.filter((record) => record.type === type);
    // RFC 1034 §3.6.2: a name has at most one.
    const alias = own.find((record) => record.type === 'CNAME');
    if (found.length > 0 || alias === undefined || alias.readData() instanceof Malformed)
      return { aliases, isEndless: false, found };
    const formatted = formatRecord(alias);
    aliases.push(formatted);
    owner = formatted.data.toLowerCase();
    if (visited.has(owner) || aliases.length === maxAliases) return { aliases, isEndless: true, found };
  }
}

/**
 * `isBogus`: whether further queries show that DNSSEC is broken. `omitted`: number of records of the type that do not fit into the answer.
 */
export function responseOf(
  { name, type, resolver }: Pick<DnsAnswer, 'name' | 'type' | 'resolver'>,
  message: Message,
  isBogus: boolean,
): { readonly answer: DnsAnswer; readonly omitted: number } {
  const status = statusOf(message);
  const { aliases, isEndless, found } = followAliases(message, name, type);
  const records = found.slice(0, maxFormatted).map(formatRecord);
  const isConclusive = status === 'NOERROR' || status === 'NXDOMAIN';
  const denial = isConclusive && !isEndless && records.length === 0 ? denialOf(message) : null;
  const ttls = [...aliases, ...records].map(({ ttl }) => ttl);
  if (denial !== null) ttls.push(denial.ttl);
  const ttl = isConclusive && !isEndless && (records.length > 0 || denial !== null) ? Math.min(...ttls) : null;
  const answer = {
    name,
    type,
    status,
    exists: status === 'NXDOMAIN' ? aliases.length > 0 : status === 'NOERROR' || aliases.length > 0 || null,
    records: boundedRecords(records),
    cnameChain: aliases.map(({ data }) => data),
    ttl,
    dnssec: isConclusive && message.authentic,
  };
  const { extendedErrors } = message;
  const evidence = {
    isEndless,
    found: records,
    count: found.length,
    zone: denial?.zone ?? null,
    extendedErrors,
    isBogus,
  };
  return {
    answer: { ...answer, note: noteOf(answer, evidence), resolver },
    omitted: found.length - answer.records.length,
  };
}

/** RFC 2308 §3 and §5: the zone that denies the records, and the seconds for which resolvers may cache that. Null if it is not stated. */
function denialOf({ authorities }: Message): { readonly zone: string; readonly ttl: number } | null {
  const record = authorities.find(({ type }) => type === 'SOA');
  const data = record?.readData();
  if (record === undefined || data === undefined || data instanceof Malformed || data.type !== 'SOA') return null;
  return { zone: record.name, ttl: Math.min(record.ttl, data.minimum) };
}

/** The keys by which clients sort the records of some types. */
function rankOf({ mx, srv, svcb, naptr }: DnsRecord): number {
  if (naptr !== undefined) return naptr.order * 65_536 + naptr.preference;
  return mx?.preference ?? srv?.priority ?? svcb?.svcPriority ?? 0;
}

function boundedRecords(records: readonly DnsRecord[]): DnsRecord[] {
  let room = maxDataBytes;
  return records
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, maxRecords)
    .filter(({ data }) => {
      room -= data.length;
      return room >= 0;
    });
}

/** Whether the resolver states why it failed. */
export const givesReason = (errors: readonly ExtendedError[]): boolean =>
  errors.some(({ code }) => !vagueErrors.has(code));

type Answer = Pick<DnsAnswer, 'name' | 'type' | 'status' | 'records' | 'cnameChain' | 'ttl'>;

/** Facts of the message that the answer does not contain. */
interface Evidence {
  /** Whether the aliases form a loop or exceed the maximum. */
  readonly isEndless: boolean;
  /** The records that were formatted, including those that do not fit into the answer. */
  readonly found: readonly DnsRecord[];
  /** Number of all records. */
  readonly count: number;
  /** The zone that denies the records. */
  readonly zone: string | null;
  readonly extendedErrors: readonly ExtendedError[];
  readonly isBogus: boolean;
}

/** How a note states that DNSSEC is broken. */
export const failsValidation = 'fails DNSSEC validation';

/** Null if the records need no explanation. */
function noteOf(answer: Answer, evidence: Evidence): string | null {
  const { status, records, cnameChain, ttl } = answer;
  const { isEndless, found, count, extendedErrors } = evidence;
  const sentences: string[] = [];
  if (isEndless) sentences.push('The aliases (CNAME) form a loop or never end, so there are no records.');
  else if (status !== 'NOERROR' || cnameChain.length > 0 || found.length === 0)
    sentences.push(`${describeAlias(answer)}${describeOutcome(answer, evidence)}`);
  if (found.some(({ mx }) => mx?.exchange === '.'))
    sentences.push('The MX record "0 ." means that the name accepts no mail (RFC 7505).');
  if (found.some(({ error }) => error !== undefined))
    sentences.push('A record is malformed; clients ignore it, or all records of its type.');
  if (records.length < count) sentences.push(`The list contains ${records.length} of ${count} records.`);
  if (found.length === 0 && ttl !== null) sentences.push(`Resolvers may cache this for ${ttl} seconds.`);
  if (extendedErrors.length > 0)
    sentences.push(`The resolver adds: ${extendedErrors.slice(0, maxErrors).map(formatExtendedError).join('; ')}.`);
  return sentences.length === 0 ? null : sentences.join(' ');
}

const maxErrors = 4;
const maxErrorText = 200;

function formatExtendedError({ code, text }: ExtendedError): string {
  const name = extendedErrorNames[code] ?? `extended error ${code}`;
  return text.length === 0 ? name : `${name} (${[...printable(text)].slice(0, maxErrorText).join('')})`;
}

/** Describes the problem of a name that no zone, or hardly any, can contain; empty for all others. */
function describeMistake(name: string): string {
  if (/(?:^|\.)\d+$/.test(name))
    return ' No top-level domain is a number: an IPv4 address has four numbers from 0 to 255, and type PTR looks up its name.';
  return name.startsWith('*.') ? ' A query does not expand *: use a name in its place.' : '';
}

const describeAlias = ({ name, cnameChain }: Answer): string =>
  cnameChain.length === 0 ? `${name} ` : `${name} is an alias (CNAME) of ${cnameChain.at(-1)}, which `;

function describeOutcome({ name, type, status, cnameChain }: Answer, evidence: Evidence): string {
  const { found, zone, extendedErrors, isBogus } = evidence;
  switch (status) {
    case 'NOERROR':
      if (found.length > 0) return 'has these records.';
      return `exists but has no ${type} record: it has only records of other types, or names below it.`;
    case 'NXDOMAIN':
      if (cnameChain.length > 0) return 'does not exist (NXDOMAIN): the alias has no target.';
      return `does not exist (NXDOMAIN)${zone === null ? '' : `, according to ${zone === '.' ? 'the root zone' : `the zone ${zone}`}`}: it has no records of any type.${describeMistake(name)}`;
    case 'SERVFAIL':
      if (isBogus || extendedErrors.some(({ code }) => validationErrors.has(code)))
        return `${failsValidation} (SERVFAIL): its signatures are broken, so validating resolvers return no records.`;
      return 'could not be resolved (SERVFAIL): its name servers send no usable response, its DNSSEC validation fails, or its aliases form a loop.';
    case 'REFUSED':
      return 'is a name that this resolver refuses to resolve (REFUSED).';
    default:
      return `returned ${status}, which does not show whether the name exists.`;
  }
}
