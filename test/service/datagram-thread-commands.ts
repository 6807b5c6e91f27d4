/** Preloaded into all threads of a service: a signal ends the thread for datagrams by a fault; prints modules of servers for datagrams. */
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
if (isMainThread) process.on('SIGUSR2', () => commands.postMessage('end'));
else if (workerData?.servers !== undefined)
  commands.onmessage = () => {
    // Outside the listener, whose errors Node reports in another way.
    setImmediate(() => {
      throw new Error('a secret');
    });
  };
