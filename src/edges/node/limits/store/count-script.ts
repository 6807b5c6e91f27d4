/** The script that counts a request in the store, and its arguments. */
import { hash } from 'node:crypto';

/** A sliding window of exact times, or a bucket of tokens for limits that are too large to store every time. */
export type CounterKind = 'times' | 'bucket';

export interface Counter {
  readonly kind: CounterKind;
  /** Key in the store; around midnight, when the key changes, also the next one. */
  readonly key: string;
  readonly nextKey: string | null;
  readonly limit: number;
}

/**
 * Counts one request against every counter and returns 1, or against none if one is exhausted and returns 0. All times are the store's.
 * From midnight on, a counter continues under its next key. A time that is too far ahead was stored before the store's clock was set back.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, midnight = tonumber(ARGV[1]), tonumber(ARGV[2])
local total = (#ARGV - 2) / 2
local counters = {}
for index = 1, total do
  local key, limit, kind = KEYS[index], tonumber(ARGV[1 + 2 * index]), ARGV[2 + 2 * index]
  if #KEYS > total and now >= midnight then
    local following = KEYS[total + index]
    if redis.call('EXISTS', key) == 1 then redis.call('RENAMENX', key, following) end
    key = following
  end
  local tokens = limit
  if kind == 'times' then
    local first = redis.call('LINDEX', key, 0)
    while first and math.abs(now - tonumber(first)) >= window do
      redis.call('LPOP', key)
      first = redis.call('LINDEX', key, 0)
    end
    tokens = limit - redis.call('LLEN', key)
  else
    local left, at = string.match(redis.call('GET', key) or '', '^(%S+) (%S+)$')
    if left then tokens = math.min(limit, left + math.max(0, now - at) * limit / window) end
  end
  if tokens < 1 then return 0 end
  counters[index] = { key, kind, tokens }
end
for _, counter in ipairs(counters) do
  local key, kind, tokens = unpack(counter)
  local stamp = string.format('%.0f', now)
  if kind == 'times' then
    redis.call('RPUSH', key, stamp)
    redis.call('PEXPIRE', key, window)
  else
    redis.call('SET', key, string.format('%.3f ', tokens - 1) .. stamp, 'PX', window)
  end
end
return 1
`;

const digest = hash('sha1', script);

/** Stores the script in the store, which discards it when it restarts. */
export const loadCommand: readonly string[] = ['SCRIPT', 'LOAD', script];

/** `midnightMs` is the time from which the next keys apply, in milliseconds since the Unix epoch. */
export function countCommand(counters: readonly Counter[], windowMs: number, midnightMs: number): string[] {
  const nextKeys = counters.map(({ nextKey }) => nextKey).filter((key) => key !== null);
  return [
    ...['EVALSHA', digest, `${counters.length + nextKeys.length}`],
    ...counters.map(({ key }) => key),
    ...nextKeys,
    ...[`${windowMs}`, `${midnightMs}`],
    ...counters.flatMap(({ limit, kind }) => [`${limit}`, kind]),
  ];
}
