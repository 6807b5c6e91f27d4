/** Interprets a DNS message: its response code, and the records that belong to the queried name. */
import type { Message } from './message.ts';
import { noteOf } from './note.ts';
import type { DnsRecord, DnsType, QueryType, RecordOf } from './record.ts';
import { type DnsAnswer, maxDataBytes, maxRecords } from './schema.ts';

/** IANA's names of the response codes that a resolver can send. https://www.iana.org/assignments/dns-parameters Last updated: 2026-11-21 */
const statuses = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
];
export const statusOf = ({ rcode }: Message): string => statuses[rcode] ?? `RCODE${rcode}`;

/** Resolvers stop earlier. */
const maxAliases = 20;

/**
 * Follows the CNAME records from the queried name onwards; ignores records of names outside that chain. `isEndless`: they form a loop or
 * exceed the maximum. `records`: all records of the type that the last alias owns, or the name itself if there is no alias.
 */
export function followAliases<Type extends QueryType>({ answers }: Message, name: string, type: Type) {
  const byOwner = Map.groupBy(answers, (record) => record.name.toLowerCase());
  const aliases: RecordOf<'CNAME'>[] = [];
  const visited = new Set([name]);
  for (let owner = name; ; visited.add(owner)) {
    const own = byOwner.get(owner) ?? [];
    const records = own.filter(isOfType(type));
    const alias = own.find(isOfType('CNAME'));
    if (records.length > 0 || alias === undefined) return { aliases, isEndless: false, records };
    aliases.push(alias);
    owner = alias.data.toLowerCase();
    if (visited.has(owner) || aliases.length === maxAliases) return { aliases, isEndless: true, records };
  }
}

const isOfType =
  <Type extends QueryType>(type: Type) =>
  (record: RecordOf<QueryType>): record is RecordOf<Type> =>
    record.type === type;

interface ResolvedQuery {
  readonly name: string;
  readonly type: DnsType;
  readonly message: Message;
  /** Host name. */
  readonly resolver: string;
  /** Whether the same query succeeds if the resolver does not validate DNSSEC. */
  readonly succeedsUnvalidated: boolean;
}

export function responseOf({ name, type, message, resolver, succeedsUnvalidated }: ResolvedQuery): DnsAnswer {
  const status = statusOf(message);
  const { aliases, isEndless, records } = followAliases(message, name, type);
  const isConclusive = status === 'NOERROR' || status === 'NXDOMAIN';
  const soa = isConclusive && !isEndless && records.length === 0 ? soaOf(message) : null;
  const ttls = [...aliases, ...records].map(({ ttl }) => ttl);
  if (soa !== null) ttls.push(soa.ttl, soa.soa?.minimum ?? 0);
  const ttl = isConclusive && !isEndless && (records.length > 0 || soa !== null) ? Math.min(...ttls) : null;
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
  const evidence = { isEndless, found: records, zone: soa?.name ?? null, extendedErrors, succeedsUnvalidated };
  return { ...answer, note: noteOf(answer, evidence), resolver };
}

function boundedRecords(records: readonly DnsRecord[]): DnsRecord[] {
  let room = maxDataBytes;
  return records
    .toSorted((a, b) => (a.mx?.preference ?? 0) - (b.mx?.preference ?? 0))
    .slice(0, maxRecords)
    .filter(({ data }) => {
      room -= data.length;
      return room >= 0;
    });
}

/** RFC 2308 §3 and §5: the SOA record of the zone that denies the records; its TTL and minimum limit the caching of the denial. */
const soaOf = ({ authorities }: Message): RecordOf<'SOA'> | null => authorities.find(isOfType('SOA')) ?? null;
