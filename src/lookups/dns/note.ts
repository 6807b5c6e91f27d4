/** Explains a DNS response if its records alone do not show what it means. */
import type { ExtendedError } from './message.ts';
import type { DnsRecord } from './record.ts';
import type { DnsAnswer } from './schema.ts';

/** https://www.iana.org/assignments/dns-parameters Extended DNS Error Codes. Last updated: 2026-11-21 */
const extendedErrorNames = [
  'Other Error',
  'Unsupported DNSKEY Algorithm',
  'Unsupported DS Digest Type',
  'Stale Answer',
  'Forged Answer',
  'DNSSEC Indeterminate',
  'DNSSEC Bogus',
  'Signature Expired',
  'Signature Not Yet Valid',
  'DNSKEY Missing',
  'RRSIGs Missing',
  'No Zone Key Bit Set',
  'NSEC Missing',
  'Cached Error',
  'Not Ready',
  'Blocked',
  'Censored',
  'Filtered',
  'Prohibited',
  'Stale NXDOMAIN Answer',
  'Not Authoritative',
  'Not Supported',
  'No Reachable Authority',
  'Network Error',
  'Invalid Data',
  'Signature Expired before Valid',
  'Too Early',
  'Unsupported NSEC3 Iterations Value',
  'Unable to conform to policy',
  'Synthesized',
  'Invalid Query Type',
];

/** Codes of failed DNSSEC validation. */
const validationErrors: ReadonlySet<number> = new Set([6, 7, 8, 9, 10, 11, 12, 25]);
/** Other Error and Cached Error give no reason. */
const vagueErrors: ReadonlySet<number> = new Set([0, 13]);

/** Whether the resolver states why it failed. */
export const givesReason = (errors: readonly ExtendedError[]): boolean =>
  errors.some(({ code }) => !vagueErrors.has(code));

type Answer = Pick<DnsAnswer, 'name' | 'type' | 'status' | 'records' | 'cnameChain' | 'ttl'>;

/** Facts of the message that the answer does not contain. */
interface Evidence {
  /** Whether the aliases form a loop or exceed the maximum. */
  readonly isEndless: boolean;
  /** All records, including those that do not fit into the answer. */
  readonly found: readonly DnsRecord[];
  /** The zone that denies the records. */
  readonly zone: string | null;
  readonly extendedErrors: readonly ExtendedError[];
  readonly succeedsUnvalidated: boolean;
}

/** Null if the records need no explanation. */
export function noteOf(answer: Answer, evidence: Evidence): string | null {
  const { status, records, cnameChain, ttl } = answer;
  const { isEndless, found, extendedErrors } = evidence;
  const sentences: string[] = [];
  if (isEndless) sentences.push('The aliases (CNAME) form a loop or never end, so there are no records.');
  else if (status !== 'NOERROR' || cnameChain.length > 0 || found.length === 0)
    sentences.push(`${describeAlias(answer)}${describeOutcome(answer, evidence)}`);
  if (found.some(({ mx }) => mx?.exchange === '.'))
    sentences.push('The MX record "0 ." means that the name accepts no mail (RFC 7505).');
  if (records.length < found.length) sentences.push(`The list contains ${records.length} of ${found.length} records.`);
  if (found.length === 0 && ttl !== null) sentences.push(`Resolvers may cache this for ${ttl} seconds.`);
  if (extendedErrors.length > 0)
    sentences.push(`The resolver adds: ${extendedErrors.slice(0, maxErrors).map(formatExtendedError).join('; ')}.`);
  return sentences.length === 0 ? null : sentences.join(' ');
}

const maxErrors = 4;
const maxErrorText = 200;

function formatExtendedError({ code, text }: ExtendedError): string {
  const name = extendedErrorNames[code] ?? `extended error ${code}`;
  return text === '' ? name : `${name} (${[...text].slice(0, maxErrorText).join('')})`;
}

const describeAlias = ({ name, cnameChain }: Answer): string =>
  cnameChain.length === 0 ? `${name} ` : `${name} is an alias (CNAME) of ${cnameChain.at(-1)}, which `;

function describeOutcome({ type, status, cnameChain }: Answer, evidence: Evidence): string {
  const { found, zone, extendedErrors, succeedsUnvalidated } = evidence;
  switch (status) {
    case 'NOERROR':
      if (found.length > 0) return 'has these records.';
      return `exists but has no ${type} record: it has only records of other types, or names below it.`;
    case 'NXDOMAIN':
      if (cnameChain.length > 0) return 'does not exist (NXDOMAIN): the alias has no target.';
      return `does not exist (NXDOMAIN)${zone === null ? '' : `, according to ${zone === '.' ? 'the root zone' : `the zone ${zone}`}`}: it has no records of any type.`;
    case 'SERVFAIL':
      if (succeedsUnvalidated || extendedErrors.some(({ code }) => validationErrors.has(code)))
        return 'fails DNSSEC validation (SERVFAIL): its signatures are broken, so validating resolvers return no records.';
      return 'could not be resolved (SERVFAIL): its name servers send no usable response, its DNSSEC validation fails, or its aliases form a loop.';
    case 'REFUSED':
      return 'is a name that this resolver refuses to resolve (REFUSED).';
    default:
      return `returned ${status}, which does not show whether the name exists.`;
  }
}
