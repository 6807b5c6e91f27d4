/** Counts of a program in a thread or a process of its own, which it reports for the metrics of the service. */
import type { DatagramServerName, Metrics, RejectionReason } from '../../core/metrics.ts';

/** Since the previous report. */
export interface CountsReport {
  readonly kind: 'counts';
  readonly rejections: ReadonlyMap<RejectionReason, number>;
  /** By server and result. */
  readonly results: ReadonlyMap<DatagramServerName, ReadonlyMap<string, number>>;
}

const countIn = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

export class Counts {
  readonly #rejections = new Map<RejectionReason, number>();
  readonly #results = new Map<DatagramServerName, Map<string, number>>();

  countRejection(reason: RejectionReason): void {
    countIn(this.#rejections, reason);
  }

  /** Returns the function that counts the results of a server. */
  resultsOf(server: DatagramServerName): (result: string) => void {
    const counts = new Map<string, number>();
    this.#results.set(server, counts);
    return (result) => countIn(counts, result);
  }

  /** Reports what was counted since the previous call, if anything; called regularly. */
  reportBy(report: (counts: CountsReport) => void): void {
    const all = [this.#rejections, ...this.#results.values()];
    if (all.every(({ size }) => size === 0)) return;
    report({ kind: 'counts', rejections: this.#rejections, results: this.#results });
    for (const counts of all) counts.clear();
  }
}

export function addCounts(metrics: Metrics | null, { rejections, results }: CountsReport): void {
  for (const [reason, count] of rejections) metrics?.countRejection(reason, count);
  for (const [server, counts] of results)
    for (const [result, count] of counts) metrics?.countResult(server, result, count);
}
