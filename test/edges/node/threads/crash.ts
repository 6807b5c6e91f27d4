/** Preloaded into the threads of a service: ends a worker thread in the way that a message of the parent process names. */
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

const ways = {
  throw: () => {
    throw new Error('a secret');
  },
  reject: () => void Promise.reject(new TypeError('a secret')),
  exit: () => process.exit(3),
  memory: () => {
    const kept: unknown[][] = [];
    for (;;) kept.push(new Array(1000).fill(kept.length));
  },
} as const;
export type WayToEnd = keyof typeof ways;

interface Command {
  readonly thread: number;
  readonly way: WayToEnd;
}

const commands = new BroadcastChannel('commands');
const ready = new BroadcastChannel('ready');
for (const channel of [commands, ready]) channel.unref();
if (isMainThread) {
  process.on('message', (command: Command) => commands.postMessage(command));
  ready.onmessage = ({ data }) => process.send?.(data);
} else {
  commands.onmessage = ({ data: { thread, way } }: { data: Command }) => {
    // Outside the listener, whose errors Node reports in another way.
    if (thread === workerData.thread) setImmediate(ways[way]);
  };
  ready.postMessage({ thread: workerData.thread });
}
