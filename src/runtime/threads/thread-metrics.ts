/** The metrics of all threads, in which a counter never decreases: Prometheus would take that for a restart, and count everything again. */

interface Value {
  readonly value: number;
  readonly labels: object;
  /** Of a part of a histogram. */
  readonly metricName?: string;
}

/** One metric of a thread, as prom-client's JSON. */
export interface ThreadMetric {
  readonly name: string;
  readonly type: string;
  readonly values: readonly Value[];
}

export class ThreadMetrics {
  /** Also for a thread that does not respond in time. */
  readonly #latest = new Map<number, readonly ThreadMetric[]>();
  /** Sums of the threads that have ended, by the name of the metric. */
  readonly #ended = new Map<string, ThreadMetric>();

  set(thread: number, metrics: readonly ThreadMetric[]): void {
    this.#latest.set(thread, metrics);
  }

  /** Adds the latest counters and histograms to those of ended threads; a gauge has no value any more. */
  end(thread: number): void {
    for (const metric of this.#latest.get(thread) ?? []) {
      if (metric.type === 'gauge') continue;
      const values = sum([...(this.#ended.get(metric.name)?.values ?? []), ...metric.values]);
      this.#ended.set(metric.name, { ...metric, values });
    }
    this.#latest.delete(thread);
  }

  /** One list for each thread that serves, and one for all that have ended. */
  all(): readonly (readonly ThreadMetric[])[] {
    return [...this.#latest.values(), [...this.#ended.values()]];
  }
}

/** Adds the values with the same labels. */
function sum(values: readonly Value[]): Value[] {
  const sums = new Map<string, Value>();
  for (const each of values) {
    const key = JSON.stringify([each.metricName, each.labels]);
    sums.set(key, { ...each, value: each.value + (sums.get(key)?.value ?? 0) });
  }
  return [...sums.values()];
}
