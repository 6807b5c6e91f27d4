/** A link for messages between a thread that serves requests and the thread for datagrams. When the latter has ended, the thread that started it reports this. */
import { BroadcastChannel } from 'node:worker_threads';
import type { LimitMemory } from '../../edges/node/limits/limits.ts';

/**
 * Opens one end; `thread` is the number of the thread that serves. A message is lost while the other end is not open. Unlike a pair of
 * ports, either thread may end and be replaced.
 */
export function openLink<Sent, Received>(
  { channel }: Pick<LimitMemory, 'channel'>,
  thread: number,
  receive: (message: Received) => void,
) {
  const link = new BroadcastChannel(`${channel} datagrams ${thread}`);
  link.unref();
  link.onmessage = (event): void => receive((event as MessageEvent).data as Received);
  return { send: (message: Sent): void => link.postMessage(message), close: (): void => link.close() };
}
