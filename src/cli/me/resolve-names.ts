/**
 * A program that resolves the names in its arguments as other programs do, with the system's `getaddrinfo`, and sends each result to its
 * parent. It is a separate process: with a silent resolver, a process ends only after all its resolutions, up to 20 s later, unless it is
 * killed.
 */
import { lookup } from 'node:dns';

export interface Resolved {
  readonly name: string;
  /** IP addresses; empty if the name has none, or no response arrived. */
  readonly addresses: readonly string[];
}

/** Pause between two names, so that a resolver with limits answers all queries. */
const pauseMs = 100;

for (const [n, name] of process.argv.slice(2).entries())
  setTimeout(() => {
    lookup(name, { all: true }, (error, found = []) => {
      process.send?.({ name, addresses: error === null ? found.map(({ address }) => address) : [] } satisfies Resolved);
    });
  }, n * pauseMs);
