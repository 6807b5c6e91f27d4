/** Whether the CAA records of a name permit the issuer of its certificate (RFC 8659). */
import { clip } from '../../core/text.ts';
import { caaOf } from '../domain/domain-records.ts';
import { type Finding as DnsFinding, recordsOf } from '../domain/finding.ts';
import { caaIdentifiers } from './data/caa-identifiers.ts';
import { attributeOf } from './distinguished-name.ts';
import type { Finding } from './schema.ts';

/** The CAA records from the host upwards, or why they were not queried. */
export type CaaSearch = { readonly name: string; readonly caa: DnsFinding[] } | { readonly unknown: string };

const unknown = (reason: string): Finding => ({ value: null, reason });

/** `matchedName`: the name in the certificate that matches the host; null if none does. */
export function issuerPermitted(search: CaaSearch, matchedName: string | null, issuer: string): Finding {
  if ('unknown' in search) return unknown(search.unknown);
  if (matchedName === null)
    return unknown('CAA records apply to the names in a certificate, and none matches the host.');
  const isWildcard = matchedName.startsWith('*.');
  const above = isWildcard ? withoutHost(search) : search;
  if (above === null)
    return unknown(`The search ended at the CAA records of ${search.name}; those for ${matchedName} were not queried.`);
  const found = caaOf(above);
  if (found.kind === 'unknown') return unknown(`The CAA records are not known. ${found.reason}`);
  if (found.kind === 'none') return { value: true, reason: 'No CAA record exists: every authority may issue.' };
  const { name } = found.finding;
  const properties = recordsOf(found.finding).flatMap(({ caa }) => caa ?? []);
  const valuesOf = (tag: string): string[] =>
    properties.filter((each) => each.tag.toLowerCase() === tag).map(({ value }) => issuerNameOf(value));
  const critical = properties.find(
    ({ flags, tag }) => (flags & criticalFlag) !== 0 && !registeredTags.has(tag.toLowerCase()),
  );
  if (critical !== undefined)
    return unknown(
      `The CAA records of ${name} have a critical property that is not registered, ${clip(critical.tag)}: an authority that does not know it must not issue.`,
    );
  const wild = isWildcard ? valuesOf('issuewild') : [];
  const permitted = wild.length > 0 ? wild : valuesOf('issue');
  if (permitted.length === 0) return { value: true, reason: `The CAA records of ${name} do not restrict this.` };
  const organization = attributeOf(issuer, 'O');
  const identifiers = caaIdentifiers.get(organization ?? '');
  const listed = permitted.filter((each) => each !== '').join(', ') || 'no authority';
  if (identifiers === undefined)
    return unknown(
      `The CAA records of ${name} permit ${listed}; under which name they permit ${organization ?? 'the issuer'} is not known.`,
    );
  const match = permitted.find((each) => identifiers.includes(each));
  if (match !== undefined) return { value: true, reason: `The CAA records of ${name} permit ${match}.` };
  return {
    value: false,
    reason: `The CAA records of ${name} permit ${listed}, not ${organization}: it cannot renew the certificate.`,
  };
}

/** RFC 8659 §4.1 and §4.5. */
const criticalFlag = 0x80;

/** https://www.iana.org/assignments/pkix-parameters, "Certification Authority Restriction Properties". Last updated: 2026-11-29 */
const registeredTags: ReadonlySet<string> = new Set(
  'issue issuewild iodef contactemail contactphone issuemail issuevmc auth path policy'.split(' '),
);

/** RFC 8659 §3: for the wildcard of a name, the search begins at that name; null if it was not queried. */
const withoutHost = ({ name, caa: [_, ...caa] }: Extract<CaaSearch, { name: string }>) =>
  caa.length === 0 ? null : { name: name.slice(name.indexOf('.') + 1), caa };

/** The domain name at the beginning of a value (RFC 8659 §4.2); empty if it permits nobody. */
const issuerNameOf = (value: string): string => (value.split(';')[0] ?? '').trim().toLowerCase().replace(/\.$/, '');
