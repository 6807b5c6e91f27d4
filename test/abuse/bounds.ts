/** Runs one attack on a new service beside another client, and checks what every attack has in common. */
import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import { runAttack } from './attack.ts';
import type { AttackName, Attacks } from './attacker.ts';
import type { Target } from './attacks.ts';
import { measureOthers } from './others.ts';
import { type ServiceProcess, startService } from './service-process.ts';
import type { Start, Usage } from './victim.ts';

/** Longest wait of 99 of 100 requests of another client, in CPU time of the service. */
const maxOthersMs = 250;
/** Time of the same requests before the attack, so that the service is warm. */
const warmUpMs = 200;

/** Longest iteration of the event loop, in CPU time, on a machine with other work; the longest ones contain a collection of garbage. */
const maxTurnMs = 100;
/** The same in parts of a work that takes 8 ms on a machine without other work. */
const maxTurnYardsticks = 12;

/** A slow machine, and one whose other processes use the same caches and cores, may take longer. */
export function assertShortTurns({ longestTurnMs, yardstickMs }: Usage): void {
  const permittedMs = Math.max(maxTurnMs, maxTurnYardsticks * yardstickMs);
  assert.ok(longestTurnMs <= permittedMs, `an iteration of ${longestTurnMs} ms, at most ${permittedMs}`);
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
}

const services = new Map<string, Promise<ServiceProcess>>();
after(async () => {
  for (const service of services.values()) await (await service).stop();
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
  const before = await measureOthers(service, warmUpMs);
  const quiet = await service.usage();
  let isOver = false;
  const measured = measureOthers(service, 60_000, () => isOver);
  const target = port === undefined ? service : { ...service, httpPort: service[port] };
  const result = await runAttack(target, name, attack);
  isOver = true;
  const others = await measured;
  const total = await service.usage();
  const usage = { ...total, cpuMs: total.cpuMs - quiet.cpuMs };
  context.diagnostic(
    `+${service.peakMb().toFixed(0)} MB; others p99 ${before.p99Ms.toFixed(1)} → ${others.p99Ms.toFixed(1)} ms; ` +
      `longest turn ${usage.longestTurnMs.toFixed(0)} ms (${usage.yardstickMs.toFixed(0)}); ${usage.cpuMs.toFixed(0)} ms of CPU`,
  );
  assert.ok(service.peakMb() <= maxPeakMb, `memory grew by ${service.peakMb().toFixed(0)} MB`);
  assert.equal(others.failures, 0);
  assert.ok(others.p99Ms <= maxOthersMs, `p99 of others ${others.p99Ms} ms, at most ${maxOthersMs} ms`);
  assertShortTurns(usage);
  return { service, result, usage };
}
