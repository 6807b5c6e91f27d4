/** Recognizes what a person typed: an IP address, a URL, a domain or another subject, and the lookup that fits it. */
import { parseAddress, withoutBrackets } from '../core/address.ts';
import { otherTlsPorts } from '../core/limits.ts';
import type { Deployment } from '../core/request-context.ts';
import { isReverseName } from './dns/name.ts';
import type { DnsType } from './dns/schema.ts';
import { repairScheme, targetOf } from './headers-check/target.ts';
import { addressLookup, certificateLookup, headerLookup, recordLookup, registrationLookup } from './list.ts';
import type { Lookup } from './lookup.ts';
import { parseQuery, toAscii } from './rdap/query.ts';

export interface Subject {
  /** Null for a domain, which several lookups describe. */
  readonly lookup: Lookup | null;
  readonly value: string;
  /** Type of the records, if the subject is a name that has records of one type only. */
  readonly type?: DnsType;
}

/** Throws a ServiceError that states what is wrong with the text. */
export function subjectOf(
  typed: string,
  { hasAddressData = true, readsCertificates = true }: Pick<Deployment, 'hasAddressData' | 'readsCertificates'> = {},
): Subject {
  const value = withoutBrackets(repairScheme(unwrap(typed.trim())).replace(/^(?:mailto:)?(?:[^@/\s]+@)?/i, ''));
  if (parseAddress(value) !== null) return { lookup: hasAddressData ? addressLookup : registrationLookup, value };
  if (/^https?:\/\//i.test(value)) return { lookup: headerLookup, value };
  const name = toAscii(value);
  // Names below a domain that are not of hosts (RFC 8552).
  if (name?.includes('_')) return { lookup: recordLookup, value: name, type: typeOfName(name) };
  if (isReverseName(value)) return { lookup: recordLookup, value, type: 'PTR' };
  if (readsCertificates && portOfTls.test(value)) return { lookup: certificateLookup, value };
  if (isUrlWithoutScheme(value))
    return { lookup: headerLookup, value: targetOf(`https://${value}`, { ownHosts: [] }).href };
  const query = parseQuery(value);
  if (query.kind !== 'domain' || !query.fullName.includes('.')) return { lookup: registrationLookup, value };
  return { lookup: null, value: query.fullName };
}

/** What was copied with a subject: quotes or brackets around it, a name before an e-mail address, and the punctuation of a sentence. */
function unwrap(text: string): string {
  const [, inner = text] = /^(?:[^<>]*<|["'“(])([^<>"'“”()]+)[>"'”)]$/.exec(text) ?? [];
  // A URL may end with any of these.
  return inner.includes('/') ? inner : inner.replace(/[,;]$|(?<=\d)\.$/, '');
}

/** A host with a port of a protocol over TLS other than HTTP. */
const portOfTls = new RegExp(`^[^\\s/:@]+:(?:${otherTlsPorts.join('|')})$`);

/** A host name with a port or a path. */
function isUrlWithoutScheme(text: string): boolean {
  // With the dot between two groups, 15 KB of dots would take half a second.
  const [, host = '', rest] = /^([^\s/:@]+)((?::\d+)?(?:\/\S*)?)$/.exec(text) ?? [];
  return rest !== '' && host.slice(1, -1).includes('.') && toAscii(host) !== null;
}

/** SRV: RFC 2782; TLSA: RFC 6698 §3. All others that people look up, such as DMARC and DKIM, are TXT. */
function typeOfName(name: string): DnsType {
  if (/^_\d+\._(?:tcp|udp|sctp)\./.test(name)) return 'TLSA';
  return /^_[^.]+\._(?:tcp|udp|tls|sctp|dccp)\./.test(name) ? 'SRV' : 'TXT';
}
