/**
 * Runs in a network namespace, for networks.test.ts: addresses of an attacker hold all connections of a service with default settings, while
 * clients of 40 other networks each send a request, round after round, and for some rounds more. Prints a `Result`.
 */
import { Worker } from 'node:worker_threads';
import type { Holding } from './network-holder.ts';
import { timeFrom } from './others.ts';
import { startService } from './service-process.ts';

export interface Round {
  /** Clients that had a response. */
  readonly served: number;
  /** Longest CPU time of the service before a response, in yardsticks. */
  readonly slowest: number;
}

export interface Result {
  readonly rounds: readonly Round[];
  /** The most connections that the attacker had. */
  readonly most: number;
  readonly peakMb: number;
}

/** Rounds while the attacker holds all connections that it gets. */
const heldRounds = 10;
const limitMs = 120_000;

const [holding, allConnections] = process.argv.slice(2).map((each) => JSON.parse(each)) as [
  Omit<Holding, 'port'>,
  number,
];
const service = await startService();
const { host } = holding;
for (let at = 0; at < 40; at += 1) await timeFrom(service, host, clientOf(host, at));
let { yardstick } = await service.usage();
const holder = new Worker(new URL('network-holder.ts', import.meta.url), {
  workerData: { ...holding, port: service.httpPort } satisfies Holding,
});
let most = 0;
holder.on('message', (open: number) => {
  most = Math.max(most, open);
});
const rounds: Round[] = [];
const startedMs = performance.now();
let left = heldRounds;
while (left > 0 && performance.now() - startedMs < limitMs) {
  if (most >= allConnections) left -= 1;
  const results: Awaited<ReturnType<typeof timeFrom>>[] = [];
  for (let at = 0; at < 40; at += 1) results.push(await timeFrom(service, host, clientOf(host, at)));
  const before = yardstick;
  ({ yardstick } = await service.usage());
  const slowestMs = Math.max(...results.map(({ ms }) => ms));
  rounds.push({
    served: results.filter(({ ok }) => ok).length,
    slowest: slowestMs / Math.max(before.mostMs, yardstick.mostMs),
  });
}
await holder.terminate();
console.log(JSON.stringify({ rounds, most, peakMb: service.peakMb() } satisfies Result));
await service.stop();

/** An address of another network for each client. */
function clientOf(host: string, at: number): string {
  return host.includes(':') ? `2001:db8:c${at.toString(16).padStart(2, '0')}::1` : `100.64.${at}.1`;
}
