/** A channel between a thread that serves requests and the thread for datagrams. If the latter ends, the thread that started it reports that. */
import { BroadcastChannel } from 'node:worker_threads';
import type { SharedMemory } from '../../edges/node/limits/limits.ts';

/**
 * Opens one end; `thread` is the number of the thread that serves. A message is lost while the other end is not open. Unlike a pair of
 * ports, either thread may end and be replaced.
 */
export function openChannel<Sent, Received>(
  { channelName }: Pick<SharedMemory, 'channelName'>,
  thread: number,
  receive: (message: Received) => void,
) {
  const channel = new BroadcastChannel(`${channelName} datagrams ${thread}`);
  channel.unref();
  channel.onmessage = (event): void => receive((event as MessageEvent).data as Received);
  return { send: (message: Sent): void => channel.postMessage(message), close: (): void => channel.close() };
}
