/** Messages between the instances of a service, by publish and subscribe of the store, which keeps none of them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RateStoreAddress } from '../../../core/setting-values.ts';
import { runEvery } from '../../../native/ticks.ts';
import { openStoreConnection, type Send } from './connection.ts';
import { describeFailure } from './failures.ts';
import { keepConnected } from './keep-connected.ts';

type Connection = Awaited<ReturnType<typeof openStoreConnection>>;

interface Times extends Readonly<Parameters<typeof keepConnected>[1]> {
  /** For a connection, and for a reply. */
  readonly storeConnectMs: number;
  /** Interval in which the connection is checked. */
  readonly storePingMs: number;
}

/** Besides the events of `keepConnected`. */
interface Subscription extends Readonly<Parameters<typeof keepConnected<Connection>>[2]> {
  readonly channels: readonly string[];
  /** Sends what a new connection needs first; a rejection means that the store cannot be used. */
  prepare?(send: Send): Promise<void>;
  onMessage(text: string, channel: string): void;
  /** A connection has ended: what is published until there is another one is lost. */
  onGap?(): void;
}

/** `opened` waits for the first attempt to connect, whether it succeeds or not. */
export function connectInstances(address: RateStoreAddress, times: Times, subscription: Subscription) {
  const { channels, prepare, onMessage, onGap, ...events } = subscription;
  const options = { replyMs: times.storeConnectMs, connectMs: times.storeConnectMs, protocol: 3 } as const;
  let connection: Connection | null = null;
  const connect = async (): Promise<Connection> => {
    const opened = await openStoreConnection(address, options, async (sendFirst, client) => {
      await prepare?.(sendFirst);
      await client.subscribe([...channels], onMessage);
    });
    connection = opened;
    void opened.lost.then(() => {
      if (connection === opened) connection = null;
      onGap?.();
    });
    return opened;
  };
  const send: Send = async (command) => {
    const used = connection;
    if (used === null) throw new Error('store not available');
    try {
      return await used.send(command);
    } catch (error) {
      used.lose(describeFailure(error));
      throw error;
    }
  };
  const opened = keepConnected(connect, times, events);
  // A connection that only receives does not notice that it is lost.
  const endPings = runEvery(times.storePingMs, () => void send(['PING']).catch(() => {}));
  return {
    opened,
    isConnected: (): boolean => connection !== null,
    /** Rejects if the store is not available. */
    send,
    /** Resolves with the number of instances that get the message, this one included. Rejects if the store is not available. */
    publish: async (channel: string, text: string): Promise<number> => Number(await send(['PUBLISH', channel, text])),
    end(): void {
      endPings();
      void opened.then((store) => store.end());
    },
  };
}

/** Messages that the other instances confirm. */
export class Confirmations {
  /** Called for each confirmation, by the id of the message. */
  readonly #counts = new Map<string, () => void>();

  count(id: string): void {
    this.#counts.get(id)?.();
  }

  /** Resolves with whether all confirm in time. `publish` resolves with the number of those that are to confirm. */
  async request(id: string, publish: () => Promise<number>, timeoutMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<true>();
    const late = delay(timeoutMs, false, { ref: false });
    let missing = 0;
    const count = (): void => {
      missing -= 1;
      if (missing === 0) resolve(true);
    };
    this.#counts.set(id, count);
    try {
      // Confirmations may come before the reply to the message.
      const published = publish().then((receivers) => {
        missing += receivers;
        return missing <= 0 || promise;
      });
      return await Promise.race([published, late]);
    } finally {
      // Another message may have the same id by now.
      if (this.#counts.get(id) === count) this.#counts.delete(id);
    }
  }
}
