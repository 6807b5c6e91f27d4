/** CPU time, for tests of work that must not take long: other programs cannot make them fail, nor can a slow machine. */
import { threadMs } from '../src/native/thread-clock.ts';

/** Returns a function that returns the CPU milliseconds since this call. */
export function cpuClock(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

/** CPU time of a fixed work in this thread at the moment; it varies with what else uses the same caches and cores. */
export interface Yardstick {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Measures a sort, which needs the caches of the machine as much as the service does: 5 to 8 ms on a machine of 2024 without other work. */
export function measureYardstick(times = 5): Yardstick {
  const all = Array.from({ length: times }, () => {
    const startMs = threadMs();
    Array.from({ length: 30_000 }, (_, at) => `${(at * 7_919) % 30_011}`).sort();
    return threadMs() - startMs;
  });
  return { leastMs: Math.min(...all), mostMs: Math.max(...all) };
}

let ofThisProcess: Yardstick | null = null;

/** CPU milliseconds that a work may take which must not take long: some 30 yardsticks. A superlinear one takes seconds. */
export function momentMs(): number {
  ofThisProcess ??= measureYardstick();
  return 30 * ofThisProcess.mostMs;
}
