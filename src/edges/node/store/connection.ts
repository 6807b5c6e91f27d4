/** One connection to the store that instances share, closed at the first sign that the store is slow, gone or not what it should be. */
import type { RateStoreAddress } from '../../../core/setting-values.ts';
import { describeFailure, describeUnopened } from './failures.ts';

/** Times until a store counts as lost, and what the connection must be able to. */
export interface ConnectionOptions {
  /** For a reply. */
  readonly replyMs: number;
  /** For a connection and its authentication. */
  readonly connectMs: number;
  /** Version of the store's protocol: 2, or 3, with which one connection also subscribes (Redis 6 or later, Valkey). */
  readonly protocol?: 2 | 3;
}

type StoreClient = Awaited<ReturnType<typeof createStoreClient>>;
export type Send = (command: readonly string[]) => Promise<unknown>;

/** Resolves when `prepare` has; rejects with an Error that states the reason, without anything of the URL. */
export async function openStoreConnection(
  address: RateStoreAddress,
  { replyMs, connectMs, protocol = 2 }: ConnectionOptions,
  prepare: (send: Send, client: StoreClient) => Promise<void>,
) {
  const client = await createStoreClient(address, { connectMs, protocol });
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  const lose = (reason: string): void => {
    resolve(reason);
    if (client.isOpen) client.destroy();
  };
  client.on('error', (error) => lose(describeFailure(error)));
  const watch = watchReplies(replyMs, () => lose(`no response within ${replyMs} ms`));
  const send: Send = (command) => {
    const reply = client.sendCommand([...command]);
    watch(reply);
    return reply;
  };

  // Until it is connected, the client does not destroy its socket; the connect timeout does.
  let deadline: NodeJS.Timeout | undefined;
  client.once('connect', () => {
    deadline = setTimeout(lose, connectMs, 'no response');
  });
  const connect = async (): Promise<null> => {
    await client.connect();
    await prepare(send, client);
    return null;
  };
  const reason = await Promise.race([lost, connect().catch(describeFailure)]);
  clearTimeout(deadline);
  if (reason !== null) {
    lose(reason);
    throw new Error(describeUnopened(reason, address.isTls));
  }
  return {
    send,
    /** Resolves with the reason when the connection is lost or closed. */
    lost,
    /** Closes the connection for this reason. */
    lose,
    isLost: (): boolean => !client.isOpen,
    close: (): void => lose('closed'),
  };
}

async function createStoreClient(
  { target, isTls, user, password, database }: RateStoreAddress,
  { connectMs, protocol }: { readonly connectMs: number; readonly protocol: 2 | 3 },
) {
  const { createClient } = await import('@redis/client');
  return createClient({
    RESP: protocol,
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    database,
    socket: { ...target, ...(isTls && { tls: true }), connectTimeout: connectMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The client's own timeouts cost a timer and a signal for each command.
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
