/** Rate limits that several instances share: the store decides, and the local tables if it is not available. */
import { limitsOf, type RateName, windowSeconds } from '../../../core/limits.ts';
import type { Log } from '../../../core/log.ts';
import type { RateStoreAddress } from '../../../core/setting-values.ts';
import type { Settings } from '../../../core/settings.ts';
import type { Identity } from '../../../ingress/limits/identity.ts';
import type { Key } from '../../../ingress/limits/sip-hash.ts';
import type { ConnectionOptions } from '../store/connection.ts';
import { keepConnected } from '../store/keep-connected.ts';
import type { Bounds } from './bounds.ts';
import { tighten } from './counters.ts';
import type { Limiter } from './limits.ts';
import {
  type Counter,
  type CounterConnection,
  countCommand,
  createStoreKeys,
  openCounterConnection,
} from './store-counters.ts';

const textOf = ({ high, low }: Key): string => `${high},${low}`;

/** Connects to RATE_LIMIT_STORE; null if it is not set. A store that does not respond delays the start by `storeConnectMs`. */
export async function openStoreLimits(settings: Settings, bounds: Bounds, log: Log) {
  const { rateLimitStore, rateLimitSecret } = settings;
  if (rateLimitStore === null || rateLimitSecret === null) return null;
  const limits = limitsOf(settings);
  const keyOf = createStoreKeys(rateLimitSecret);
  const store = await openRateStore(rateLimitStore, bounds, log);

  const countersOf = (rates: readonly RateName[], client: Identity): readonly Counter[] => {
    const nowMs = Date.now();
    return rates.flatMap((rate) => {
      if (limits[rate] === 0) return [];
      const counter = { key: keyOf(rate, textOf(client.key), nowMs), limit: limits[rate] };
      if (!client.isIpv6) return [counter];
      const key = keyOf(`${rate}/48`, textOf(client.networkKey), nowMs);
      return [counter, { key, limit: limits[rate] * bounds.networkBudget }];
    });
  };

  /**
   * Returns the limits of this process and all others together.
   *
   * Every request counts locally first, so that the local tables can take over at any time. What they reject never reaches the store;
   * what the store rejects is refunded.
   */
  const limitTogether = (local: Limiter) => (rates: readonly RateName[], client: Identity) => {
    const decision = local.limit(rates, client);
    const connection = store.connection();
    if (!decision.isAllowed || connection === null) return decision;
    const counters = countersOf(rates, client);
    if (counters.length === 0) return decision;
    return connection.count(countCommand(counters, windowSeconds * 1000)).then((reply) => {
      if (reply === null) return decision;
      if (reply.left < 0) local.refund(rates, client);
      tighten(decision, reply.left, reply.leftMs);
      return decision;
    });
  };
  return { limitTogether, isConnected: () => store.connection() !== null, end: store.end };
}

/** Connects to the store that counts requests for several instances, and states in the log what changes. */
async function openRateStore(address: RateStoreAddress, bounds: Bounds, log: Log) {
  let attemptsLeft = maxAttempts;
  return keepConnected(() => openCounterConnection(address, connectionOptionsOf(bounds)), bounds, {
    onLost: (reason) =>
      log('rate_store_lost', `rate-limit store not available (${reason}); each instance counts for itself`, { reason }),
    onConnected: () => log('rate_store_connected', 'rate-limit store connected; all instances count together'),
    async onOpen(connection) {
      if (attemptsLeft === 0) return;
      attemptsLeft -= 1;
      if (await warnOfPersistence(connection, log, attemptsLeft === 0)) attemptsLeft = 0;
    },
  });
}

const connectionOptionsOf = ({ storeTimeoutMs, storeConnectMs }: Bounds): ConnectionOptions => ({
  replyMs: storeTimeoutMs,
  connectMs: storeConnectMs,
});

/** Connections on which the store must fail to respond before the warning: it may be slow once, as while it starts, and is then connected again. */
const maxAttempts = 3;

/** Returns whether the store responded; if the connection was lost instead, warns only the last time. */
async function warnOfPersistence(connection: CounterConnection, log: Log, isLast: boolean): Promise<boolean> {
  const warn = (problem: string): void =>
    log(
      'rate_store_persists',
      `${problem}; set save "" and appendonly no, so that no hash of an IP address is written to disk`,
    );
  try {
    const save = await connection.readOption('save');
    const appendOnly = await connection.readOption('appendonly');
    if (save !== '' || appendOnly !== 'no') warn('the rate-limit store writes its data to disk');
  } catch (error) {
    const isLost = connection.isLost();
    if (isLost && !isLast) return false;
    const reason = isLost ? 'no response' : (error as Error).message;
    warn(`cannot check whether the rate-limit store writes to disk (${reason})`);
  }
  return true;
}
