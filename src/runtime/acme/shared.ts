/** What the instances of one service share: the right to order, and its results. With one instance, nothing. */
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { Certificate } from '../certificate.ts';
import type { ChallengeUpdate } from './challenges.ts';
import { type CertificateInUse, isBetter } from './in-use.ts';
import { type Instances, joinInstances } from './instances.ts';
import type { Lease } from './lease.ts';
import { type AcmeStore, writeStored } from './store.ts';

/** A change that every server on every thread receives. */
export type AcmeUpdate = ChallengeUpdate | { readonly kind: 'certificate'; readonly certificate: Certificate };

export interface SharedServices {
  readonly settings: Settings;
  readonly bounds: Bounds;
  readonly log: Log;
  readonly store: AcmeStore;
  readonly inUse: CertificateInUse;
  /** Resolves when all servers of the process have the update. */
  readonly publish: (update: AcmeUpdate) => Promise<void> | void;
}

export type SharedState = Awaited<ReturnType<typeof openShared>>;

/** Joins the other instances if there is a store, and reads what they have. */
export async function openShared(services: SharedServices) {
  const { settings, bounds, log, store, publish } = services;
  let { accountKey } = store;
  let instances: Instances | null = null;
  let lease: Lease | null = null;
  /** Challenges of the store that the servers of this process have. */
  let openChallenges = '';

  const exchangeAccount = async (joined: Instances): Promise<void> => {
    await joined.write('account', accountKey, true);
    const shared = await joined.read('account');
    if (shared === null || shared === accountKey) return;
    accountKey = shared;
    await store.writeAccountKey(shared).catch(() => {});
  };
  const readChallenges = async (joined: Instances): Promise<void> => {
    const challenges = (await joined.read('challenges')) ?? '[]';
    // The instance that orders has opened its own.
    if (lease !== null || challenges === openChallenges) return;
    openChallenges = challenges;
    await publish({ kind: 'challenges-ended' });
    for (const challenge of JSON.parse(challenges)) await publish({ kind: 'challenge', challenge });
  };
  const exchange = async (isNew: boolean): Promise<void> => {
    if (instances === null) return;
    await exchangeAccount(instances);
    await readChallenges(instances);
    await exchangeCertificate(instances, services, isNew);
  };
  const tryExchange = (): Promise<boolean> =>
    exchange(false).then(
      () => true,
      () => false,
    );
  instances = await joinInstances(settings, {
    bounds,
    log,
    onChange: () => exchange(true),
    onOpen: () => void tryExchange(),
  });
  await tryExchange();
  const writeAndAnnounce = async (...[name, text]: Parameters<Instances['write']>): Promise<void> => {
    // If the store is not available now, it gets a certificate when it is.
    await instances?.write(name, text).then(instances.announce, () => {});
  };
  return {
    /** PEM. */
    accountKey: (): string => accountKey,
    /** Reads what other instances have stored, and stores what is missing; false if the store is not available. */
    exchange: tryExchange,
    /** Reads the open challenges again, for servers that have none yet. */
    reopenChallenges(): void {
      openChallenges = '';
    },
    /** Returns the lease to order, which this instance keeps until it is released or lost; null if there is none. */
    async lead(): Promise<Lease | null> {
      if (lease?.signal.aborted) lease = null;
      lease ??= instances === null ? alone : await instances.lead();
      return lease;
    },
    async release(): Promise<void> {
      await lease?.release();
      lease = null;
    },
    /** Opens and ends challenges on the servers of all instances; one at a time is open. */
    async publishChallenge(update: ChallengeUpdate): Promise<void> {
      await publish(update);
      await writeAndAnnounce('challenges', JSON.stringify(update.kind === 'challenge' ? [update.challenge] : []));
    },
    publishCertificate: (certificate: Certificate) => writeAndAnnounce('certificate', JSON.stringify(certificate)),
    end: (): void => instances?.end(),
  };
}

/** Takes the other instances' certificate if it is better, or gives them the own one. `isNew`: it has changed just now. */
async function exchangeCertificate(joined: Instances, services: SharedServices, isNew: boolean): Promise<void> {
  const { settings, log, store, inUse, publish } = services;
  const { acmeDomain: domains } = settings;
  const text = await joined.read('certificate');
  const shared: Certificate | null = text === null ? null : JSON.parse(text);
  const own = inUse.certificate();
  if (shared?.cert === own?.cert) return;
  if (shared !== null && isBetter(shared, own, domains)) {
    inUse.use(shared, 'shared', isNew);
    await publish({ kind: 'certificate', certificate: shared });
    await writeStored(shared, store, log);
  } else if (own !== null && isBetter(own, shared, domains))
    await joined.write('certificate', JSON.stringify(own), shared === null);
}

/** The lease of the only instance. */
const alone: Lease = { signal: new AbortController().signal, async release() {} };
