/** The instances of one service, connected by the store: it has their account, certificate and open challenges, sealed, and the lease to order. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { Confirmations, connectInstances } from '../../edges/node/store/instances.ts';
import { createSealer, sharedName } from '../../edges/node/store/sealed.ts';
import { acquireLease, type Lease, loadCommand } from './lease.ts';

/** Values in the store, each under a key of its own. */
type Shared = 'account' | 'certificate' | 'challenges';

/** Changes with the form of the values: instances that do not understand each other share nothing. */
const version = 1;

/** The beginning of keys and channels. */
function prefixOf({ acmeDirectory, acmeDomain }: Settings, secret: string): string {
  const text = JSON.stringify([version, acmeDirectory, acmeDomain.toSorted()]);
  return `seenby:acme:${sharedName(secret, text)}`;
}

export type Instances = NonNullable<Awaited<ReturnType<typeof joinInstances>>>;

interface InstanceServices {
  readonly bounds: Bounds;
  readonly log: Log;
  /** Reads what another instance has changed. A rejection means that it could not. */
  readonly onChange: () => Promise<void>;
  /** The store is available. */
  readonly onOpen: () => void;
}

/** Waits for the first attempt to connect, whether it succeeds or not. Null without RATE_LIMIT_STORE. */
export async function joinInstances(settings: Settings, { bounds, log, onChange, onOpen }: InstanceServices) {
  const { rateLimitStore: address, rateLimitSecret: secret } = settings;
  if (address === null || secret === null) return null;
  const prefix = prefixOf(settings, secret);
  const keyOf = (name: Shared): string => `${prefix}:${name}`;
  // One for each key, so that no value can be put in the place of another one.
  const sealerOf = (name: Shared) => createSealer(secret, keyOf(name));
  /** The channels of changes, and of their confirmations. */
  const changed = `${prefix}:changed`;
  const read = `${prefix}:read`;
  const confirmations = new Confirmations();
  let openedMs = Number.POSITIVE_INFINITY;

  const receive = async (change: string, channel: string): Promise<void> => {
    if (channel === read) return confirmations.count(change);
    try {
      await onChange();
      await publish(read, change);
    } catch {
      // The instance that announced the change does not wait for long.
    }
  };
  const { opened, send, publish, end } = connectInstances(address, bounds, {
    channels: [changed, read],
    async prepare(sendFirst) {
      await sendFirst(loadCommand);
      // Whether the store accepts writes.
      await sendFirst(['SET', `${prefix}:probe`, '', 'PX', '1']);
    },
    onMessage: (change, channel) => void receive(change, channel),
    onLost(reason) {
      const text = `store not available (${reason}); no certificate is ordered until it is, and the one in use stays`;
      log('certificate_store_lost', text, { reason });
    },
    onConnected: () => log('certificate_store_connected', 'store connected; all instances share one certificate'),
    async onOpen() {
      openedMs = performance.now();
      onOpen();
    },
  });
  await opened;

  return {
    /** Returns a value; null if there is none of these instances. Rejects if the store is not available. */
    async read(name: Shared): Promise<string | null> {
      const sealed = await send(['GET', keyOf(name)]);
      return typeof sealed === 'string' ? sealerOf(name).open(sealed) : null;
    },
    /** Stores a value for a while; `isFirst`: only if there is none. Rejects if the store is not available. */
    async write(name: Shared, text: string, isFirst = false): Promise<void> {
      const sealed = sealerOf(name).seal(text);
      await send(['SET', keyOf(name), sealed, 'PX', `${bounds.acmeSharedMs}`, ...(isFirst ? ['NX'] : [])]);
    },
    /** Resolves when all instances have read what was written, or after a while. Rejects if the store is not available. */
    async announce(): Promise<void> {
      const change = randomUUID();
      await confirmations.request(change, () => publish(changed, change), bounds.acmeAnnounceMs);
    },
    /** Returns the lease to order; null if another instance has it, or if that is unknown. Never rejects. */
    async lead(): Promise<Lease | null> {
      // After a failure of the store, the others first store again what it has lost.
      if (performance.now() - openedMs < 3 * bounds.storeRetryMs) return null;
      return acquireLease(send, `${prefix}:leader`, bounds.acmeLeaseMs).catch(() => null);
    },
    end,
  };
}
