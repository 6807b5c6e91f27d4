/** Counts in the store: the script that counts, its replies, its keys and its connection. */
import { createHmac, hash } from 'node:crypto';
import type { RateStoreAddress } from '../../../core/setting-values.ts';
import { type ConnectionOptions, openStoreConnection } from '../store/connection.ts';
import { codeOf, describeFailure, unexpectedReply } from '../store/failures.ts';

/** A number of requests in a window, under a key of the store. */
export interface Counter {
  readonly key: string;
  readonly limit: number;
}

/** Counts one request against every counter, or against none if one is exhausted. A counter begins with its first request. */
const script = `
local left, tightest
for index, key in ipairs(KEYS) do
  local before = ARGV[index + 1] - (redis.call('GET', key) or 0)
  if not left or before < left then left, tightest = before, key end
end
if left > 0 then
  for _, key in ipairs(KEYS) do
    if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, ARGV[1]) end
  end
end
return { math.max(left, 0) - 1, redis.call('PTTL', tightest) }
`;

const digest = hash('sha1', script);

/** Stores the script in the store, which discards it when it restarts. */
export const loadCommand: readonly string[] = ['SCRIPT', 'LOAD', script];

export function countCommand(counters: readonly Counter[], windowMs: number): string[] {
  const keys = counters.map(({ key }) => key);
  const limits = counters.map(({ limit }) => `${limit}`);
  return ['EVALSHA', digest, `${keys.length}`, ...keys, `${windowMs}`, ...limits];
}

/**
 * Returns the tightest counter after a request: the requests left, -1 if there was none, and the time until its window ends. Null for a
 * reply that the script never sends.
 */
export function readCountReply(reply: unknown) {
  const [left, leftMs] = Array.isArray(reply) ? reply : [];
  return typeof left === 'number' && typeof leftMs === 'number' ? { left, leftMs } : null;
}

const dayMs = 86_400_000;
/** 132 bits in Base64. */
const hashLength = 22;

/** Returns the store's key of a client in a rate, such as `general`: a hash that changes every day (UTC), so that days cannot be linked. */
export function createStoreKeys(secret: string): (rate: string, clientKey: string, nowMs: number) => string {
  let day = Number.NaN;
  let dayKey = '';
  return (rate, clientKey, nowMs) => {
    const today = Math.floor(nowMs / dayMs);
    if (today !== day) {
      const date = new Date(today * dayMs).toISOString().slice(0, 10);
      dayKey = createHmac('sha256', secret).update(date).digest('base64');
      day = today;
    }
    // Version 1.0 stored other values under `seenby:{rate}`.
    return `seenby:count:${rate}:${hash('sha256', dayKey + clientKey, 'base64').slice(0, hashLength)}`;
  };
}

export type CounterConnection = Awaited<ReturnType<typeof openCounterConnection>>;

/**
 * Written and expired within a millisecond: tests that the store accepts writes. The keys have different hash slots, so that a node of a
 * cluster rejects them.
 */
const probe = countCommand(
  ['seenby:probe', 'seenby:probe:2'].map((key) => ({ key, limit: 1 })),
  1,
);

/** Rejects with an Error that states the reason, without anything of the URL. */
export async function openCounterConnection(address: RateStoreAddress, times: ConnectionOptions) {
  const { send, ...connection } = await openStoreConnection(address, times, async (sendFirst) => {
    await sendFirst(loadCommand);
    if (readCountReply(await sendFirst(probe)) === null) throw new Error(unexpectedReply);
  });
  return {
    ...connection,
    /** Runs a `countCommand`; null if the connection is lost. */
    async count(command: readonly string[]) {
      try {
        const reply = readCountReply(await send(command));
        if (reply === null) connection.lose(describeFailure(new Error(unexpectedReply)));
        return reply;
      } catch (error) {
        connection.lose(describeFailure(error));
        return null;
      }
    },
    /** A configuration option of the store. Rejects with the reason if the store does not report it. */
    async readOption(name: string): Promise<string> {
      const reply = await send(['CONFIG', 'GET', name]).catch((error) => {
        throw new Error(codeOf(error));
      });
      if (!Array.isArray(reply) || typeof reply[1] !== 'string') throw new Error(unexpectedReply);
      return reply[1];
    },
  };
}
