/** The script that counts a request in the store: its arguments, its reply, and the keys of its counters. */
import { createHmac, hash } from 'node:crypto';

/** A number of requests in a window, under a key of the store. */
export interface Counter {
  readonly key: string;
  readonly limit: number;
}

/** The tightest counter after a request: the requests left, -1 if there was none, and the time until its window ends. */
export interface CountReply {
  readonly left: number;
  readonly leftMs: number;
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
  const [keys, limits] = [counters.map(({ key }) => key), counters.map(({ limit }) => `${limit}`)];
  return ['EVALSHA', digest, `${keys.length}`, ...keys, `${windowMs}`, ...limits];
}

/** Returns null for a reply that the script never sends. */
export function readCountReply(reply: unknown): CountReply | null {
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
      [day, dayKey] = [today, createHmac('sha256', secret).update(date).digest('base64')];
    }
    // Version 1.0 stored other values under `seenby:{rate}`.
    return `seenby:count:${rate}:${hash('sha256', dayKey + clientKey, 'base64').slice(0, hashLength)}`;
  };
}
