/** The note of a DNS lookup: what the response means, and what it does not show. Pure. */
import { formatCount } from '../../core/text.ts';
import { extendedErrorNames, policyErrors, validationErrors } from '../../wire/dns/data/dns-parameters.ts';
import type { ExtendedError } from '../../wire/dns/message.ts';
import { printable } from './record.ts';
import type { DnsAnswer, DnsRecord } from './schema.ts';
import { describeSpecialUse } from './special-names.ts';

type Answer = Pick<DnsAnswer, 'name' | 'type' | 'status' | 'records' | 'cnameChain'>;

/** The zone that denies the records, and for how many seconds resolvers may cache that (RFC 2308 §3 and §5). */
export interface Denial {
  readonly zone: string;
  /** What is left at this resolver. */
  readonly ttl: number;
  /** The most that another resolver may cache it: MINIMUM of the SOA record, of which the TTL may be less. */
  readonly maxTtl: number;
}

/** Facts of the message that the answer does not contain. */
interface Evidence {
  /** Whether the aliases form a loop or exceed the maximum. */
  readonly isEndless: boolean;
  /** The records that were formatted, including those that do not fit into the answer. */
  readonly found: readonly DnsRecord[];
  /** Number of all records. */
  readonly count: number;
  readonly denial: Denial | null;
  /** The name whose DNAME record makes the name an alias; null if a CNAME record does. */
  readonly redirectedBy: string | null;
  readonly extendedErrors: readonly ExtendedError[];
  readonly isBogus: boolean;
}

/** How a note states that DNSSEC is broken. */
export const failsValidation = 'fails DNSSEC validation';

/** The code of a policy because of which the response does not show what the zone contains; null without one. */
export const policyOf = (errors: readonly ExtendedError[]): number | null =>
  errors.find(({ code }) => policyErrors.has(code))?.code ?? null;

/** Null if the records need no explanation. */
export function noteOf(answer: Answer, evidence: Evidence): string | null {
  const { records, cnameChain } = answer;
  const { found, count, denial, extendedErrors } = evidence;
  const sentences = describeResponse(answer, evidence);
  const nullMx = nullMxOf(found);
  if (nullMx === 'alone')
    sentences.push(`The MX record "${found[0]?.data}" means that the name accepts no mail (RFC 7505).`);
  if (nullMx === 'contradictory') sentences.push(contradictoryNullMx);
  if (found.some(({ mx }) => mx !== null && isNumeric(mx.exchange))) sentences.push(addressAsMx);
  if (found.some(({ error }) => error !== undefined))
    sentences.push('A record is malformed; clients ignore it, or all records of its type.');
  if (records.length < count) sentences.push(`The list contains ${records.length} of ${count} records.`);
  if (found.length === 0) {
    const specialUse = describeSpecialUse(cnameChain.at(-1) ?? answer.name);
    if (specialUse !== null) sentences.push(specialUse);
    if (denial !== null) sentences.push(describeCaching(denial));
  }
  if (extendedErrors.length > 0)
    sentences.push(`The resolver adds: ${extendedErrors.slice(0, maxErrors).map(formatExtendedError).join('; ')}.`);
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** RFC 5321 §5.1 */
const addressAsMx = 'An MX record names an IP address instead of a host, which many senders do not accept.';

/** Whether the last label of a name is a number, so that the name may be meant as an address. */
const isNumeric = (name: string): boolean => /(?:^|\.)\d+$/.test(name);

/** Whether MX records state that the name accepts no mail, which RFC 7505 §3 permits only without others; null if none does. */
export function nullMxOf(records: readonly DnsRecord[]): 'alone' | 'contradictory' | null {
  const exchanges = records.flatMap(({ mx }) => (mx === null ? [] : [mx.exchange]));
  if (!exchanges.includes('.')) return null;
  return exchanges.every((exchange) => exchange === '.') ? 'alone' : 'contradictory';
}

export const contradictoryNullMx =
  'The MX records contradict each other: "." means that the name accepts no mail, which RFC 7505 permits only without other MX records. Some senders use the others, some reject the mail.';

function describeResponse(answer: Answer, evidence: Evidence): string[] {
  const { status, cnameChain } = answer;
  const policy = policyOf(evidence.extendedErrors);
  if (policy !== null) return [describePolicy(answer, policy)];
  if (evidence.isEndless) return ['The aliases (CNAME) form a loop or never end, so there are no records.'];
  if (status === 'NOERROR' && cnameChain.length === 0 && evidence.found.length > 0) return [];
  return [`${describeAlias(answer, evidence)}${describeOutcome(answer, evidence)}`];
}

const policies: Readonly<Record<number, string>> = {
  4: 'for reasons of policy, the resolver replaced the response',
  15: "the resolver's operator blocks this name",
  16: 'the resolver has to block this name, for example by law',
  17: 'the resolver blocks this name at the request of its clients',
  18: 'the resolver, or the name server, does not serve this client',
};

/** RFC 8914 §4: the response is the resolver's own. */
function describePolicy({ name, status, records }: Answer, policy: number): string {
  const response =
    records.length > 0 ? 'These records are not those of its zone' : `The response (${status}) is not that of its zone`;
  return `${name}: ${policies[policy]}. ${response}, so it is not known whether the name exists and what it has.`;
}

function describeCaching({ ttl, maxTtl }: Denial): string {
  const rest = ttl < maxTtl ? `; this one does so for ${ttl} more` : '';
  return `Resolvers may cache this for at most ${formatCount(maxTtl, 'second')}${rest}.`;
}

const maxErrors = 4;
const maxErrorText = 200;

function formatExtendedError({ code, text }: ExtendedError): string {
  const name = extendedErrorNames[code] ?? `extended error ${code}`;
  return text.length === 0 ? name : `${name} (${[...printable(text)].slice(0, maxErrorText).join('')})`;
}

/** The alias of the queried name, and the end of a chain of them. */
function describeAlias({ name, cnameChain }: Answer, { redirectedBy }: Evidence): string {
  const [first, ...further] = cnameChain;
  if (first === undefined) return `${name} `;
  const how = redirectedBy === null ? 'CNAME' : `by the DNAME record of ${redirectedBy}`;
  const end = further.length === 0 ? ', which' : `, and the chain of aliases ends at ${further.at(-1)}, which`;
  return `${name} is an alias (${how}) of ${first}${end} `;
}

/** Describes the problem of a name that no zone, or hardly any, can contain; empty for all others. */
function describeMistake(name: string): string {
  if (isNumeric(name))
    return ' No top-level domain is a number: an IPv4 address has four numbers from 0 to 255, and type PTR looks up its name.';
  return name.startsWith('*.') ? ' A query does not expand *: use a name in its place.' : '';
}

function describeOutcome({ name, type, status, cnameChain }: Answer, evidence: Evidence): string {
  const { found, denial, extendedErrors, isBogus } = evidence;
  switch (status) {
    case 'NOERROR':
      if (found.length > 0) return 'has these records.';
      return `exists but has no ${type} record: it has only records of other types, or names below it.`;
    case 'NXDOMAIN': {
      if (cnameChain.length > 0)
        return `does not exist (NXDOMAIN): the ${cnameChain.length > 1 ? 'last ' : ''}alias has no target.`;
      if (describeSpecialUse(name) !== null) return 'is not in the public DNS (NXDOMAIN).';
      const zone = denial?.zone ?? null;
      const authority = zone === null ? '' : `, according to ${zone === '.' ? 'the root zone' : `the zone ${zone}`}`;
      return `does not exist (NXDOMAIN)${authority}: it has no records of any type.${describeMistake(name)}`;
    }
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
