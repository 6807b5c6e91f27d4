/** Interprets a DNS message: its response code, and the records that belong to the queried name. */
import { responseCodes, vagueErrors } from '../../wire/dns/data/dns-parameters.ts';
import type { ExtendedError, Message } from '../../wire/dns/message.ts';
import { isInZone, Malformed } from '../../wire/dns/name.ts';
import { type Denial, noteOf, policyOf } from './note.ts';
import { formatRecord } from './record.ts';
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
 * `isConclusive`: whether the response shows what the zone contains.
 */
export function responseOf(
  { name, type, resolver }: Pick<DnsAnswer, 'name' | 'type' | 'resolver'>,
  message: Message,
  isBogus: boolean,
): { readonly answer: DnsAnswer; readonly omitted: number; readonly isConclusive: boolean } {
  const status = statusOf(message);
  const { aliases, isEndless, found } = followAliases(message, name, type);
  const cnameChain = aliases.map(({ data }) => data);
  const records = found.slice(0, maxFormatted).map(formatRecord);
  const isConclusive = isConclusiveResponse(message);
  const denial =
    isConclusive && !isEndless && records.length === 0 ? denialOf(message, cnameChain.at(-1) ?? name) : null;
  const ttls = [...aliases, ...records].map(({ ttl }) => ttl);
  if (denial !== null) ttls.push(denial.ttl);
  const ttl = isConclusive && !isEndless && (records.length > 0 || denial !== null) ? Math.min(...ttls) : null;
  const answer = {
    name,
    type,
    status,
    exists: existenceOf(message, aliases.length > 0),
    records: boundedRecords(records),
    cnameChain,
    ttl,
    dnssec: isConclusive && message.authentic,
  };
  const { extendedErrors } = message;
  const redirectedBy = message.redirections.find((owner) => isInZone(name, owner.toLowerCase())) ?? null;
  const evidence = { isEndless, found: records, count: found.length, denial, redirectedBy, extendedErrors, isBogus };
  return {
    answer: { ...answer, note: noteOf(answer, evidence), resolver },
    omitted: found.length - answer.records.length,
    isConclusive,
  };
}

/** Whether a response shows what the zone contains, and is not the policy of a resolver. */
export function isConclusiveResponse(message: Message): boolean {
  const status = statusOf(message);
  return (status === 'NOERROR' || status === 'NXDOMAIN') && policyOf(message.extendedErrors) === null;
}

/** Whether the name exists; null if that is not known. An alias without a target does. */
function existenceOf(message: Message, isAlias: boolean): boolean | null {
  if (policyOf(message.extendedErrors) !== null) return null;
  const status = statusOf(message);
  return status === 'NXDOMAIN' ? isAlias : status === 'NOERROR' || isAlias || null;
}

/** RFC 2308 §3 and §5. Null if it is not stated, or by a zone that does not contain the name. */
function denialOf({ authorities }: Message, name: string): Denial | null {
  const record = authorities.find(({ type }) => type === 'SOA');
  const data = record?.readData();
  if (record === undefined || data === undefined || data instanceof Malformed || data.type !== 'SOA') return null;
  if (record.name !== '.' && !isInZone(name, record.name.toLowerCase())) return null;
  return { zone: record.name, ttl: Math.min(record.ttl, data.minimum), maxTtl: data.minimum };
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
