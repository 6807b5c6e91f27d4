/** One connection to the store; it is closed at the first sign that the store is slow, gone or not what it should be. */
import type { RateStoreAddress } from '../../../../core/setting-values.ts';
import type { Bounds } from '../bounds.ts';
import { type Counter, countCommand, loadCommand } from './count-script.ts';
import { createReplyGuard } from './reply-guard.ts';

export type StoreBounds = Pick<Bounds, 'storeTimeoutMs' | 'storeConnectMs'>;

export interface StoreConnection {
  /** Runs `countCommand`; null if the connection is lost. */
  count(command: readonly string[]): Promise<boolean | null>;
  /** A configuration option of the store. Rejects with the reason if the store does not report it. */
  readOption(name: string): Promise<string>;
  close(): void;
}

/** Written and expired within a millisecond: tests that the store accepts writes. */
const probe: Counter = { kind: 'times', key: 'seenby:probe', nextKey: null, limit: 1 };

/** Rejects with an Error that states the reason, without anything of the URL. `onLost` is called at most once, and not by `close`. */
export async function openStoreConnection(
  address: RateStoreAddress,
  { storeTimeoutMs, storeConnectMs }: StoreBounds,
  onLost: (reason: string) => void,
): Promise<StoreConnection> {
  const { createClient } = await import('@redis/client');
  const { target, isTls, user, password, database } = address;
  const client = createClient({
    RESP: 2,
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    database,
    socket: { ...target, ...(isTls && { tls: true }), connectTimeout: storeConnectMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // Its own timeouts cost a timer and a signal for each command.
    commandOptions: { timeout: 0 },
  });
  const { decoder } = client._getQueue();
  const decode = decoder.write.bind(decoder);
  const guard = createReplyGuard();
  decoder.write = (chunk) => {
    guard(chunk);
    decode(chunk);
  };

  let lostReason: string | null = null;
  let isOpen = false;
  const lose = (reason: string): void => {
    if (lostReason !== null) return;
    lostReason = reason;
    client.destroy();
    if (isOpen) onLost(reason);
  };
  client.on('error', (error) => lose(describeFailure(error)));

  let sent = 0;
  let received = 0;
  let isWatched = false;
  // One timer for the commands of a turn, from when the client writes them. A reply that has arrived meanwhile is read before the check,
  // so that a busy process does not find the store slow.
  const watch = (): void => {
    sent += 1;
    if (isWatched) return;
    isWatched = true;
    setImmediate(() => {
      isWatched = false;
      const last = sent;
      setTimeout(() => {
        setImmediate(() => {
          if (received < last) lose(`no response within ${storeTimeoutMs} ms`);
        });
      }, storeTimeoutMs);
    });
  };
  const countAnswer = (): void => {
    received += 1;
  };
  const send = (command: readonly string[]): Promise<unknown> => {
    const reply = client.sendCommand([...command]);
    watch();
    reply.then(countAnswer, countAnswer);
    return reply;
  };
  const count = async (command: readonly string[]): Promise<boolean | null> => {
    try {
      const reply = await send(command);
      if (reply === 1 || reply === 0) return reply === 1;
      lose(unexpectedReply);
    } catch (error) {
      lose(describeFailure(error));
    }
    return null;
  };
  // Until it is connected, the client does not destroy its socket; the connect timeout does.
  let deadline: NodeJS.Timeout | undefined;
  client.once('connect', () => {
    deadline = setTimeout(() => lose('no response'), storeConnectMs);
  });
  try {
    await client.connect();
    await send(loadCommand);
    await count(countCommand([probe], 1, 0));
  } catch (error) {
    lose(describeFailure(error));
  } finally {
    clearTimeout(deadline);
  }
  if (lostReason !== null) throw new Error(lostReason);
  isOpen = true;
  return {
    count,
    async readOption(name) {
      const reply = await send(['CONFIG', 'GET', name]).catch((error) => {
        throw new Error(codeOf(error));
      });
      if (!Array.isArray(reply) || typeof reply[1] !== 'string') throw new Error(unexpectedReply);
      return reply[1];
    },
    close() {
      isOpen = false;
      lose('closed');
    },
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

/** Only the code of an error: the text of a store's error may repeat a password. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return unexpectedReply;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [code] = /^[A-Z]{2,20}(?= )/.exec(error.message) ?? [];
  return code ?? libraryErrors.get(error.constructor.name) ?? unexpectedReply;
}

function describeFailure(error: unknown): string {
  const code = codeOf(error);
  return refusals.has(code) ? `${code}; check user, password, permissions and database in RATE_LIMIT_STORE` : code;
}
