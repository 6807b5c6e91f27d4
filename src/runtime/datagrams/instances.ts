/**
 * The instances that serve one zone, connected by the store: a query that reaches one of them is passed on to the one where a request waits for
 * it. The messages are those between the threads of a process; the store passes them on by publish and subscribe, and keeps none.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../core/log.ts';
import { announceMs } from '../../core/name-server.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { type QueryMessage, rehearsalId, type WaitMessage } from '../../edges/node/name-server.ts';
import { Confirmations, connectInstances } from '../../edges/node/store/instances.ts';
import { createSealer, sharedName } from '../../edges/node/store/sealed.ts';
import type { StoreAccess } from './messages.ts';
import type { Waiter, WatchedIds } from './watched-ids.ts';

interface InstanceServices {
  readonly bounds: Bounds;
  readonly log: Log;
  readonly watched: WatchedIds;
}

/** Changes with the form of the messages: instances that do not understand each other do not get them. */
const version = 1;

interface SharedZone extends StoreAccess {
  readonly zone: string;
}

interface Envelope {
  readonly from: string;
  readonly message: WaitMessage | QueryMessage;
}

export type Instances = Awaited<ReturnType<typeof joinInstances>>;

type Publish = (channel: string, message: Envelope['message']) => Promise<number>;

/** Waits for the first attempt to connect, whether it succeeds or not. */
export async function joinInstances({ store: address, secret, zone }: SharedZone, services: InstanceServices) {
  const { bounds, log, watched } = services;
  const purpose = `seenby dns ${version} ${zone}`;
  const { seal, open } = createSealer(secret, purpose);
  /** All instances receive what concerns ids, and each one on a channel of its own what concerns its requests. */
  const everybody = `seenby:dns:${sharedName(secret, purpose)}`;
  const channelOf = (instance: string): string => `${everybody}:${instance}`;
  const own = randomUUID();
  const confirmations = new Confirmations();

  /** Returns the number of instances that receive the message, this one included; 0 if the store is not available. */
  const publish: Publish = (channel, message) =>
    store.publish(channel, seal(JSON.stringify({ from: own, message }))).catch(() => 0);
  const others = followOthers(services, (instance, message) => void publish(channelOf(instance), message));
  const receive = (sealed: string, channel: string): void => {
    const text = open(sealed);
    if (text === null) return;
    const { from, message }: Envelope = JSON.parse(text);
    if (from === own) return;
    if (channel === everybody) others.receive(from, message as WaitMessage);
    else if (message.kind === 'watching' || message.kind === 'confirmed') confirmations.count(idOf(message));
    else watched.pass(message as QueryMessage);
  };

  const only = 'the DNS test shows only queries that reach this instance';
  const store = connectInstances(address, bounds, {
    channels: [everybody, channelOf(own)],
    onMessage: receive,
    // What other instances receive until this one is connected again is lost.
    onGap: () => watched.reportLimit(),
    async onOpen() {
      void publish(everybody, { kind: 'hello' });
    },
    onLost: (reason) => log('dns_store_lost', `store not available (${reason}); ${only}`, { reason }),
    onConnected: () =>
      log('dns_store_connected', 'store connected; the DNS test shows queries that reach any instance'),
  });
  await store.opened;

  /** If not all other instances reply in time, queries with the id that reach them may be missing. */
  const request = async (kind: keyof typeof replyKinds, id: string, timeoutMs: number): Promise<void> => {
    // This instance gets the message, too.
    const announce = async (): Promise<number> => (await publish(everybody, { kind, id })) - 1;
    const isComplete =
      store.isConnected() && (await confirmations.request(idOf({ kind: replyKinds[kind], id }), announce, timeoutMs));
    if (!isComplete) watched.pass({ kind: 'limited', id });
  };

  return {
    /** Announces the start or the end of a request of this process that waits. */
    announce(message: WaitMessage): void {
      if (message.kind === 'hello' || message.kind === 'confirm' || message.id === rehearsalId) return;
      others.forget(message.id);
      // A reply takes as long as the message.
      if (message.kind === 'watch') void request('watch', message.id, 2 * announceMs);
      else void publish(everybody, message);
    },
    /** Resolves when the other instances have passed on the queries with this id that had reached them. */
    confirm: (id: string): Promise<void> => request('confirm', id, bounds.instanceReplyMs),
  };
}

/** The replies of the other instances. */
const replyKinds = { watch: 'watching', confirm: 'confirmed' } as const;
const idOf = ({ kind, id }: { readonly kind: 'watching' | 'confirmed'; readonly id: string }): string =>
  `${kind} ${id}`;

/** Watches the ids that other instances announce, until they end or expire. */
function followOthers({ bounds, watched }: InstanceServices, send: (instance: string, message: QueryMessage) => void) {
  const waiters = new Map<string, Waiter>();
  /** Ends of the ids: an instance may end without a word. */
  const expiries = new Map<string, NodeJS.Timeout>();
  const waiterOf = (instance: string): Waiter => {
    const known = waiters.get(instance);
    if (known !== undefined) return known;
    const waiter: Waiter = {
      isInstance: true,
      send: (message) => send(instance, message),
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
      expiries.set(message.id, setTimeout(end, bounds.maxWaitMs + bounds.instanceReplyMs).unref());
      watched.receive(waiter, message);
    }
  };
  return {
    receive,
    /** A request of this process has the id from now on. */
    forget,
  };
}
