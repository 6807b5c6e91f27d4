/** Obtains and renews the certificate of ACME_DOMAIN: decides when to order one, and hands it and the open challenges to the servers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { createOutbound } from '../../edges/node/outbound/outbound.ts';
import { formatPause } from '../../edges/node/pauses.ts';
import type { Certificate } from '../certificate.ts';
import { AcmeFailure, adviceOf } from './failures.ts';
import { createCertificateInUse, formatTime } from './in-use.ts';
import { type ChallengeType, type OrderRequest, orderCertificate } from './order.ts';
import { retryMs, useCertificate } from './renewal.ts';
import { createSuggestions } from './renewal-info.ts';
import { createRequests } from './requests.ts';
import { type AcmeUpdate, openShared, type SharedServices, type SharedState } from './shared.ts';
import { openStore, readStored, writeStored } from './store.ts';

/** Throws an Error that names the setting if keys and certificates cannot be stored. */
export async function openAcme(settings: Settings, bounds: Bounds, log: Log) {
  const store = await openStore(settings.dataDir, settings.acmeDirectory);
  const { fetch, end: endRequests } = createOutbound();
  const ending = new AbortController();
  const inUse = createCertificateInUse(settings.acmeDomain, log);
  let publish: SharedServices['publish'] = () => {};
  let running: Promise<void> | null = null;

  const stored = await readStored(store, log);
  if (stored !== null) inUse.use(stored, 'stored', false);
  const services = { settings, bounds, log, store, inUse, publish: (update: AcmeUpdate) => publish(update) };
  const shared = await openShared(services);
  const check = createChecks({ ...services, shared, fetch, signal: ending.signal });
  const run = async (): Promise<void> => {
    for (;;) await sleep(await check(), undefined, { signal: ending.signal, ref: false });
  };
  return {
    /** A certificate of DATA_DIR or of another instance; null if there is none. */
    certificate: inUse.certificate(),
    /** Starts to order certificates. */
    start(publishUpdate: typeof publish): void {
      publish = publishUpdate;
      shared.reopenChallenges();
      // Rejects when the signal ends it.
      running = run().catch(() => {});
    },
    /** Stops, also an order in progress. */
    async end(): Promise<void> {
      ending.abort();
      await endRequests();
      await running;
      await shared.release();
      shared.end();
    },
  };
}

interface CheckServices extends SharedServices, Pick<OrderRequest, 'fetch' | 'signal'> {
  readonly shared: SharedState;
}

/** Returns a function that orders a certificate if it is time and no other instance does, and returns the pause until the next call. */
function createChecks({ settings, bounds, log, store, inUse, publish, shared, fetch, signal }: CheckServices) {
  const names = settings.acmeDomain.join(', ');
  const order = createOrders({ settings, bounds, fetch, publish: shared.publishChallenge });
  const updateSuggestion = createSuggestions(createRequests(fetch, settings.publicUrl), settings.acmeDirectory, inUse);
  let failures = 0;

  const attempt = async (led: AbortSignal): Promise<void> => {
    // Another process may have renewed it, or the system clock was wrong at startup.
    const stored = await readStored(store, log);
    const isOther = stored !== null && stored.cert !== inUse.certificate()?.cert;
    if (isOther && !useCertificate(stored, settings.acmeDomain, false).isDue()) {
      inUse.use(stored, 'stored', false);
      await publish({ kind: 'certificate', certificate: stored });
      return;
    }
    const { host } = new URL(settings.acmeDirectory);
    log('certificate_ordered', `ordering a certificate for ${names} from ${host}`, { names });
    const by = {
      accountKey: shared.accountKey(),
      replaced: inUse.certificate()?.cert ?? null,
      signal: AbortSignal.any([signal, led]),
    };
    const certificate = await order(by, failures === 0);
    failures = 0;
    inUse.use(certificate, 'ordered', true);
    await publish({ kind: 'certificate', certificate });
    await writeStored(certificate, store, log);
    await shared.publishCertificate(certificate);
  };
  /** Logs the failure and returns the pause after it. */
  const fail = (error: unknown): number => {
    if (signal.aborted) return 0;
    failures += 1;
    const failure = error instanceof AcmeFailure ? error : new AcmeFailure(failureOf(error));
    const validity = inUse.validity();
    const pauseMs = retryMs({ failures, demandedMs: failure.retryAfterMs, validity }, bounds);
    const reasons = [failure.message, adviceOf(failure, settings)];
    const previous = validity && `the previous one is valid until ${formatTime(validity.toMs)}`;
    const parts = [...reasons, previous, `next attempt in ${formatPause(pauseMs)}`].filter((part) => part !== null);
    const text = `no certificate for ${names}: ${parts.join('; ')}`;
    log('certificate_failed', text, { names, seconds: Math.round(pauseMs / 1000) });
    return pauseMs;
  };
  return async (): Promise<number> => {
    // The lease is kept from before the first attempt until a certificate is there: the pauses after failures are those of all instances.
    const lease = inUse.isDue() ? await shared.lead() : null;
    const isKnown = await shared.exchange();
    // After the exchange, which may have brought the certificate of another instance.
    await updateSuggestion();
    if (!inUse.isDue()) {
      await shared.release();
      return bounds.acmeCheckMs;
    }
    // What the store has is unknown while it is not available: another instance may have a certificate.
    if (lease === null || lease.signal.aborted || !isKnown) return bounds.acmeFollowMs;
    return attempt(lease.signal).then(() => 0, fail);
  };
}

/** Values that may differ for each order. */
type OrderedBy = Pick<OrderRequest, 'accountKey' | 'replaced' | 'signal'>;

/**
 * Returns a function that orders a certificate by the type of challenge that succeeded last; after a failure by the other one, because CAs
 * limit failures. With `triesAll`, it also tries the other one immediately if a domain is not validated; the failure then has both messages,
 * and the step and reason of the first.
 */
function createOrders(request: Omit<OrderRequest, 'challengeType' | keyof OrderedBy>) {
  const types: readonly ChallengeType[] = request.settings.port === null ? ['tls-alpn-01'] : ['http-01', 'tls-alpn-01'];
  let inTurn = types;
  return async (by: OrderedBy, triesAll: boolean): Promise<Certificate> => {
    const failed: AcmeFailure[] = [];
    for (const challengeType of triesAll ? inTurn : inTurn.slice(0, 1)) {
      try {
        const certificate = await orderCertificate({ ...request, ...by, challengeType });
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
