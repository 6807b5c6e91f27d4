/** Clients that one thread steps in turn, so that the load never sleeps. */

/** Where a load goes. */
export interface LoadTarget {
  readonly host: string;
  readonly port: number;
}

/** Operations per second, and their number. */
export interface LoadRun {
  readonly perSecond: number;
  readonly count: number;
}

export interface Load {
  /** Runs for this time and until all that has begun is complete. */
  run(ms: number): LoadRun | Promise<LoadRun>;
  close(): void;
}

/** One connection, or one after another. */
export interface LoadClient {
  readonly isBusy: boolean;
  /** Continues as far as possible without waiting; starts requests only with `mayStart`. Returns the number of completed ones. */
  step(mayStart: boolean): number;
  close(): void;
}

/** Longer than any response takes while the machine is busy. */
const stalledMs = 10_000;

export function runLoad(clients: readonly LoadClient[]): Load {
  return {
    run(ms) {
      const began = performance.now();
      let count = 0;
      let nowMs = began;
      let progressedMs = began;
      while (clients.some((client) => client.isBusy) || nowMs - began < ms) {
        const before = count;
        for (const client of clients) count += client.step(nowMs - began < ms);
        nowMs = performance.now();
        if (count > before) progressedMs = nowMs;
        else if (nowMs - progressedMs > stalledMs) throw new Error(`no response within ${stalledMs} ms`);
      }
      return { count, perSecond: count / ((nowMs - began) / 1000) };
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}
