/** Detects faults that no request reveals: a jump of the system clock, and a certificate that is not valid at this time. */
import { X509Certificate } from 'node:crypto';
import type { Log } from '../core/log.ts';
import { runEvery } from './interval.ts';

export interface FaultWatch {
  /** Checks this certificate (PEM) now and regularly, in place of the one before. */
  setCertificate(pem: string): void;
  /** Seconds since the Unix epoch; null without a certificate. */
  validity(): { readonly start: number; readonly expiry: number } | null;
  end(): void;
}

interface Clocks {
  /** Milliseconds since the Unix epoch, by the system clock. */
  wall(): number;
  /** Milliseconds that no setting of the clock changes. */
  monotonic(): number;
}

/** More than a clock drifts between two checks, or a time server corrects in small steps. */
const jumpMs = 60_000;

const processClocks: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/** Logs each jump, and each certificate once if it expires or is not valid yet. */
export function watchFaults(intervalMs: number, log: Log, clocks: Clocks = processClocks): FaultWatch {
  let offsetMs = clocks.wall() - clocks.monotonic();
  /** Until it is logged. */
  let certificate: X509Certificate | null = null;
  let validity: ReturnType<FaultWatch['validity']> = null;

  const checkClock = (): void => {
    const before = offsetMs;
    offsetMs = clocks.wall() - clocks.monotonic();
    const jumpedMs = offsetMs - before;
    if (Math.abs(jumpedMs) < jumpMs) return;
    const direction = jumpedMs > 0 ? 'forward' : 'back';
    const seconds = Math.round(jumpedMs / 1000);
    log('clock_jumped', `the system clock jumped ${direction} by ${Math.abs(seconds)} seconds; check it`, { seconds });
  };
  const checkCertificate = (): void => {
    if (certificate === null) return;
    const [validFrom, expired] = [certificate.validFromDate.toISOString(), certificate.validToDate.toISOString()];
    const nowMs = clocks.wall();
    if (nowMs > Date.parse(expired)) {
      const message = `the certificate expired on ${expired}; clients reject it until you renew it`;
      log('certificate_expired', message, { expired });
    } else if (nowMs < Date.parse(validFrom)) {
      const message = `the certificate is not valid before ${validFrom}; check the system clock`;
      log('certificate_not_yet_valid', message, { validFrom });
    } else return;
    certificate = null;
  };
  const end = runEvery(intervalMs, () => {
    checkClock();
    checkCertificate();
  });
  return {
    setCertificate(pem) {
      certificate = new X509Certificate(pem);
      const { validFromDate, validToDate } = certificate;
      validity = { start: validFromDate.getTime() / 1000, expiry: validToDate.getTime() / 1000 };
      checkCertificate();
    },
    validity: () => validity,
    end,
  };
}
