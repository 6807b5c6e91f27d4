/** A certificate of ACME_DOMAIN that the servers use, and when it is due for renewal. */
import { X509Certificate } from 'node:crypto';
import type { Certificate } from '../certificate.ts';
import { minRenewalPauseMs, renewalMs, type Validity } from './schedule.ts';

export interface CertificateInUse {
  readonly certificate: Certificate;
  readonly validity: Validity;
  /** Milliseconds since the Unix epoch. */
  readonly renewalMs: number;
  isDue(): boolean;
}

/** Milliseconds of the system clock, and of one that no setting changes but that may stop while the machine sleeps. */
interface Now {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

const readNow = (): Now => ({ wallMs: Date.now(), monotonicMs: performance.now() });

/**
 * `isNew`: it was issued a moment ago, so that it is due only after a part of its lifetime, even if the system clock is wrong. A
 * certificate that lacks one of the domains is always due.
 */
export function useCertificate(
  certificate: Certificate,
  domains: readonly string[],
  isNew: boolean,
  random: number = Math.random(),
  now: () => Now = readNow,
): CertificateInUse {
  const leaf = new X509Certificate(certificate.cert);
  const validity = { fromMs: leaf.validFromDate.getTime(), toMs: leaf.validToDate.getTime() };
  const isComplete = domains.every((domain) => leaf.checkHost(domain) !== undefined);
  const dueMs = renewalMs(validity, random);
  const { wallMs, monotonicMs } = now();
  const firstMs = isNew ? monotonicMs + minRenewalPauseMs(validity) : monotonicMs;
  const lastMs = Math.max(firstMs, monotonicMs + dueMs - wallMs);
  return {
    certificate,
    validity,
    renewalMs: dueMs,
    isDue() {
      const { wallMs, monotonicMs } = now();
      return monotonicMs >= firstMs && (!isComplete || wallMs >= dueMs || monotonicMs >= lastMs);
    },
  };
}

/** Whether the certificate is valid at this time of the system clock. */
export function isValidAt({ fromMs, toMs }: Validity, wallMs: number): boolean {
  return wallMs >= fromMs && wallMs <= toMs;
}
