/** Numbers and names of DNS that IANA assigns. https://www.iana.org/assignments/dns-parameters Last updated: 2026-11-21 */

/** Types of records, in the order in which they are offered. */
export const typeNumbers = {
  A: 1,
  AAAA: 28,
  MX: 15,
  TXT: 16,
  NS: 2,
  CNAME: 5,
  CAA: 257,
  SOA: 6,
  PTR: 12,
  SRV: 33,
  HTTPS: 65,
  SVCB: 64,
  DS: 43,
  DNSKEY: 48,
  TLSA: 52,
  SSHFP: 44,
  NAPTR: 35,
} as const;
export type RecordType = keyof typeof typeNumbers;

/** Types that no lookup offers: a host's description, which answers ANY (RFC 8482 §4.2), and those that only queries have. */
export const hinfo = 13;
export const queryTypes = { IXFR: 251, AXFR: 252, ANY: 255 } as const;
/** Redirects all names below its owner (RFC 6672): responses also have the CNAME record that follows from it. */
export const dname = 39;
/** Types of proofs that a name or type does not exist (RFC 4034 §4, RFC 5155 §3), and the one that stands for a name without any (RFC 9824 §2). */
export const nsec = 47;
export const nsec3 = 50;
export const nxname = 128;

/** The pseudo-record of EDNS (RFC 6891), and its options: Client Subnet (RFC 7871), cookies (RFC 7873), extended errors (RFC 8914). */
export const opt = 41;
export const clientSubnetOption = 8;
export const cookieOption = 10;
export const extendedErrorOption = 15;
export const internetClass = 1;

/** Bits of the second word of a header (RFC 1035 §4.1.1, RFC 4035 §3), and the highest one of EDNS (RFC 6891 §6.1.4). */
export const headerBits = {
  response: 0x8000,
  opcode: 0x7800,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  authenticData: 0x0020,
  checkingDisabled: 0x0010,
} as const;
export const dnssecOkBit = 0x8000;

/** Response codes; those above 15 need EDNS. */
export const responseCodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  BADVERS: 16,
} as const;
export type ResponseCode = keyof typeof responseCodes;

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
/**
 * Codes of policy: a resolver replaces the response (Forged Answer), blocks the name (Blocked, Censored, Filtered), or does not serve this
 * client (Prohibited). Such a response does not show what the zone contains.
 */
export const policyErrors: ReadonlySet<number> = new Set([4, 15, 16, 17, 18]);
/** Other Error and Cached Error give no reason. */
export const vagueErrors: ReadonlySet<number> = new Set([0, 13]);

/** DNSSEC algorithms by number. https://www.iana.org/assignments/dns-sec-alg-numbers Last updated: 2026-11-21 */
export const securityAlgorithms: Readonly<Record<number, string>> = {
  1: 'RSAMD5',
  2: 'DH',
  3: 'DSA',
  5: 'RSASHA1',
  6: 'DSA-NSEC3-SHA1',
  7: 'RSASHA1-NSEC3-SHA1',
  8: 'RSASHA256',
  10: 'RSASHA512',
  12: 'ECC-GOST',
  13: 'ECDSAP256SHA256',
  14: 'ECDSAP384SHA384',
  15: 'ED25519',
  16: 'ED448',
  17: 'SM2SM3',
  23: 'ECC-GOST12',
  252: 'INDIRECT',
  253: 'PRIVATEDNS',
  254: 'PRIVATEOID',
};

/** Digest types of DS records. https://www.iana.org/assignments/ds-rr-types */
export const digestTypes: Readonly<Record<number, string>> = {
  1: 'SHA-1',
  2: 'SHA-256',
  3: 'GOST R 34.11-94',
  4: 'SHA-384',
  5: 'GOST R 34.11-2012',
  6: 'SM3',
};

/** Public keys and fingerprints of SSHFP records. https://www.iana.org/assignments/dns-sshfp-rr-parameters */
export const sshAlgorithms: Readonly<Record<number, string>> = {
  1: 'RSA',
  2: 'DSA',
  3: 'ECDSA',
  4: 'Ed25519',
  6: 'Ed448',
};
export const sshFingerprints: Readonly<Record<number, string>> = { 1: 'SHA-1', 2: 'SHA-256' };

/** Acronyms of TLSA records (RFC 7218). */
export const certificateUsages: Readonly<Record<number, string>> = {
  0: 'PKIX-TA',
  1: 'PKIX-EE',
  2: 'DANE-TA',
  3: 'DANE-EE',
  255: 'PrivCert',
};
export const selectors: Readonly<Record<number, string>> = { 0: 'Cert', 1: 'SPKI', 255: 'PrivSel' };
export const matchingTypes: Readonly<Record<number, string>> = {
  0: 'Full',
  1: 'SHA2-256',
  2: 'SHA2-512',
  255: 'PrivMatch',
};

/** Names of SvcParamKeys by number (RFC 9460 §14.3, RFC 9461, RFC 9540); others are `keyNNNNN` (RFC 9460 §2.1). */
export const serviceKeyNames: readonly string[] = [
  'mandatory',
  'alpn',
  'no-default-alpn',
  'port',
  'ipv4hint',
  'ech',
  'ipv6hint',
  'dohpath',
  'ohttp',
];
