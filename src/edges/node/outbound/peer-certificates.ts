/** Reads the certificates that a server sent: their fields, and the path from the first one to a root of this machine. */
import { X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { formatAddress, parseAddress } from '../../../core/address.ts';
import { beginningOf } from '../../../core/text.ts';
import {
  maxCertificateNames,
  maxChainLength,
  type ObservedCertificate,
  type Peer,
} from '../../../core/tls/handshakes.ts';
import { literalOf } from '../../../lookups/public-address.ts';
import { countScts } from '../../../wire/certificate.ts';

/** Hostile certificates can have names of 100 KB. A host name has 253 characters. */
const maxNameLength = 256;
/** To verify a signature takes OpenSSL milliseconds with the longest keys that it accepts; no authority uses one. */
const maxKeyBits = 8_192;

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

/** `verifyError`: see `Peer`. */
export function readPeer(
  first: X509Certificate,
  {
    host,
    roots,
    verifyError,
  }: { readonly host: string; readonly roots: Roots; readonly verifyError: Peer['verifyError'] },
): Peer {
  const sent: X509Certificate[] = [];
  for (let each: X509Certificate | undefined = first; each !== undefined; each = each.issuerCertificate)
    sent.push(each);
  const chain = sent.slice(0, maxChainLength);
  const { path, root } = pathOf(chain, roots);
  const [leaf, ...others] = chain.map(readCertificate);
  if (leaf === undefined) throw new TypeError('a chain has a certificate');
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
  for (;;) {
    const last = chain[path.at(-1) ?? 0] as X509Certificate;
    const root = roots.issuerOf(last);
    const next = root ? -1 : chain.findIndex((each, at) => !path.includes(at) && hasIssued(each, last));
    if (next === -1) return { path, root };
    path.push(next);
  }
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  if (issuer.subject !== certificate.issuer || !certificate.checkIssued(issuer)) return false;
  const key = keyOf(issuer);
  return key !== null && (key.bits ?? 0) <= maxKeyBits && certificate.verify(issuer.publicKey);
}

function readCertificate(certificate: X509Certificate): ObservedCertificate {
  const { subject, issuer, serialNumber, fingerprint256, validFromDate, validToDate, signatureAlgorithm } = certificate;
  const names = namesOf(certificate.subjectAltName ?? '');
  return {
    subject: clipName(subject),
    issuer: clipName(issuer),
    serialNumber: clipName(serialNumber),
    notBeforeMs: validFromDate.getTime(),
    notAfterMs: validToDate.getTime(),
    names: names.slice(0, maxCertificateNames).map(clipName),
    omittedNames: Math.max(0, names.length - maxCertificateNames),
    key: keyOf(certificate),
    signatureAlgorithm: signatureAlgorithm ?? null,
    fingerprint: fingerprint256,
    scts: countScts(certificate.raw),
    issuerUrl: issuerUrlOf(certificate),
    isSelfIssued: subject === issuer,
  };
}

const clipName = (name: string): string => beginningOf(name, maxNameLength);

/** Node quotes as JSON what could be mistaken for several names. */
const namePattern = /(?<=^|, )(DNS|IP Address|[^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

function namesOf(subjectAltName: string): string[] {
  return [...subjectAltName.matchAll(namePattern)]
    .filter(([, type]) => type === 'DNS' || type === 'IP Address')
    .map(([, type, name = '']) => {
      const address = type === 'IP Address' ? parseAddress(name) : null;
      return address === null ? unquote(name) : formatAddress(address);
    });
}

const unquote = (text: string): string => (text.startsWith('"') ? String(JSON.parse(text)) : text);

function keyOf(certificate: X509Certificate): ObservedCertificate['key'] {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails } = certificate.publicKey;
    const { modulusLength: bits = null, namedCurve: curve = null } = asymmetricKeyDetails ?? {};
    return type === undefined ? null : { type, bits, curve };
  } catch {
    // A key of an algorithm that OpenSSL does not know, or a malformed one.
    return null;
  }
}

function issuerUrlOf({ infoAccess }: X509Certificate): string | null {
  const [, url] = /^CA Issuers - URI:("(?:[^"\\]|\\.)*"|.*)$/m.exec(infoAccess ?? '') ?? [];
  return url === undefined ? null : clipName(unquote(url));
}
