/** The name server as requests of one thread use it. */
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { ConcurrencyCounts } from '../../edges/node/limits/concurrent.ts';
import type { SharedMemory } from '../../edges/node/limits/limits.ts';
import { createNameServer, type QueryMessage, type WaitMessage } from '../../edges/node/name-server.ts';
import { openChannel } from './channel.ts';

interface NameServerParts {
  readonly settings: Settings;
  readonly bounds: Bounds;
  readonly sharedMemory: SharedMemory;
  readonly thread: number;
  readonly counts: ConcurrencyCounts;
  isDraining(): boolean;
}

export function openNameServer({ settings, bounds, sharedMemory, thread, counts, isDraining }: NameServerParts) {
  const channel = openChannel<WaitMessage, QueryMessage>(sharedMemory, thread, (message) => receive(message));
  const { nameServer, receive } = createNameServer({
    bounds,
    counts,
    // A new process has the port from then on.
    isReplaced: () => settings.reusePort && isDraining(),
    send: channel.send,
  });
  return { nameServer, close: channel.close };
}
