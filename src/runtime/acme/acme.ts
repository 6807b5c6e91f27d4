/** Obtains and renews the certificate of ACME_DOMAIN: decides when to order one, and hands it and the open challenges to the servers. */
import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { createOutbound } from '../../edges/node/outbound/outbound.ts';
import type { Certificate } from '../certificate.ts';
import { isCovered } from '../certificate-chain.ts';
import { formatPause } from '../clocks.ts';
import type { ChallengeUpdate } from './challenges.ts';
import { AcmeFailure, adviceOf } from './failures.ts';
import { type ChallengeType, isUsable, type OrderRequest, orderCertificate } from './order.ts';
import { retryMs, useCertificate, validityOf } from './renewal.ts';
import { type AcmeStore, openStore } from './store.ts';

/** A change that every server on every thread receives. */
export type AcmeUpdate = ChallengeUpdate | { readonly kind: 'certificate'; readonly certificate: Certificate };

/** Throws an Error that names the setting if keys and certificates cannot be stored. */
export async function openAcme(settings: Settings, bounds: Bounds, log: Log) {
  const { acmeDomain: domains, acmeDirectory: directoryUrl } = settings;
  const names = domains.join(', ');
  const store = await openStore(settings.dataDir, directoryUrl);
  const { accountKey } = store;
  const { fetch, end: endRequests } = createOutbound();
  const ending = new AbortController();
  const { signal } = ending;
  /** Resolves when all servers have the update. */
  let publish: (update: AcmeUpdate) => Promise<void> | void = () => {};
  let running: Promise<void> | null = null;
  let used: ReturnType<typeof useCertificate> | null = null;
  let failures = 0;

  const use = (certificate: Certificate, isNew: boolean): void => {
    used = useCertificate(certificate, domains, isNew);
    const until = formatTime(used.validity.toMs);
    const what = isNew ? 'obtained a certificate' : 'using the stored certificate';
    const renewal = `renewal on ${formatTime(used.renewalMs)}`;
    const text = `${what} for ${describeCoverage(certificate, domains, { until, renewal })}`;
    log(isNew ? 'certificate_obtained' : 'certificate_stored', text, { names, until });
  };
  const order = createOrders({ settings, bounds, accountKey, fetch, signal, publish: (update) => publish(update) });
  const attempt = async (): Promise<void> => {
    // Another process may have renewed it, or the system clock was wrong at startup.
    const stored = await readStored(store, log);
    const isOther = stored !== null && stored.cert !== used?.certificate.cert;
    if (isOther && !useCertificate(stored, domains, false).isDue()) {
      use(stored, false);
      await publish({ kind: 'certificate', certificate: stored });
      return;
    }
    log('certificate_ordered', `ordering a certificate for ${names} from ${new URL(directoryUrl).host}`, { names });
    const certificate = await order(failures === 0);
    failures = 0;
    use(certificate, true);
    await publish({ kind: 'certificate', certificate });
    await writeStored(certificate, store, log);
  };
  /** Logs the failure and returns the pause after it. */
  const fail = (error: unknown): number => {
    if (signal.aborted) return 0;
    failures += 1;
    const failure = error instanceof AcmeFailure ? error : new AcmeFailure(failureOf(error));
    const validity = used?.validity ?? null;
    const pauseMs = retryMs({ failures, demandedMs: failure.retryAfterMs, validity }, bounds);
    const reasons = [failure.message, adviceOf(failure, settings)];
    const previous = validity && `the previous one is valid until ${formatTime(validity.toMs)}`;
    const parts = [...reasons, previous, `next attempt in ${formatPause(pauseMs)}`].filter((part) => part !== null);
    const text = `no certificate for ${names}: ${parts.join('; ')}`;
    log('certificate_failed', text, { names, seconds: Math.round(pauseMs / 1000) });
    return pauseMs;
  };
  const run = async (): Promise<void> => {
    for (;;) {
      const isDue = used === null || used.isDue();
      const pauseMs = isDue ? await attempt().then(() => bounds.acmeCheckMs, fail) : bounds.acmeCheckMs;
      await sleep(pauseMs, undefined, { signal, ref: false });
    }
  };

  const stored = await readStored(store, log);
  if (stored !== null) use(stored, false);
  return {
    /** The stored certificate if it is valid, otherwise null. */
    certificate: stored,
    /** Starts to order certificates. */
    start(publishUpdate: typeof publish): void {
      publish = publishUpdate;
      // Rejects when the signal ends it.
      running = run().catch(() => {});
    },
    /** Stops, also an order in progress. */
    async end(): Promise<void> {
      ending.abort();
      await endRequests();
      await running;
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
  const names = (leaf.subjectAltName ?? '').replaceAll('DNS:', '');
  return `${names}, valid until ${until}: it does not cover ${missing}; clients of these names reject it until a new certificate is obtained`;
}

/** Returns the stored certificate if it is valid now; logs why it is not usable. */
async function readStored(store: AcmeStore, log: Log): Promise<Certificate | null> {
  try {
    const stored = await store.readCertificate();
    if (stored === null) return null;
    if (!isUsable(stored, [])) throw new Error('damaged');
    const { fromMs, toMs } = validityOf(new X509Certificate(stored.cert));
    return fromMs <= Date.now() && Date.now() <= toMs ? stored : null;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    const text = `ignoring the certificate in "${store.certificateFile}" (${reason}); ordering another one`;
    log('certificate_not_read', text, { reason });
    return null;
  }
}

/** Stores a certificate; logs why it cannot. */
async function writeStored(certificate: Certificate, store: AcmeStore, log: Log): Promise<void> {
  await store.writeCertificate(certificate).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code ?? error.message;
    const text = `could not store the certificate in "${store.certificateFile}" (${reason}); each start orders another one`;
    log('certificate_not_stored', text, { reason });
  });
}

/**
 * Returns a function that orders a certificate by the type of challenge that succeeded last; after a failure by the other one, because CAs
 * limit failures. With `triesAll`, it also tries the other one immediately if a domain is not validated; the failure then has both messages,
 * and the step and reason of the first.
 */
function createOrders(request: Omit<OrderRequest, 'challengeType'>) {
  const types: readonly ChallengeType[] = request.settings.port === null ? ['tls-alpn-01'] : ['http-01', 'tls-alpn-01'];
  let inTurn = types;
  return async (triesAll: boolean): Promise<Certificate> => {
    const failed: AcmeFailure[] = [];
    for (const challengeType of triesAll ? inTurn : inTurn.slice(0, 1)) {
      try {
        const certificate = await orderCertificate({ ...request, challengeType });
        inTurn = [challengeType, ...types.filter((type) => type !== challengeType)];
        return certificate;
      } catch (error) {
        if (!(error instanceof AcmeFailure)) throw error;
        failed.push(error);
        if (!error.dependsOnChallengeType) break;
      }
    }
    inTurn = inTurn.toReversed();
    const { step = 'request', reason = '' } = failed[0] ?? {};
    const message = failed.map((each) => each.message).join('; ');
    const retryAfterMs = Math.max(...failed.map((each) => each.retryAfterMs));
    throw new AcmeFailure(message, { step, reason, retryAfterMs });
  };
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}
