/** Signals that arrive while a program starts. This file is JavaScript, because it runs on any Node, before anything is installed. */

/**
 * Until something else handles a signal to stop, it ends this process with code 0; without a handler, process 1 would ignore it. A SIGHUP,
 * which would end the process, is passed on to its first handler: a service then reloads, and any other command ends.
 */
export function handleFirstSignals() {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  let isWaiting = false;
  process.on('SIGHUP', () => {
    if (process.listenerCount('SIGHUP') === 1) isWaiting = true;
  });
  process.on('newListener', (event, listener) => {
    if (event !== 'SIGHUP' || !isWaiting) return;
    isWaiting = false;
    setImmediate(listener, event);
  });
}
