/** A row of the benchmark: a request to the service, and a server that it is compared with. */
import type { Load } from './load-clients.ts';
import type { ServerProcess } from './process.ts';
import type { Timing } from './rounds.ts';

export interface Row {
  /** Programs without which it is left out. */
  readonly needs?: readonly string[];
  /** Starts a service for this row alone, perhaps of another checkout; by default, rows share one. */
  startService?(folder?: string): Promise<ServerProcess>;
  readonly comparedWith: string;
  /** Connects to a server, at the earliest when the load runs. */
  startLoad(server: ServerProcess): Load;
  readonly timing: Timing;
  /** Set if its result is the service's CPU time in milliseconds, not a ratio. */
  readonly isTime?: true;
  /** Starts the server that the service is compared with. */
  startBare(service: ServerProcess): Promise<ServerProcess>;
}
