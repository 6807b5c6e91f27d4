/** How many threads serve, and the memory of the processes, from the settings and the machine. */
import { availableParallelism } from 'node:os';
import type { Settings } from '../core/settings.ts';
import { readDatabasesMb } from '../runtime/databases/geoip-files.ts';
import { type MemoryNeeds, planMemory, readAvailableMemory } from '../runtime/memory-plan.ts';

/** More threads per processor do not serve more requests. While they all load the application, nothing is served, and a signal waits. */
const threadsPerCore = 4;

/** Fits the threads into the memory; returns the settings with their number, or a sentence that names what to change. */
export function planThreads(settings: Settings, isDev: boolean) {
  // Elsewhere, `serve` states why there is one.
  const hasThreads = !isDev && process.platform === 'linux';
  const cores = hasThreads ? availableParallelism() : 1;
  const threads = hasThreads ? settings.threads : 1;
  const most = threadsPerCore * cores;
  if (threads !== 'auto' && threads > most) {
    const processors = cores === 1 ? 'one processor' : `${cores} processors`;
    return { problem: `THREADS: must be at most ${most}, because the service may use ${processors}, not "${threads}"` };
  }
  const needs: MemoryNeeds = {
    threads,
    cores,
    maxMemory: settings.maxMemory,
    hasHttp3: settings.http3Port !== null,
    databasesMb: readDatabasesMb(settings),
    hasUpdates: settings.geoipAutoUpdate !== null,
  };
  const plan = planMemory(needs, readAvailableMemory());
  if ('problem' in plan) return plan;
  const { reason } = plan;
  return {
    ...plan,
    settings: hasThreads ? { ...settings, threads: plan.threads } : settings,
    fewer: reason === null ? null : describeFewerThreads({ threads: plan.threads, cores, reason }),
  };
}

function describeFewerThreads(fields: { readonly threads: number; readonly cores: number; readonly reason: string }) {
  const { threads, cores, reason } = fields;
  return [`serving with ${threads} of ${cores} threads, because ${reason}`, fields] as const;
}
