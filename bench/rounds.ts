/** Two servers under the same load in turns, so that what disturbs the machine disturbs both. */
import { type Call, handshakeLoad, type Load, requestLoad } from './load.ts';
import { callerAddress, type ServerProcess } from './process.ts';
import { median } from './report.ts';

/** One side of a comparison. */
export interface Side {
  readonly server: ServerProcess;
  readonly load: Load;
}

export interface Compared {
  readonly perSecond: readonly [service: number, plain: number];
  readonly cpuUs: readonly [service: number, plain: number];
  /** The service's share of the plain server's operations per second, by round. */
  readonly rateRatios: readonly number[];
  /** The service's CPU per operation as a multiple of the plain server's, by round. */
  readonly cpuRatios: readonly number[];
  /** Share of a core that each server used: about 1 where the load was enough. */
  readonly busy: readonly [service: number, plain: number];
}

/** Warms both sides, then lets them take turns of `roundMs`, each going first as often. */
export async function compare(
  sides: readonly [Side, Side],
  rounds: number,
  warmMs: number,
  roundMs: number,
): Promise<Compared> {
  for (const { load } of sides) await load.run(warmMs);
  const turns: Turn[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const which of round % 2 === 0 ? [0, 1] : [1, 0])
      turns[which]?.push(await turn(sides[which] as Side, roundMs));
  }
  for (const { load } of sides) load.close();
  const [service = [], plain = []] = turns;
  const both = (figure: keyof Turn) =>
    [median(service.map((each) => each[figure])), median(plain.map((each) => each[figure]))] as const;
  const ratios = (figure: keyof Turn) =>
    service.map((each, round) => each[figure] / (plain[round]?.[figure] ?? Number.NaN));
  return {
    perSecond: both('perSecond'),
    cpuUs: both('cpuUs'),
    busy: both('busy'),
    rateRatios: ratios('perSecond'),
    cpuRatios: ratios('cpuUs'),
  };
}

interface Turn {
  readonly perSecond: number;
  /** CPU of the server for one operation. */
  readonly cpuUs: number;
  readonly busy: number;
}

async function turn({ server, load }: Side, ms: number): Promise<Turn> {
  const before = await server.usage();
  const { count, perSecond } = await load.run(ms);
  const after = await server.usage();
  const cpuUs = (after.cpuUs - before.cpuUs) / count;
  return { perSecond, cpuUs, busy: (cpuUs * perSecond) / 1e6 };
}

export const requests = async (server: ServerProcess, call: Omit<Call, 'host' | 'port'>): Promise<Side> => ({
  server,
  load: await requestLoad({ ...call, host: callerAddress, port: server.ports.http }),
});

export const handshakes = (server: ServerProcess): Side => ({
  server,
  load: handshakeLoad(callerAddress, server.ports.https),
});
