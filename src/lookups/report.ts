/** The report about a domain: its parts, and the most important facts of each, for one line. */
import { parseAddress, withoutBrackets } from '../core/address.ts';
import { ServiceError } from '../core/errors.ts';
import { formatAge } from '../core/text.ts';
import { shortPlace } from '../resources/place.ts';
import { describeCheck } from './certificate/findings.ts';
import type { CertificateCheck } from './certificate/schema.ts';
import { parseDnsName } from './dns/name.ts';
import { briefOfRecords } from './domain/overview.ts';
import type { HeaderCheck } from './headers-check/schema.ts';
import type { IpLookup } from './ip/ip-lookup.ts';
import { certificateLookup, domainAddress, domainRecords, headerLookup, registrationLookup } from './list.ts';
import { endsInNumber } from './rdap/query.ts';
import type { RdapResult } from './rdap/schema.ts';

/** When it expires, or if that is not known, when it was registered. */
export function briefOfRegistration({ summary }: Pick<RdapResult, 'summary'>, nowMs: number): readonly string[] {
  const expires = 'expires' in summary ? summary.expires : null;
  if (expires !== null)
    return [`${Date.parse(expires) < nowMs ? 'Expired' : 'Expires'} ${formatAge(Date.parse(expires), nowMs)}`];
  const { registered } = summary;
  return registered === null ? ['Registered'] : [`Registered ${formatAge(Date.parse(registered), nowMs)}`];
}

export const briefOfGrade = ({ grade }: Pick<HeaderCheck, 'grade'>): readonly string[] => [`Grade ${grade.grade}`];

export const briefOfAddress = (lookup: IpLookup): readonly string[] => [shortPlace(lookup) ?? lookup.ip];

export function briefOfCertificates(check: CertificateCheck): readonly string[] {
  const [first = '', ...others] = describeCheck(check);
  return [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...others];
}

/** The part of a message that states what is wrong; what to change follows it. */
export const briefOfError = ({ message }: { readonly message: string }): string =>
  message.replace(/(?:;|\. ).*|\.$/s, '');

const asIs = (name: string): string => name;

/** `queryOf`: what the lookup of a part gets for the name of the domain. */
export const reportParts = [
  {
    id: 'registration',
    title: 'Registration',
    lookup: registrationLookup,
    queryOf: asIs,
    briefOf: briefOfRegistration,
  },
  { id: 'dns', title: 'DNS', lookup: domainRecords, queryOf: asIs, briefOf: briefOfRecords },
  {
    id: 'headers',
    title: 'Security headers',
    lookup: headerLookup,
    queryOf: (name: string) => `https://${name}/`,
    briefOf: briefOfGrade,
  },
  { id: 'address', title: 'Address', lookup: domainAddress, queryOf: asIs, briefOf: briefOfAddress },
  // Last, because the parts appear in order, and one address without a response takes all of its time.
  { id: 'certificate', title: 'Certificate', lookup: certificateLookup, queryOf: asIs, briefOf: briefOfCertificates },
] as const;

/** The root and wildcards have records, but no report; a name that ends in a number has no site. Throws `invalid_query`. */
export function nameOfReport(typed: string): string {
  if (parseAddress(withoutBrackets(typed.trim())) !== null)
    throw new ServiceError('invalid_query', 'name is an IP address; use a domain name such as example.com.');
  const name = parseDnsName(typed);
  if (name === '.')
    throw new ServiceError('invalid_query', 'name is the root zone; use a domain name such as example.com.');
  if (name.startsWith('*.'))
    throw new ServiceError('invalid_query', `name is a wildcard; use one name: try ${name.slice(2)}.`);
  if (endsInNumber(name))
    throw new ServiceError('invalid_query', 'name ends in a number; use a domain name such as example.com.');
  return name;
}
