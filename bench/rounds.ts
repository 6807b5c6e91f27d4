/** Two servers take turns under the same load, so that disturbances affect both. */
import type { Load } from './load-clients.ts';
import type { ServerProcess } from './process.ts';
import { leastFifth, median } from './report.ts';

/** One side of a comparison. */
export interface Side {
  readonly server: ServerProcess;
  readonly load: Load;
}

export interface Compared {
  /** CPU time of each server per request. */
  readonly cpuUs: readonly [service: number, other: number];
  /** The same in the least disturbed fifth of the rounds. */
  readonly leastUs: readonly [service: number, other: number];
  /** The service's CPU per request as a multiple of the other server's, by round. */
  readonly cpuRatios: readonly number[];
  /** The service's CPU per request, by round. */
  readonly serviceUs: readonly number[];
  readonly perSecond: readonly [service: number, other: number];
  /** Share of a core that each server used: about 1 if the load was sufficient. */
  readonly busy: readonly [service: number, other: number];
}

export interface Timing {
  readonly rounds: number;
  /** CPU time of each server before the first round. */
  readonly warmMs: number;
  readonly roundMs: number;
}

/** Warms up both sides, then alternates turns of `roundMs`; each side goes first equally often. */
export async function compare(sides: readonly [Side, Side], { rounds, warmMs, roundMs }: Timing): Promise<Compared> {
  for (const side of sides) await warmUp(side, warmMs);
  const turns: Turn[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0])
      turns[side]?.push(await measureTurn(sides[side] as Side, roundMs));
  }
  for (const { load } of sides) load.close();
  const [service = [], other = []] = turns;
  const both = (figure: keyof Turn) =>
    [median(service.map((each) => each[figure])), median(other.map((each) => each[figure]))] as const;
  return {
    perSecond: both('perSecond'),
    cpuUs: both('cpuUs'),
    leastUs: [leastFifth(service.map(({ cpuUs }) => cpuUs)), leastFifth(other.map(({ cpuUs }) => cpuUs))],
    busy: both('busy'),
    serviceUs: service.map(({ cpuUs }) => cpuUs),
    cpuRatios: service.map((each, round) => each.cpuUs / (other[round]?.cpuUs ?? Number.NaN)),
  };
}

/** Runs the load until the server has used this much CPU: on a busy machine, that takes longer. Gives up after ten times as long. */
async function warmUp({ server, load }: Side, warmMs: number): Promise<void> {
  const before = server.cpuUs();
  const endMs = performance.now() + 10 * warmMs;
  do await load.run(warmMs / 5);
  while (server.cpuUs() - before < warmMs * 1000 && performance.now() < endMs);
}

interface Turn {
  readonly perSecond: number;
  /** CPU time of the server per request. */
  readonly cpuUs: number;
  readonly busy: number;
}

async function measureTurn({ server, load }: Side, ms: number): Promise<Turn> {
  const before = server.cpuUs();
  const { count, perSecond } = await load.run(ms);
  const cpuUs = (server.cpuUs() - before) / count;
  return { perSecond, cpuUs, busy: (cpuUs * perSecond) / 1e6 };
}
