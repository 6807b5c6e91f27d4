/** Detects faults that no request reveals: a jump of the system clock, and a certificate that is not valid at this time. */
import { X509Certificate } from 'node:crypto';
import type { Log } from '../core/log.ts';
import { runEvery } from '../native/ticks.ts';
import { type Clocks, readClocks } from './clocks.ts';

export type FaultWatch = ReturnType<typeof watchFaults>;

/** More than a clock drifts between two checks, or a time server corrects in small steps. */
const jumpMs = 60_000;

/** Logs each jump, and when a certificate expires or is not valid yet, once until that changes. */
export function watchFaults(intervalMs: number, log: Log, now: () => Clocks = readClocks) {
  const offset = ({ wallMs, monotonicMs }: Clocks): number => wallMs - monotonicMs;
  let offsetMs = offset(now());
  let certificate: X509Certificate | null = null;
  let reported: 'certificate_expired' | 'certificate_not_yet_valid' | null = null;

  const checkClock = (): void => {
    const before = offsetMs;
    offsetMs = offset(now());
    const jumpedMs = offsetMs - before;
    if (Math.abs(jumpedMs) < jumpMs) return;
    const direction = jumpedMs > 0 ? 'forward' : 'back';
    const seconds = Math.round(jumpedMs / 1000);
    log('clock_jumped', `the system clock jumped ${direction} by ${Math.abs(seconds)} seconds; check it`, { seconds });
  };
  const checkCertificate = (): void => {
    if (certificate === null) return;
    const { validFromDate, validToDate } = certificate;
    const { wallMs } = now();
    const before = reported;
    reported = null;
    if (wallMs > validToDate.getTime()) {
      reported = 'certificate_expired';
      const expired = validToDate.toISOString();
      const message = `the certificate expired on ${expired}; clients reject it until you renew it`;
      if (before !== reported) log(reported, message, { expired });
    } else if (wallMs < validFromDate.getTime()) {
      reported = 'certificate_not_yet_valid';
      const validFrom = validFromDate.toISOString();
      const message = `the certificate is not valid before ${validFrom}; check the system clock`;
      if (before !== reported) log(reported, message, { validFrom });
    }
  };
  const end = runEvery(intervalMs, () => {
    checkClock();
    checkCertificate();
  });
  return {
    /** Checks this certificate (PEM) now and regularly, in place of the one before. */
    setCertificate(pem: string): void {
      certificate = new X509Certificate(pem);
      reported = null;
      checkCertificate();
    },
    /** Null without a certificate. */
    validity: (): Pick<X509Certificate, 'validFromDate' | 'validToDate'> | null => certificate,
    end,
  };
}
