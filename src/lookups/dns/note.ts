/** Says in words what a DNS answer means where its records do not. */
import type { ExtendedError } from './message.ts';
import type { DnsRecord, DnsType } from './record.ts';

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

/** Those that say that validation failed. */
const validationErrors: ReadonlySet<number> = new Set([6, 7, 8, 9, 10, 11, 12, 25]);
/** Other Error and Cached Error name no reason. */
const vagueErrors: ReadonlySet<number> = new Set([0, 13]);

/** Whether the resolver says why it failed. */
export const givesReason = (errors: readonly ExtendedError[]): boolean =>
  errors.some(({ code }) => !vagueErrors.has(code));

interface Noted {
  readonly name: string;
  readonly type: DnsType;
  readonly status: string;
  readonly cnameChain: readonly string[];
  readonly endless: boolean;
  /** All records, and those that the answer has room for. */
  readonly found: readonly DnsRecord[];
  readonly listed: readonly DnsRecord[];
  /** The zone that says that there are none. */
  readonly zone: string | null;
  readonly ttl: number | null;
  readonly extendedErrors: readonly ExtendedError[];
  readonly unvalidated: boolean;
}

/** Null where the records say it all. */
export function noteOf(noted: Noted): string | null {
  const { found, listed, ttl, extendedErrors } = noted;
  const sentences: string[] = [];
  if (noted.endless) sentences.push('The aliases (CNAME) lead in a circle or never end, so that there are no records.');
  else if (noted.status !== 'NOERROR' || noted.cnameChain.length > 0 || found.length === 0)
    sentences.push(`${alias(noted)}${outcome(noted)}`);
  if (found.some(({ mx }) => mx?.exchange === '.'))
    sentences.push('The MX record "0 ." says that the name accepts no mail (RFC 7505).');
  if (listed.length < found.length) sentences.push(`${listed.length} of the ${found.length} records are listed.`);
  if (found.length === 0 && ttl !== null) sentences.push(`Resolvers may remember this for ${ttl} seconds.`);
  if (extendedErrors.length > 0)
    sentences.push(`The resolver adds: ${extendedErrors.slice(0, maxErrors).map(said).join('; ')}.`);
  return sentences.length === 0 ? null : sentences.join(' ');
}

const maxErrors = 4;
const maxErrorText = 200;

function said({ code, text }: ExtendedError): string {
  const name = extendedErrorNames[code] ?? `extended error ${code}`;
  return text === '' ? name : `${name} (${[...text].slice(0, maxErrorText).join('')})`;
}

const alias = ({ name, cnameChain }: Noted): string =>
  cnameChain.length === 0 ? `${name} ` : `${name} is an alias (CNAME) of ${cnameChain.at(-1)}, which `;

function outcome({ type, status, cnameChain, found, zone, extendedErrors, unvalidated }: Noted): string {
  const isAlias = cnameChain.length > 0;
  switch (status) {
    case 'NOERROR':
      if (found.length > 0) return 'has these records.';
      return `exists but has no ${type} record: it has only records of other types or names below it.`;
    case 'NXDOMAIN':
      if (isAlias) return 'does not exist (NXDOMAIN): the alias leads nowhere.';
      return `does not exist (NXDOMAIN)${zone === null ? '' : `, says ${zone === '.' ? 'the root zone' : `the zone ${zone}`}`}: it has no records of any type.`;
    case 'SERVFAIL':
      if (unvalidated || extendedErrors.some(({ code }) => validationErrors.has(code)))
        return 'fails DNSSEC validation (SERVFAIL): its signatures are broken, and validating resolvers give no answer.';
      return 'could not be resolved (SERVFAIL): its name servers give no usable answer, its DNSSEC validation fails, or its aliases run in a circle.';
    case 'REFUSED':
      return 'is a name for which this resolver refuses to answer (REFUSED).';
    default:
      return `got ${status} from the resolver, which does not say whether it exists.`;
  }
}
