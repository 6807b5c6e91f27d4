/** Numbers and names of DNS that IANA assigns. https://www.iana.org/assignments/dns-parameters Last updated: 2026-11-21 */

/** Types of records; PTR is only for the service's own reverse lookups. */
export const typeNumbers = { A: 1, AAAA: 28, MX: 15, TXT: 16, NS: 2, CNAME: 5, CAA: 257, SOA: 6, PTR: 12 } as const;
/** The pseudo-record of EDNS (RFC 6891), and its option with extended errors (RFC 8914). */
export const opt = 41;
export const extendedErrorOption = 15;
export const internetClass = 1;

/** Response codes that a resolver can send. */
export const responseCodes: readonly string[] = [
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

/** Extended errors by their codes. */
export const extendedErrorNames: readonly string[] = [
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
export const validationErrors: ReadonlySet<number> = new Set([6, 7, 8, 9, 10, 11, 12, 25]);
/** Other Error and Cached Error give no reason. */
export const vagueErrors: ReadonlySet<number> = new Set([0, 13]);
