/** Two servers take turns under the same load, so that disturbances affect both. */
import { handshakeLoad, type Load, requestLoad, type TestRequest } from './load.ts';
import { clientAddress, type ServerProcess } from './process.ts';
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
  /** Share of a core that each server used: about 1 if the load was sufficient. */
  readonly busy: readonly [service: number, plain: number];
}

/** Warms up both sides, then alternates turns of `roundMs`; each side goes first equally often. */
export async function compare(
  sides: readonly [Side, Side],
  rounds: number,
  warmMs: number,
  roundMs: number,
): Promise<Compared> {
  for (const { load } of sides) await load.run(warmMs);
  const turns: Turn[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0])
      turns[side]?.push(await measureTurn(sides[side] as Side, roundMs));
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
  /** CPU time of the server per operation. */
  readonly cpuUs: number;
  readonly busy: number;
}

async function measureTurn({ server, load }: Side, ms: number): Promise<Turn> {
  const before = await server.usage();
  const { count, perSecond } = await load.run(ms);
  const after = await server.usage();
  const cpuUs = (after.cpuUs - before.cpuUs) / count;
  return { perSecond, cpuUs, busy: (cpuUs * perSecond) / 1e6 };
}

export const requestSide = async (
  server: ServerProcess,
  request: Omit<TestRequest, 'host' | 'port'>,
): Promise<Side> => ({
  server,
  load: await requestLoad({ ...request, host: clientAddress, port: server.ports.http }),
});

export const handshakeSide = (server: ServerProcess): Side => ({
  server,
  load: handshakeLoad(clientAddress, server.ports.https),
});
