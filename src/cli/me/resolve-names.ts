/**
 * A program that resolves names as other programs do, with the system's `getaddrinfo`. It reports to its parent when it is ready, receives
 * the names, and sends each result. It is a separate process: with a silent resolver, a process ends only after all its resolutions, up to
 * 20 s later, unless it is killed.
 */
import { lookup } from 'node:dns';

export interface Resolved {
  readonly name: string;
  /** IP addresses; empty if the name has none, null if it is not known whether it has any. */
  readonly addresses: readonly string[] | null;
}

/** Pause between two names, so that a resolver with limits answers all queries. */
const pauseMs = 100;

process.on('message', (names: readonly string[]) => {
  for (const [n, name] of names.entries())
    setTimeout(() => {
      lookup(name, { all: true }, (error, found = []) => {
        const isAnswered = error === null || error.code === 'ENOTFOUND';
        const addresses = isAnswered ? found.map(({ address }) => address) : null;
        process.send?.({ name, addresses } satisfies Resolved);
      });
    }, n * pauseMs);
});
process.send?.('ready');
