/** The result of a certificate lookup: handshakes by address, the certificates that were sent, and verdicts with their reasons. */
import * as z from 'zod';
import { handshakeOutcomes, maxSctLogs } from '../../core/tls/handshakes.ts';

const text = (description: string) => z.string().nullable().describe(description);
const count = (description: string) => z.int().describe(description);

/** Conditions that a certificate, or all addresses together, should meet; with their names for people. */
export const conditions = {
  trusted: 'Trusted',
  nameMatches: 'Name matches',
  chainComplete: 'Chain complete',
  withinValidity: 'Within its validity',
  strong: 'Strong key and signature',
  issuerPermitted: 'Issuer permitted by CAA',
  sameOnAllAddresses: 'Same on all addresses',
  oldProtocolsRejected: 'TLS 1.0 and 1.1 rejected',
} as const;
export type Condition = keyof typeof conditions;

const Verdict = z
  .object({
    id: z.enum(Object.keys(conditions) as [Condition, ...Condition[]]).describe('The condition'),
    title: z.string().describe('Its name for people'),
    value: z.boolean().nullable().describe('Whether it is met; null if that is not known'),
    reason: z.string().describe('Why, in a sentence'),
  })
  .meta({ id: 'CertificateVerdict', description: 'Whether a condition is met' });
export type Verdict = z.infer<typeof Verdict>;

const Handshake = z
  .object({
    address: z.string().describe('IP address'),
    outcome: z.enum(handshakeOutcomes).describe('How the handshake ended'),
    detail: text('Name of the alert, or reason of the failure'),
    protocol: text('Such as TLSv1.3; null without a complete handshake'),
    cipher: text("Cipher suite, OpenSSL's name"),
    group: text('Group of the key exchange'),
    alpn: text('Negotiated application protocol'),
    elapsedMs: count('Milliseconds until its end'),
    fingerprint: text('SHA-256 of the certificate that the address sent'),
  })
  .meta({ id: 'CertificateHandshake', description: 'A handshake with one address' });
export type AddressHandshake = z.infer<typeof Handshake>;

const key = z
  .object({
    type: z.string().describe('rsa, ec, ed25519 or another'),
    bits: z.int().nullable().describe('Size of an RSA key'),
    curve: text('Curve of an EC key'),
  })
  .nullable()
  .describe('Public key; null if it cannot be read');

const SentCertificate = z
  .object({
    subject: z.string().describe('Distinguished name'),
    issuer: z.string().describe('Distinguished name'),
    serialNumber: z.string().describe('Hexadecimal'),
    notBefore: z.string().describe('Start of its validity, RFC 3339, UTC'),
    notAfter: z.string().describe('End of its validity'),
    key,
    signatureAlgorithm: text("OpenSSL's name"),
    fingerprint: z.string().describe('SHA-256'),
  })
  .meta({ id: 'SentCertificate', description: 'A certificate of a chain' });
export type SentCertificate = z.infer<typeof SentCertificate>;

const Certificate = z
  .object({
    addresses: z.array(z.string()).describe('Addresses that sent it with this chain'),
    issuedBy: z.string().describe('Organization of the issuer, else its common name'),
    names: z.array(z.string()).describe('DNS names and IP addresses (subject alternative names)'),
    moreNames: count('Names left out'),
    daysLeft: count('Whole days until notAfter; negative afterwards'),
    lifetimeDays: count('Days from notBefore to notAfter; a part of a day counts as one'),
    maxLifetimeDays: count('Longest lifetime permitted to public authorities at notBefore'),
    scts: z.int().nullable().describe('Embedded signed certificate timestamps (Certificate Transparency)'),
    sctLogs: z.array(z.string()).describe(`Logs of the first ${maxSctLogs}: names, else ids in Base64`),
    chain: z.array(SentCertificate).describe('As sent: the certificate itself, then all others'),
    moreCertificates: count('Certificates of the chain left out'),
    notes: z.array(z.string()).describe('Observations without effect on a verdict'),
    verdicts: z.array(Verdict).describe('About this certificate'),
  })
  .meta({ id: 'Certificate', description: 'A certificate with the chain that addresses sent' });
export type Certificate = z.infer<typeof Certificate>;

export const CertificateCheck = z
  .object({
    host: z.string().describe('Host name in ASCII, or IP address'),
    port: count('TCP port'),
    addresses: z.array(Handshake).describe('Handshake with each address'),
    moreAddresses: count('Addresses without a handshake'),
    certificates: z.array(Certificate).describe('One for each different chain'),
    verdicts: z.array(Verdict).describe('About all addresses together'),
  })
  .meta({ id: 'CertificateCheck', description: "A host's certificates on each of its addresses" });
export type CertificateCheck = z.infer<typeof CertificateCheck>;

/** A verdict before its condition is named. */
export type Finding = Pick<Verdict, 'value' | 'reason'>;

export const verdictOf = (id: Condition, finding: Finding): Verdict => ({ id, title: conditions[id], ...finding });
