/** Runs one attack on a new service beside another client, and checks what every attack has in common. */
import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { Yardstick } from '../cpu-time.ts';
import { runAttack } from './attack.ts';
import type { AttackName, Attacks } from './attacker.ts';
import type { Target } from './attacks.ts';
import { measureOthers } from './others.ts';
import { type ServiceProcess, startService } from './service-process.ts';
import type { Start, Usage } from './victim.ts';

/** Time of the same requests before the attack, so that the service is warm. */
const warmUpMs = 200;

/**
 * Permitted CPU time of the service in yardsticks: of the longest iteration of its event loop, and before the response to 99 of 100 requests of
 * another client. Limits in milliseconds would depend on the machine and on what else it does.
 */
const permitted = { turn: 7, others: 18 };

/** What a bound permits, and what the attack took. */
interface Measured {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

/** Reports a value as part of what is permitted, and fails above it. */
export function assertWithin(context: TestContext, { name, value, most, unit }: Measured): void {
  const text = `${name}: ${value.toFixed(1)} of ${most.toFixed(1)} ${unit}, ${((100 * value) / most).toFixed(0)} %`;
  context.diagnostic(text);
  assert.ok(value <= most, `${text} permitted`);
}

/** The yardstick just before and just after an attack; its slowest run counts, because iterations of the attack meet the same delays. */
export function assertShortTurns(context: TestContext, before: Yardstick, { longestTurnMs, yardstick }: Usage): number {
  const yardstickMs = Math.max(before.mostMs, yardstick.mostMs);
  const leastMs = Math.min(before.leastMs, yardstick.leastMs);
  context.diagnostic(`yardstick ${leastMs.toFixed(1)} to ${yardstickMs.toFixed(1)} ms`);
  const turn = { name: 'longest turn', value: longestTurnMs / yardstickMs, most: permitted.turn, unit: 'yardsticks' };
  assertWithin(context, turn);
  return yardstickMs;
}

interface Run<Name extends AttackName> {
  readonly settings?: Start['settings'];
  readonly bounds?: Start['bounds'];
  /** The plain port of the attack; by default that of the service. */
  readonly port?: 'metricsPort';
  /** Permitted growth of the resident memory. */
  readonly maxPeakMb?: number;
  readonly name: Name;
  readonly attack: Omit<Parameters<Attacks[Name]>[0], keyof Target>;
}

export interface Outcome<Name extends AttackName> {
  readonly service: ServiceProcess;
  readonly result: Awaited<ReturnType<Attacks[Name]>>;
  readonly usage: Usage;
  /** CPU time of the slowest run of the yardstick. */
  readonly yardstickMs: number;
}

const services = new Map<string, Promise<ServiceProcess>>();
after(async () => {
  // One that could not start has failed its test.
  for (const service of await Promise.allSettled(services.values()))
    if (service.status === 'fulfilled') await service.value.stop();
});

/** The tests of a file share a service with the same settings and bounds, because its start takes as long as an attack. Memory counts since the start. */
function sharedService(settings: Start['settings'], bounds: Start['bounds']): Promise<ServiceProcess> {
  const key = JSON.stringify([settings, bounds]);
  const service = services.get(key) ?? startService(settings, bounds);
  services.set(key, service);
  return service;
}

/** Attacks a service and checks memory, the latency of others and that it still responds; `check` examines the rest. */
export async function withstand<Name extends AttackName>(
  context: TestContext,
  { settings = {}, bounds = {}, ...run }: Run<Name>,
  check: (outcome: Outcome<Name>) => Promise<void> | void = () => {},
): Promise<void> {
  await check(await attackRunning(context, await sharedService(settings, bounds), run));
}

/** The same for a service that runs already. */
export async function attackRunning<Name extends AttackName>(
  context: TestContext,
  service: ServiceProcess,
  { port, maxPeakMb = 150, name, attack }: Omit<Run<Name>, 'settings' | 'bounds'>,
): Promise<Outcome<Name>> {
  await measureOthers(service, warmUpMs);
  const quiet = await service.usage();
  let isOver = false;
  // Quiet time before the attack would count as a success of the service.
  const begun = Promise.withResolvers<void>();
  const measured = begun.promise.then(() => measureOthers(service, 60_000, () => isOver));
  const target = port === undefined ? service : { ...service, httpPort: service[port] };
  const result = await runAttack(target, name, attack, begun.resolve);
  isOver = true;
  const others = await measured;
  const total = await service.usage();
  const usage = { ...total, cpuMs: total.cpuMs - quiet.cpuMs };
  context.diagnostic(`others p50 ${others.p50Ms.toFixed(1)} ms; ${usage.cpuMs.toFixed(0)} ms of CPU in all`);
  assert.equal(others.failures, 0);
  assertWithin(context, { name: 'memory', value: service.peakMb(), most: maxPeakMb, unit: 'MB' });
  const yardstickMs = assertShortTurns(context, quiet.yardstick, usage);
  const ofOthers = {
    name: "others' p99",
    value: others.p99Ms / yardstickMs,
    most: permitted.others,
    unit: 'yardsticks',
  };
  assertWithin(context, ofOthers);
  return { service, result, usage, yardstickMs };
}
