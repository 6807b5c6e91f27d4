/** The answer of a DNS lookup, and what of a message belongs to it. */
import * as z from 'zod';
import type { Message } from './message.ts';
import { noteOf } from './note.ts';
import { DnsRecord, type DnsType, dnsTypes } from './record.ts';

export const DnsAnswer = z
  .object({
    name: z.string().describe('The name asked for: lower case, ASCII (xn--), without a trailing dot'),
    type: z.enum(dnsTypes),
    status: z.string().describe('Response code, such as NOERROR, NXDOMAIN, SERVFAIL or REFUSED'),
    exists: z
      .boolean()
      .nullable()
      .describe(
        'Whether the name exists, with records of any type or names below it; null when the answer does not say',
      ),
    records: z
      .array(DnsRecord)
      .describe(
        'Records of the type asked for, at most 100 and 32 KB of text; MX by preference; empty when there are none',
      ),
    cnameChain: z
      .array(z.string())
      .describe(
        'Names that were followed from alias (CNAME) to alias, without the one asked for; the last has the records',
      ),
    ttl: z
      .int()
      .nullable()
      .describe(
        'Seconds that the answer as a whole may be cached, aliases included, or, without records, that it may be remembered that there are none; null when not known',
      ),
    dnssec: z
      .boolean()
      .describe(
        'True when the resolver validated the whole answer. False means that a zone on the way is not signed, which is common and no fault; failed validation is SERVFAIL',
      ),
    note: z.string().nullable().describe('What the answer means where records alone do not say it'),
    resolver: z.string().describe('Host name of the resolver that answered'),
  })
  .meta({ id: 'DnsAnswer', description: 'What DNS says of a name' });
export type DnsAnswer = z.infer<typeof DnsAnswer>;

/** IANA's names of the response codes that a resolver can have. https://www.iana.org/assignments/dns-parameters Last updated: 2026-11-21 */
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

/** Resolvers give up sooner. */
const maxAliases = 20;
/** What a reader has use for; a zone can publish 64 KB of either. */
const maxRecords = 100;
const maxCharacters = 32_768;

export interface Followed {
  /** CNAME records from the name asked for onwards. */
  readonly aliases: readonly DnsRecord[];
  /** The aliases lead back to one of themselves, or on without an end in sight. */
  readonly endless: boolean;
  /** All records of the type that the last alias, or else the name itself, owns. */
  readonly records: readonly DnsRecord[];
}

/** Goes from alias to alias; records of other names in the answer are nobody's business. */
export function follow({ answers }: Message, name: string, type: DnsType): Followed {
  const byOwner = Map.groupBy(answers, (record) => record.name.toLowerCase());
  const aliases: DnsRecord[] = [];
  const passed = new Set([name]);
  for (let owner = name; ; passed.add(owner)) {
    const own = byOwner.get(owner) ?? [];
    const records = own.filter((record) => record.type === type);
    const alias = own.find((record) => record.type === 'CNAME');
    if (records.length > 0 || alias === undefined) return { aliases, endless: false, records };
    aliases.push(alias);
    owner = alias.data.toLowerCase();
    if (passed.has(owner) || aliases.length === maxAliases) return { aliases, endless: true, records };
  }
}

/** `unvalidated`: the same question was answered when DNSSEC was not to be checked. */
export function answerOf(
  name: string,
  type: DnsType,
  message: Message,
  resolver: string,
  unvalidated: boolean,
): DnsAnswer {
  const status = statusOf(message);
  const { aliases, endless, records } = follow(message, name, type);
  const answered = status === 'NOERROR' || status === 'NXDOMAIN';
  const soa = answered && !endless && records.length === 0 ? soaOf(message) : null;
  const ttls = [...aliases, ...records].map(({ ttl }) => ttl);
  if (soa !== null) ttls.push(soa.ttl, soa.soa?.minimum ?? 0);
  const ttl = answered && !endless && (records.length > 0 || soa !== null) ? Math.min(...ttls) : null;
  let room = maxCharacters;
  const listed = [...records]
    .sort((a, b) => (a.mx?.preference ?? 0) - (b.mx?.preference ?? 0))
    .slice(0, maxRecords)
    .filter(({ data }) => {
      room -= data.length;
      return room >= 0;
    });
  const cnameChain = aliases.map(({ data }) => data);
  const zone = soa?.name ?? null;
  const { extendedErrors } = message;
  return {
    name,
    type,
    status,
    exists: status === 'NXDOMAIN' ? aliases.length > 0 : status === 'NOERROR' || aliases.length > 0 || null,
    records: listed,
    cnameChain,
    ttl,
    dnssec: answered && message.authentic,
    note: noteOf({
      name,
      type,
      status,
      cnameChain,
      endless,
      found: records,
      listed,
      zone,
      ttl,
      extendedErrors,
      unvalidated,
    }),
    resolver,
  };
}

/** RFC 2308 §3 and §5: the SOA record of the zone that says no; its TTL and minimum bound how long the no holds. */
const soaOf = ({ authorities }: Message): DnsRecord | null =>
  authorities.find((record) => record.type === 'SOA') ?? null;
