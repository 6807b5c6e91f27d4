/**
 * The instances that serve one zone, connected by the store: a query that reaches one of them is passed on to the one where a request waits for
 * it. The messages are those between the threads of a process; the store passes them on by publish and subscribe, and keeps none.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import { maxWaitMs } from '../../core/name-server.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { type QueryMessage, rehearsalId, type WaitMessage } from '../../edges/node/name-server.ts';
import { openStoreConnection } from '../../edges/node/store/connection.ts';
import { describeFailure } from '../../edges/node/store/failures.ts';
import { keepConnected } from '../../edges/node/store/keep-connected.ts';
import { createSealer } from '../../edges/node/store/sealed.ts';
import { runEvery } from '../../native/ticks.ts';
import type { StoreAccess } from './messages.ts';
import type { Waiter, WatchedIds } from './watched-ids.ts';

type Connection = Awaited<ReturnType<typeof openStoreConnection>>;

interface InstanceServices {
  readonly bounds: Bounds;
  readonly log: Log;
  readonly watched: WatchedIds;
}

/** All instances receive what concerns ids, and each one on a channel of its own what concerns its requests. */
const everybody = 'seenby:dns';
const channelOf = (instance: string): string => `${everybody}:${instance}`;

/** Changes with the form of the messages: instances that do not understand each other do not read them. */
const purpose = 'seenby dns 1';

interface Envelope {
  readonly from: string;
  readonly message: WaitMessage | QueryMessage;
}

export type Instances = Awaited<ReturnType<typeof joinInstances>>;

type Publish = (channel: string, message: Envelope['message']) => Promise<number>;

/** Waits for the first attempt to connect, whether it succeeds or not. */
export async function joinInstances({ store: address, secret }: StoreAccess, services: InstanceServices) {
  const { bounds, log, watched } = services;
  const { seal, open } = createSealer(secret, purpose);
  const own = randomUUID();
  let connection: Connection | null = null;

  /** Returns the number of instances that receive the message, this one included; 0 if the store is not available. */
  const publish: Publish = async (channel, message) => {
    if (connection === null) return 0;
    try {
      return Number(await connection.send(['PUBLISH', channel, seal(JSON.stringify({ from: own, message }))]));
    } catch (error) {
      connection?.lose(describeFailure(error));
      return 0;
    }
  };
  const others = followOthers(services, publish);
  const confirmations = new Confirmations(services, publish);
  const receive = (sealed: string, channel: string): void => {
    const text = open(sealed);
    if (text === null) return;
    const { from, message }: Envelope = JSON.parse(text);
    if (from === own) return;
    if (channel === everybody) others.receive(from, message as WaitMessage);
    else if (message.kind === 'confirmed') confirmations.count(message.id);
    else watched.pass(message as QueryMessage);
  };

  const options = { replyMs: bounds.storeConnectMs, connectMs: bounds.storeConnectMs, protocol: 3 } as const;
  const connect = async (): Promise<Connection> => {
    const opened = await openStoreConnection(address, options, async (_send, client) => {
      await client.subscribe([everybody, channelOf(own)], receive);
    });
    connection = opened;
    opened.lost.then(() => {
      if (connection === opened) connection = null;
      // What other instances receive until this one is connected again is lost.
      watched.reportLimit();
    });
    void publish(everybody, { kind: 'hello' });
    return opened;
  };
  const only = 'the DNS test shows only queries that reach this instance';
  await keepConnected(connect, bounds, {
    onLost: (reason) => log('dns_store_lost', `store not available (${reason}); ${only}`, { reason }),
    onConnected: () =>
      log('dns_store_connected', 'store connected; the DNS test shows queries that reach any instance'),
  });
  // A connection that only receives does not notice that it is lost.
  runEvery(bounds.storePingMs, () => void connection?.send(['PING']).catch(() => {}));

  return {
    /** Announces the start or the end of a request of this process that waits. */
    announce(message: WaitMessage): void {
      if (message.kind === 'hello' || message.kind === 'confirm' || message.id === rehearsalId) return;
      others.forget(message.id);
      if (connection !== null) void publish(everybody, message);
      else if (message.kind === 'watch') watched.pass({ kind: 'limited', id: message.id });
    },
    /** Resolves when the other instances have passed on the queries with this id that had reached them. */
    confirm: (id: string): Promise<void> => confirmations.request(id),
  };
}

/** Watches the ids that other instances announce, until they end or expire. */
function followOthers({ bounds, watched }: InstanceServices, publish: Publish) {
  const waiters = new Map<string, Waiter>();
  /** Ends of the ids: an instance may end without a word. */
  const expiries = new Map<string, NodeJS.Timeout>();
  const waiterOf = (instance: string): Waiter => {
    const known = waiters.get(instance);
    if (known !== undefined) return known;
    const waiter: Waiter = {
      isInstance: true,
      send(message) {
        if (message.kind !== 'watching') void publish(channelOf(instance), message);
      },
    };
    // Each start of an instance is another one.
    if (waiters.size === bounds.maxInstances) waiters.clear();
    waiters.set(instance, waiter);
    return waiter;
  };
  const forget = (id: string): void => {
    clearTimeout(expiries.get(id));
    expiries.delete(id);
  };
  const receive = (instance: string, message: WaitMessage): void => {
    const waiter = waiterOf(instance);
    // Whatever reached it while it was not connected is lost.
    if (message.kind === 'hello') watched.reportLimit();
    else if (message.kind === 'confirm') watched.receive(waiter, message);
    else if (message.kind === 'unwatch' && expiries.has(message.id)) {
      forget(message.id);
      watched.receive(waiter, message);
    } else if (message.kind === 'watch' && !watched.isWatched(message.id) && expiries.size < bounds.maxAnnouncedIds) {
      const end = (): void => receive(instance, { kind: 'unwatch', id: message.id });
      expiries.set(message.id, setTimeout(end, maxWaitMs + bounds.instanceReplyMs).unref());
      watched.receive(waiter, message);
    }
  };
  return {
    receive,
    /** A request of this process has the id from now on. */
    forget,
  };
}

/** What other instances confirm for requests of this one: that they have passed on all queries that they had received. */
class Confirmations {
  /** Called for each confirmation, by id. */
  readonly #counts = new Map<string, () => void>();
  readonly #services: InstanceServices;
  readonly #publish: Publish;

  constructor(services: InstanceServices, publish: Publish) {
    this.#services = services;
    this.#publish = publish;
  }

  count(id: string): void {
    this.#counts.get(id)?.();
  }

  async request(id: string): Promise<void> {
    const { bounds, watched } = this.#services;
    const { promise, resolve } = Promise.withResolvers<true>();
    let received = 0;
    let expected = Number.POSITIVE_INFINITY;
    const count = (): void => {
      received += 1;
      if (received >= expected) resolve(true);
    };
    this.#counts.set(id, count);
    expected = await this.#publish(everybody, { kind: 'confirm', id });
    // For this instance, which gets the message, too.
    count();
    const hasAll = await Promise.race([promise, delay(bounds.instanceReplyMs, false, { ref: false })]);
    this.#counts.delete(id);
    if (!hasAll) watched.pass({ kind: 'limited', id });
  }
}
