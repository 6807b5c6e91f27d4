/**
 * Preloaded into all threads of a service: SIGUSR2 ends the thread for datagrams by a fault, SIGWINCH all threads that serve; prints modules of
 * servers for datagrams.
 */
import { registerHooks } from 'node:module';
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (/\/src\/(runtime\/datagrams|ingress\/dns|edges\/dns)\//.test(found.url)) console.log(`loading ${found.url}`);
    return found;
  },
});

const commands = new BroadcastChannel('commands');
commands.unref();
if (isMainThread) {
  process.on('SIGUSR2', () => commands.postMessage('datagrams'));
  process.on('SIGWINCH', () => commands.postMessage('serving'));
} else {
  const own = workerData?.servers === undefined ? 'serving' : 'datagrams';
  commands.onmessage = ({ data }: { data: string }) => {
    // Outside the listener, whose errors Node reports in another way.
    if (data === own)
      setImmediate(() => {
        throw new Error('a secret');
      });
  };
}
