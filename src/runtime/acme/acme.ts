/** Obtains and renews the certificate of ACME_DOMAIN: decides when to order one, and hands it and the open challenges to the servers. */
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { createOutbound } from '../../edges/node/outbound/outbound.ts';
import { outboundUserAgent } from '../../lookups/outbound.ts';
import { type Certificate, createLocalhostCertificate } from '../certificate.ts';
import { type CertificateInUse, isValidAt, useCertificate } from './certificate-in-use.ts';
import type { ChallengeUpdate } from './challenges.ts';
import { AcmeFailure, adviceOf } from './failures.ts';
import { type ChallengeType, isUsable, orderCertificate } from './order.ts';
import { retryMs } from './schedule.ts';
import { openStore } from './store.ts';

/** A change that every server on every thread receives. */
export type AcmeUpdate = ChallengeUpdate | { readonly kind: 'certificate'; readonly certificate: Certificate };

/** Resolves when all servers have the update. */
type Publish = (update: AcmeUpdate) => Promise<void> | void;

export interface AcmeCertificates {
  /** The certificate to start with: the stored one if it is valid, otherwise one for localhost. */
  readonly certificate: Certificate;
  /** Starts to order certificates. */
  start(publish: Publish): void;
  /** Stops, also an order in progress. */
  end(): Promise<void>;
}

/** Throws an Error that names the setting if keys and certificates cannot be stored. */
export async function openAcme(settings: Settings, bounds: Bounds, log: Log): Promise<AcmeCertificates> {
  const { acmeDomain: domains, acmeDirectory: directoryUrl, acmeEmail: email } = settings;
  const names = domains.join(', ');
  const store = await openStore(settings.dataDir, directoryUrl);
  const types: readonly ChallengeType[] = settings.port === null ? ['tls-alpn-01'] : ['http-01', 'tls-alpn-01'];
  const outbound = createOutbound();
  const ending = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
  });
  ended.catch(() => {});
  let publish: Publish = () => {};
  let timer: NodeJS.Timeout | null = null;
  let attempting: Promise<void> | null = null;
  let failures = 0;
  /** Index of the challenge type that succeeded last. */
  let preferred = 0;
  /** Monotonic time of the next attempt. */
  let nextMs = 0;

  const readStored = async (): Promise<CertificateInUse | null> => {
    try {
      const stored = await store.readCertificate();
      if (stored === null) return null;
      if (!isUsable(stored, [])) throw new Error('damaged');
      const used = useCertificate(stored, domains, false);
      return isValidAt(used.validity, Date.now()) ? used : null;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      const text = `ignoring the certificate in "${store.certificateFile}" (${reason}); ordering another one`;
      log('certificate_not_read', text, { reason });
      return null;
    }
  };
  const logUse = (event: 'certificate_stored' | 'certificate_obtained', what: string, used: CertificateInUse): void => {
    const until = formatTime(used.validity.toMs);
    const text = `${what} for ${names}, valid until ${until}; renewal on ${formatTime(used.renewalMs)}`;
    log(event, text, { names, until });
  };
  const useStored = (stored: CertificateInUse): CertificateInUse => {
    logUse('certificate_stored', 'using the stored certificate', stored);
    return stored;
  };
  const order = (challengeType: ChallengeType): Promise<Certificate> =>
    orderCertificate({
      ...{ directoryUrl, email, domains, challengeType, bounds, publish },
      accountKey: store.accountKey,
      userAgent: outboundUserAgent(settings.publicUrl),
      // A request that hangs must not delay the end of the process.
      fetch: (request) => Promise.race([outbound.fetch(request), ended]),
      signal: ending.signal,
    });
  /** The first attempt tries each type if a domain is not validated; the next ones alternate, because authorities limit failures. */
  const orderByAnyType = async (): Promise<Certificate> => {
    const failed: AcmeFailure[] = [];
    for (let at = 0; ; at += 1) {
      const index = (preferred + failures + at) % types.length;
      try {
        const ordered = await order(types[index] as ChallengeType);
        preferred = index;
        return ordered;
      } catch (error) {
        if (!(error instanceof AcmeFailure)) throw error;
        failed.push(error);
        if (failures > 0 || at + 1 === types.length || !error.dependsOnChallengeType) throw joinFailures(failed);
      }
    }
  };

  const stored = await readStored();
  let used = stored && useStored(stored);
  const certificate = used?.certificate ?? (await createLocalhostCertificate());

  const attempt = async (): Promise<void> => {
    // Another process may have renewed it, or the system clock was wrong at startup.
    const found = await readStored();
    if (found !== null && found.certificate.cert !== used?.certificate.cert && !found.isDue()) {
      used = useStored(found);
      await publish({ kind: 'certificate', certificate: found.certificate });
      return;
    }
    log('certificate_ordered', `ordering a certificate for ${names} from ${new URL(directoryUrl).host}`, { names });
    const ordered = await orderByAnyType();
    failures = 0;
    used = useCertificate(ordered, domains, true);
    logUse('certificate_obtained', 'obtained a certificate', used);
    await publish({ kind: 'certificate', certificate: ordered });
    await store.writeCertificate(ordered).catch((error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message;
      const text = `could not store the certificate in "${store.certificateFile}" (${reason}); each start orders another one`;
      log('certificate_not_stored', text, { reason });
    });
  };
  const fail = (error: unknown): void => {
    if (ending.signal.aborted) return;
    failures += 1;
    const { fromMs, toMs } = used?.validity ?? { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
    const demandedMs = error instanceof AcmeFailure ? error.retryAfterMs : 0;
    const pauseMs = retryMs(failures, demandedMs, toMs - fromMs, Math.random(), bounds);
    nextMs = performance.now() + pauseMs;
    const parts = [
      `no certificate for ${names}: ${error instanceof AcmeFailure ? error.message : failureOf(error)}`,
      error instanceof AcmeFailure ? adviceOf(error, settings) : null,
      used && `the previous one is valid until ${formatTime(toMs)}`,
      `next attempt in ${formatPause(pauseMs)}`,
    ];
    const text = parts.filter((part) => part !== null).join('; ');
    log('certificate_failed', text, { names, seconds: Math.round(pauseMs / 1000) });
  };
  const check = (): void => {
    if (attempting !== null || performance.now() < nextMs || used?.isDue() === false) return;
    attempting = attempt()
      .catch(fail)
      .finally(() => {
        attempting = null;
      });
  };
  return {
    certificate,
    start(publishUpdate) {
      publish = publishUpdate;
      timer = setInterval(check, bounds.acmeCheckMs).unref();
      check();
    },
    async end() {
      if (timer !== null) clearInterval(timer);
      ending.abort();
      await outbound.end();
      await attempting;
    },
  };
}

/** The advice is that of the first one. */
function joinFailures(failed: readonly AcmeFailure[]): AcmeFailure {
  const { step = 'request', reason = '' } = failed[0] ?? {};
  const message = failed.map((each) => each.message).join('; ');
  return new AcmeFailure(step, reason, message, Math.max(...failed.map((each) => each.retryAfterMs)));
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}

function formatPause(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} seconds`;
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
