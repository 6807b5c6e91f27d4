/** The instances of one service, connected by the store: it has their account, certificate and open challenges, sealed, and the lease to order. */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import type { RateStoreAddress } from '../../core/setting-values.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { openStoreConnection, type Send } from '../../edges/node/store/connection.ts';
import { describeFailure } from '../../edges/node/store/failures.ts';
import { keepConnected } from '../../edges/node/store/keep-connected.ts';
import { createSealer } from '../../edges/node/store/sealed.ts';
import { runEvery } from '../../native/ticks.ts';
import { acquireLease, type Lease, loadCommand } from './lease.ts';

/** Values in the store, each under a key of its own. */
type Shared = 'account' | 'certificate' | 'challenges';

/** Changes with the form of the values: instances that do not understand each other share nothing. */
const version = 1;

/** 132 bits in Base64url. */
const hashLength = 22;

/**
 * Returns the part of keys and channels that the instances of one service have in common. The store sees neither domains nor CA; services with
 * other ones, or with another secret, have other keys.
 */
function prefixOf({ acmeDirectory, acmeDomain }: Settings, secret: string): string {
  const text = JSON.stringify([version, acmeDirectory, acmeDomain.toSorted()]);
  return `seenby:acme:${createHmac('sha256', secret).update(text).digest('base64url').slice(0, hashLength)}`;
}

/** The channels of changes, and of their confirmations. */
const channelsOf = (prefix: string) => ({ changed: `${prefix}:changed`, read: `${prefix}:read` });

interface Receiver {
  readonly bounds: Bounds;
  /** Called with each message, and with what sends its confirmation. */
  readonly receive: (change: string, channel: string, reply: Send) => Promise<void>;
}

/** Opens a connection that receives changes, if the store also accepts writes. */
function connect(address: RateStoreAddress, prefix: string, { bounds, receive }: Receiver) {
  const options = { replyMs: bounds.storeConnectMs, connectMs: bounds.storeConnectMs, protocol: 3 } as const;
  return openStoreConnection(address, options, async (send, client) => {
    await send(loadCommand);
    await send(['SET', `${prefix}:probe`, '', 'PX', '1']);
    await client.subscribe(Object.values(channelsOf(prefix)), (...message) => void receive(...message, send));
  });
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
  const { changed, read } = channelsOf(prefix);
  const readings = new Readings();
  let openedMs = Number.POSITIVE_INFINITY;

  const receive = async (change: string, channel: string, reply: Send): Promise<void> => {
    if (channel === read) return readings.count(change);
    try {
      await onChange();
      await reply(['PUBLISH', read, change]);
    } catch {
      // The instance that announced the change does not wait for long.
    }
  };
  const store = await keepConnected(() => connect(address, prefix, { bounds, receive }), bounds, {
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
  const send: Send = async (command) => {
    const connection = store.connection();
    if (connection === null) throw new Error('store not available');
    try {
      return await connection.send(command);
    } catch (error) {
      connection.lose(describeFailure(error));
      throw error;
    }
  };
  // A connection that only receives does not notice that it is lost.
  const endPings = runEvery(bounds.storePingMs, () => void send(['PING']).catch(() => {}));

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
    announce: () => readings.announce((change) => send(['PUBLISH', changed, change]), bounds.acmeAnnounceMs),
    /** Returns the lease to order; null if another instance has it, or if that is unknown. Never rejects. */
    async lead(): Promise<Lease | null> {
      // After a failure of the store, the others first store again what it has lost.
      if (performance.now() - openedMs < 3 * bounds.storeRetryMs) return null;
      return acquireLease(send, `${prefix}:leader`, bounds.acmeLeaseMs).catch(() => null);
    },
    end(): void {
      endPings();
      store.end();
    },
  };
}

/** Which changes the instances have read. */
class Readings {
  /** Called for each instance that has read the change. */
  readonly #counts = new Map<string, () => void>();

  count(change: string): void {
    this.#counts.get(change)?.();
  }

  /** `publish` resolves with the number of instances that get the change. */
  async announce(publish: (change: string) => Promise<unknown>, timeoutMs: number): Promise<void> {
    const change = randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    let missing = 0;
    this.#counts.set(change, () => {
      missing -= 1;
      if (missing === 0) resolve();
    });
    try {
      const receivers = Number(await publish(change));
      // Confirmations may have come before this reply.
      missing += receivers;
      if (missing > 0) await Promise.race([promise, delay(timeoutMs, undefined, { ref: false })]);
    } finally {
      this.#counts.delete(change);
    }
  }
}
