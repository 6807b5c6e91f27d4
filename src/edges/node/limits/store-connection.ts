/**
 * One connection to the store of rate limits, closed at the first sign that the store is slow, gone or not what it should be; with the
 * script that counts, its replies and its keys.
 */
import { createHmac, hash } from 'node:crypto';
import type { RateStoreAddress } from '../../../core/setting-values.ts';
import type { Bounds } from './bounds.ts';

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

export type StoreConnection = Awaited<ReturnType<typeof openStoreConnection>>;

/** Written and expired within a millisecond: tests that the store accepts writes. */
const probe = countCommand([{ key: 'seenby:probe', limit: 1 }], 1);

/** Rejects with an Error that states the reason, without anything of the URL. */
export async function openStoreConnection(
  address: RateStoreAddress,
  { storeTimeoutMs, storeConnectMs }: Pick<Bounds, 'storeTimeoutMs' | 'storeConnectMs'>,
) {
  const client = await createStoreClient(address, storeConnectMs);
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  const lose = (reason: string): void => {
    resolve(reason);
    if (client.isOpen) client.destroy();
  };
  client.on('error', (error) => lose(describeFailure(error)));
  const watch = watchReplies(storeTimeoutMs, () => lose(`no response within ${storeTimeoutMs} ms`));
  const send = (command: readonly string[]): Promise<unknown> => {
    const reply = client.sendCommand([...command]);
    watch(reply);
    return reply;
  };
  /** Runs a `countCommand`; null if the connection is lost. */
  const count = async (command: readonly string[]) => {
    try {
      const reply = readCountReply(await send(command));
      if (reply === null) lose(unexpectedReply);
      return reply;
    } catch (error) {
      lose(describeFailure(error));
      return null;
    }
  };

  // Until it is connected, the client does not destroy its socket; the connect timeout does.
  let deadline: NodeJS.Timeout | undefined;
  client.once('connect', () => {
    deadline = setTimeout(lose, storeConnectMs, 'no response');
  });
  const connect = async (): Promise<null> => {
    await client.connect();
    await send(loadCommand);
    await count(probe);
    return null;
  };
  const reason = await Promise.race([lost, connect().catch(describeFailure)]);
  clearTimeout(deadline);
  if (reason !== null) {
    lose(reason);
    throw new Error(reason);
  }
  return {
    count,
    /** A configuration option of the store. Rejects with the reason if the store does not report it. */
    async readOption(name: string): Promise<string> {
      const reply = await send(['CONFIG', 'GET', name]).catch((error) => {
        throw new Error(codeOf(error));
      });
      if (!Array.isArray(reply) || typeof reply[1] !== 'string') throw new Error(unexpectedReply);
      return reply[1];
    },
    /** Resolves with the reason when the connection is lost or closed. */
    lost,
    isLost: (): boolean => !client.isOpen,
    close: (): void => lose('closed'),
  };
}

async function createStoreClient({ target, isTls, user, password, database }: RateStoreAddress, connectMs: number) {
  const { createClient } = await import('@redis/client');
  return createClient({
    RESP: 2,
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    database,
    socket: { ...target, ...(isTls && { tls: true }), connectTimeout: connectMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // Its own timeouts cost a timer and a signal for each command.
    commandOptions: { timeout: 0 },
  });
}

/**
 * Returns what watches the reply to a command that is sent now: one timer per batch of commands, started when they are written. Replies
 * already received are read first, so a busy process does not mistake itself for a slow store.
 */
function watchReplies(timeoutMs: number, onLate: () => void) {
  let sent = 0;
  let received = 0;
  let isStarting = false;
  const startTimer = (): void => {
    isStarting = false;
    const last = sent;
    const check = (): void => {
      if (received < last) onLate();
    };
    setTimeout(() => setImmediate(check), timeoutMs);
  };
  const onReply = (): void => {
    received += 1;
  };
  return (reply: Promise<unknown>): void => {
    sent += 1;
    if (!isStarting) setImmediate(startTimer);
    isStarting = true;
    reply.then(onReply, onReply);
  };
}

const unexpectedReply = 'unexpected reply';

/** Errors of the client library, by the name of their class. */
const libraryErrors: ReadonlyMap<string, string> = new Map([
  ['ConnectionTimeoutError', 'no response'],
  ['SocketClosedUnexpectedlyError', 'connection closed'],
]);

/** Error replies that the settings cause. */
const refusals: ReadonlySet<string> = new Set(['WRONGPASS', 'NOAUTH', 'NOPERM', 'ERR']);
const advice = 'check user, password, permissions and database in RATE_LIMIT_STORE';

/** Whether this reason of a failure lasts until the operator changes something. */
export const needsOperator = (reason: string): boolean => reason.endsWith(advice);

/** Only the code of an error: the text of a store's error may repeat a password. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return unexpectedReply;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [code] = /^[A-Z]{2,20}(?= )/.exec(error.message) ?? [];
  return code ?? libraryErrors.get(error.constructor.name) ?? unexpectedReply;
}

function describeFailure(error: unknown): string {
  const code = codeOf(error);
  return refusals.has(code) ? `${code}; ${advice}` : code;
}
