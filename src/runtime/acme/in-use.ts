/** The certificate of ACME_DOMAIN that the servers use. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { normalizeAddress } from '../../core/address.ts';
import type { Log } from '../../core/log.ts';
import type { Certificate } from '../certificate.ts';
import { isCovered } from '../certificate-chain.ts';
import { type Suggestion, useCertificate, validityOf } from './renewal.ts';

/** Where a certificate comes from. */
const origins = {
  stored: 'using the stored certificate',
  shared: 'using the certificate of another instance',
  ordered: 'obtained a certificate',
};

export type CertificateInUse = ReturnType<typeof createCertificateInUse>;

export function createCertificateInUse(domains: readonly string[], log: Log) {
  let used: ReturnType<typeof useCertificate> | null = null;
  /** The renewal as the latest log line states it. */
  let logged = { renewalMs: 0, isExplained: false };
  return {
    /** Null if there is none. */
    certificate: (): Certificate | null => used?.certificate ?? null,
    validity: () => used?.validity ?? null,
    /** Whether another one is needed. */
    isDue: (): boolean => used === null || used.isDue(),
    /** Whether a suggestion of the CA could still postpone the renewal. */
    isPostponable: (): boolean => used?.isPostponable() ?? false,
    /** Replaces it. `isNew`: it was issued a moment ago. */
    use(certificate: Certificate, from: keyof typeof origins, isNew: boolean): void {
      used = useCertificate(certificate, domains, isNew);
      logged = { renewalMs: used.renewalMs(), isExplained: false };
      const until = formatTime(used.validity.toMs);
      const renewal = `renewal on ${formatTime(used.renewalMs())}`;
      const text = `${origins[from]} for ${describeCoverage(certificate, domains, { until, renewal })}`;
      log(from === 'ordered' ? 'certificate_obtained' : 'certificate_stored', text, {
        names: domains.join(', '),
        until,
      });
    },
    /**
     * Follows the CA's suggestion for a certificate, PEM, if that is still the one in use. `explanation`: URL of a page for the operator; null
     * if there is none.
     */
    suggest(cert: string, suggestion: Suggestion, explanation: string | null): void {
      if (used?.certificate.cert !== cert) return;
      used.suggest(suggestion);
      const { fromMs, toMs } = used.validity;
      const renewalMs = used.renewalMs();
      // A CA may send another window or URL each minute: the log has a line if the time differs notably, and for the first explanation.
      const isMoved = Math.abs(renewalMs - logged.renewalMs) > (toMs - fromMs) / 100;
      const isExplained = logged.isExplained || explanation !== null;
      if (!isMoved && isExplained === logged.isExplained) return;
      logged = { renewalMs, isExplained };
      const renewal = formatTime(renewalMs);
      const window = `${formatTime(suggestion.fromMs)} to ${formatTime(suggestion.toMs)}`;
      const see = explanation === null ? '' : `; see ${explanation}`;
      const text = `renewal on ${renewal}; the certificate authority suggests ${window}${see}`;
      log('certificate_renewal_suggested', text, { renewal });
    },
  };
}

/** States the names of a certificate, which may be those of an earlier ACME_DOMAIN. */
function describeCoverage(
  { cert }: Certificate,
  domains: readonly string[],
  { until, renewal }: Readonly<Record<'until' | 'renewal', string>>,
): string {
  const leaf = new X509Certificate(cert);
  const missing = domains.filter((domain) => !isCovered(leaf, domain)).join(', ');
  if (missing === '') return `${domains.join(', ')}, valid until ${until}; ${renewal}`;
  const names = (leaf.subjectAltName ?? '')
    .split(', ')
    .map((name) => normalizeAddress(name.replace(/^(?:DNS|IP Address):/, '')))
    .join(', ');
  return `${names}, valid until ${until}: it does not cover ${missing}; clients of these names reject it until a new certificate is obtained`;
}

export function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}

/** Whether the servers can use the certificate, and it is valid for all of the domains at any time. */
export function isUsable({ cert, key }: Certificate, domains: readonly string[]): boolean {
  try {
    createSecureContext({ cert, key });
    const leaf = new X509Certificate(cert);
    return (
      leaf.checkPrivateKey(createPrivateKey(key)) &&
      leaf.validToDate > leaf.validFromDate &&
      domains.every((domain) => isCovered(leaf, domain))
    );
  } catch {
    return false;
  }
}

/** Whether a certificate of the domains was issued later than another one, or that one does not fit them. */
export function isBetter(one: Certificate, other: Certificate | null, domains: readonly string[]): boolean {
  if (!isUsable(one, domains)) return false;
  if (other === null || !isUsable(other, domains)) return true;
  return issuedMs(one) > issuedMs(other);
}

const issuedMs = ({ cert }: Certificate): number => validityOf(new X509Certificate(cert)).fromMs;
