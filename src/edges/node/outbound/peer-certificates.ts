/** Reads the certificates that a server sent: their fields, and the path from the first one to a root of this machine. */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { formatOctets } from '../../../core/address.ts';
import { beginningOf } from '../../../core/text.ts';
import {
  maxCertificateNames,
  maxChainLength,
  maxSctLogs,
  type ObservedCertificate,
  type Peer,
} from '../../../core/tls/handshakes.ts';
import { literalOf } from '../../../lookups/public-address.ts';
import { readExtensions } from '../../../wire/certificate.ts';

/** Hostile certificates can have names of 64 KB. A host name has 253 characters. */
const maxNameLength = 256;
/** To verify a signature takes OpenSSL up to ten milliseconds with other keys, which no authority uses. */
const ordinaryKeys = { maxBits: 8_192, maxExponent: 65_537n, curves: ['prime256v1', 'secp384r1', 'secp521r1'] };

/** The roots that TLS clients of this process trust by default, with `more` (PEM), by subject. */
export class Roots {
  readonly #more: readonly string[];
  #bySubject: Map<string, X509Certificate[]> | null = null;

  constructor(more: readonly string[] = []) {
    this.#more = more;
  }

  /** All of them, PEM. */
  all(): readonly string[] {
    return [...getCACertificates('default'), ...this.#more];
  }

  /** The root that is the certificate, or that issued it. To read all takes 10 ms, once. */
  issuerOf(certificate: X509Certificate): X509Certificate | null {
    this.#bySubject ??= Map.groupBy(
      this.all().map((pem) => new X509Certificate(pem)),
      ({ subject }) => subject,
    );
    const own = this.#bySubject.get(certificate.subject)?.find((root) => root.raw.equals(certificate.raw));
    return own ?? this.#bySubject.get(certificate.issuer)?.find((root) => hasIssued(root, certificate)) ?? null;
  }
}

/** `verifyError`: see `Peer`. Null if a validity in the chain is no time, which OpenSSL reads, but can only reject. */
export function readPeer(
  first: X509Certificate,
  {
    host,
    roots,
    verifyError,
  }: { readonly host: string; readonly roots: Roots; readonly verifyError: Peer['verifyError'] },
): Peer | null {
  const sent: X509Certificate[] = [];
  for (let each: X509Certificate | undefined = first; each !== undefined; each = each.issuerCertificate)
    sent.push(each);
  const chain = sent.slice(0, maxChainLength);
  const { path, root } = pathOf(chain, roots);
  const [leaf, ...others] = chain.map(readCertificate);
  if (leaf === undefined) throw new TypeError('a chain has a certificate');
  if ([leaf, ...others].some(({ notBeforeMs, notAfterMs }) => Number.isNaN(notBeforeMs + notAfterMs))) return null;
  return {
    chain: [leaf, ...others],
    omitted: sent.length - chain.length,
    matchedName: matchedNameOf(first, host),
    path,
    root: root && clipName(root.subject),
    verifyError,
  };
}

/** The name is in the subject alternative names: like browsers, not in the common name (RFC 9525 §2). */
function matchedNameOf(certificate: X509Certificate, host: string): string | null {
  if (literalOf(host) !== null) return certificate.checkIP(host) ?? null;
  return certificate.checkHost(host, { subject: 'never', partialWildcards: false }) ?? null;
}

function pathOf(chain: readonly X509Certificate[], roots: Roots) {
  const path = [0];
  // Hostile certificates can all have one name, so that each could be the issuer of each.
  let left = maxChainLength;
  const mayHaveIssued = (issuer: X509Certificate, certificate: X509Certificate): boolean => {
    if (issuer.subject !== certificate.issuer || left === 0) return false;
    left -= 1;
    return hasIssued(issuer, certificate);
  };
  for (;;) {
    const last = chain[path.at(-1) ?? 0] as X509Certificate;
    const root = roots.issuerOf(last);
    const next = root ? -1 : chain.findIndex((each, at) => !path.includes(at) && mayHaveIssued(each, last));
    if (next === -1) return { path, root };
    path.push(next);
  }
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  if (issuer.subject !== certificate.issuer || !certificate.checkIssued(issuer)) return false;
  const key = publicKeyOf(issuer);
  return key !== null && isOrdinary(key) && certificate.verify(key);
}

function isOrdinary({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (type === 'ec') return ordinaryKeys.curves.includes(namedCurve);
  return type !== 'dsa' && modulusLength <= ordinaryKeys.maxBits && publicExponent <= ordinaryKeys.maxExponent;
}

function readCertificate(certificate: X509Certificate): ObservedCertificate {
  const { subject, issuer, serialNumber, fingerprint256, validFromDate, validToDate, signatureAlgorithm } = certificate;
  const { names, omittedNames, issuerUrl, sctLogs } =
    readExtensions(certificate.raw, maxCertificateNames) ?? noExtensions;
  return {
    subject: clipName(subject),
    issuer: clipName(issuer),
    serialNumber: clipName(serialNumber),
    notBeforeMs: validFromDate.getTime(),
    notAfterMs: validToDate.getTime(),
    names: names.map((name) => (typeof name === 'string' ? clipName(name) : formatOctets(name))),
    omittedNames,
    key: keyOf(certificate),
    signatureAlgorithm: signatureAlgorithm ?? null,
    fingerprint: fingerprint256,
    scts: sctLogs?.length ?? null,
    sctLogs: (sctLogs ?? []).slice(0, maxSctLogs).map((id) => Buffer.from(id).toString('base64')),
    issuerUrl: issuerUrl && clipName(issuerUrl),
    isSelfIssued: subject === issuer,
  };
}

/** The extensions of a certificate that OpenSSL can read, and this code cannot. */
const noExtensions = { names: [], omittedNames: 0, issuerUrl: null, sctLogs: null };

/** Node has no value for a distinguished name without attributes. */
const clipName = (name = ''): string => beginningOf(name, maxNameLength);

function keyOf(certificate: X509Certificate): ObservedCertificate['key'] {
  const { asymmetricKeyType: type, asymmetricKeyDetails } = publicKeyOf(certificate) ?? {};
  const { modulusLength: bits = null, namedCurve: curve = null } = asymmetricKeyDetails ?? {};
  return type === undefined ? null : { type, bits, curve };
}

/** Null for a key of an algorithm that OpenSSL does not know, or a malformed one. */
function publicKeyOf(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey;
  } catch {
    return null;
  }
}
