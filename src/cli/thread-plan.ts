/** How many threads serve, and the memory of the processes, from the settings and the machine. */
import { availableParallelism } from 'node:os';
import type { Settings } from '../core/settings.ts';
import { readDatabasesMb } from '../runtime/databases/geoip-files.ts';
import { type MemoryNeeds, planMemory, readAvailableMemory } from '../runtime/memory-plan.ts';

/** Fits the threads into the memory; returns the settings with their number, or a sentence that names what to change. */
export function planThreads(settings: Settings, isDev: boolean) {
  // Elsewhere, `serve` states why there is one.
  const hasThreads = !isDev && process.platform === 'linux';
  const cores = hasThreads ? availableParallelism() : 1;
  const needs: MemoryNeeds = {
    threads: hasThreads ? settings.threads : 1,
    cores,
    maxMemory: settings.maxMemory,
    hasHttp3: settings.http3Port !== null,
    databasesMb: readDatabasesMb(settings),
    hasUpdates: settings.geoipAutoUpdate !== null,
  };
  const plan = planMemory(needs, readAvailableMemory());
  if ('problem' in plan) return plan;
  const { threads, reason } = plan;
  return {
    ...plan,
    settings: hasThreads ? { ...settings, threads } : settings,
    fewer: reason === null ? null : describeFewerThreads({ threads, cores, reason }),
  };
}

function describeFewerThreads(fields: { readonly threads: number; readonly cores: number; readonly reason: string }) {
  const { threads, cores, reason } = fields;
  return [`serving with ${threads} of ${cores} threads, because ${reason}`, fields] as const;
}
