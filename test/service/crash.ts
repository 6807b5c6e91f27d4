/** Preloaded into the threads of a service: ends a worker thread in the way that a message of the parent process names, however long it takes. */
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';
import { bounds } from '../../src/edges/node/limits/bounds.ts';

// Five threads that fill their memory one after another take longer on a busy machine than the time of a service.
Object.assign(bounds, { threadFailingMs: 3_600_000 });

const ways = {
  throw: () => {
    throw new Error('a secret');
  },
  reject: () => void Promise.reject(new TypeError('a secret')),
  exit: () => process.exit(3),
  memory: () => {
    let last: object | null = null;
    // Without a pause: if V8 notices between two turns that the heap is full, as it collects then, Node does not end the thread but the
    // whole process (2 of 22 runs).
    for (let each = 0; ; each += 1) last = { last, list: [each] };
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
