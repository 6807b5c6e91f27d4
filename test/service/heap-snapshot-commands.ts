/** Preloaded into all threads of a service: after a signal, each writes what its heap holds, without garbage, to a file of its own. */
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const folder = process.env.SNAPSHOTS ?? '';
const commands = new BroadcastChannel('snapshots');
commands.unref();
const write = (round: unknown): void => {
  writeHeapSnapshot(join(folder, `${round}-${threadId}`));
  console.log(`snapshot ${round} of thread ${threadId}`);
};
commands.onmessage = (event): void => write((event as MessageEvent).data);
if (isMainThread) {
  let round = 0;
  process.on('SIGUSR2', () => {
    round += 1;
    commands.postMessage(round);
    write(round);
  });
}
