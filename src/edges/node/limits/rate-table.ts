/** A limit of a rate by key. */
import type { SharedTable } from './shared-table.ts';

export interface RateTable {
  /** Counts one event of this key; false, counting nothing, if none is left. `nowMs` is by `monotonicMs`. */
  take(key: string, nowMs: number): boolean;
  /** Undoes the key's last `take`. */
  giveBack(key: string): void;
  readonly table: SharedTable;
}
