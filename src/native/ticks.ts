/** Repeated work that shares wake-ups: each wake-up of an idle process takes some 100 µs, however little it does. */

const tickMs = 1_000;

interface Repeated {
  readonly ticks: number;
  ticksLeft: number;
  readonly work: () => void;
}

const repeated = new Set<Repeated>();
let timer: NodeJS.Timeout | null = null;

/**
 * Calls `work` after each interval, without keeping the process running; returns the function that stops it. Whole seconds are counted in
 * ticks of one timer of the thread, so the first interval may be up to a second shorter.
 */
export function runEvery(intervalMs: number, work: () => void): () => void {
  if (intervalMs < tickMs || intervalMs % tickMs !== 0) {
    const own = setInterval(work, intervalMs).unref();
    return () => clearInterval(own);
  }
  const ticks = intervalMs / tickMs;
  const added: Repeated = { ticks, ticksLeft: ticks, work };
  repeated.add(added);
  timer ??= setInterval(tick, tickMs).unref();
  return () => {
    repeated.delete(added);
    if (repeated.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function tick(): void {
  for (const each of repeated) {
    each.ticksLeft -= 1;
    if (each.ticksLeft > 0) continue;
    each.ticksLeft = each.ticks;
    each.work();
  }
}
