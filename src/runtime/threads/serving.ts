/** The interface of one serving thread, or of several behind one supervisor. All values can be sent to another thread. */
import type { Settings } from '../../core/settings.ts';
import type { DatabaseKind, NamedFiles } from '../../edges/node/geoip/geoip.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { SharedMemory } from '../../edges/node/limits/limits.ts';
import type { AcmeUpdate } from '../acme/shared.ts';
import type { Certificate } from '../certificate.ts';
import type { ThreadMetric } from './thread-metrics.ts';

/** Values that a thread starts with. */
export interface ThreadStart {
  readonly settings: Settings;
  readonly bounds: Bounds;
  /** From 1 to `sharedMemory.threads`. */
  readonly thread: number;
  readonly sharedMemory: SharedMemory;
  /** The secret of the rate keys, the same for all threads. */
  readonly rateSecret: string;
  readonly certificate: Certificate | null;
  readonly databases: Readonly<Record<DatabaseKind, NamedFiles | null>>;
  readonly wellKnownFiles: Readonly<Record<string, string>>;
  readonly isMetered: boolean;
  /** Limit of the process in MiB; 0: none. */
  readonly memoryMb: number;
  /** Folder for the sockets on which threads accept HTTP/3 from its process, each under its number; null if HTTP/3 is off. */
  readonly http3Folder: string | null;
}

/** A change while a thread serves. */
export type ThreadUpdate =
  | AcmeUpdate
  | { readonly kind: 'database'; readonly database: DatabaseKind; readonly files: NamedFiles | null }
  /** The UDP port on which HTTP/3 is served; null while it is not. */
  | { readonly kind: 'http3'; readonly port: number | null }
  /** /readyz reports that the service is stopping. */
  | { readonly kind: 'drain' };

export interface Serving {
  readonly urls: Readonly<Record<'http' | 'https', string | null>>;
  /** Resolves when every thread uses the new value, except those that still load: they read it as soon as they have loaded. */
  update(update: ThreadUpdate): Promise<void>;
  /** The metrics of each thread, as prom-client's JSON. */
  metrics(): Promise<readonly object[]>;
  /** Resolves when the event loop of every thread that has loaded has responded, and one has loaded. */
  ping(): Promise<void>;
  /** Stops listening and lets open requests end. */
  close(): Promise<void>;
}

/** A call of a member of `Serving` in another thread. */
export type WorkerCall = { readonly kind: 'update'; readonly update: ThreadUpdate } | { readonly kind: 'metrics' };

/** `reply` has the number of the call. */
export type WorkerRequest = WorkerCall & { readonly id: number };

export type WorkerReport =
  | { readonly kind: 'listening'; readonly urls: Serving['urls'] }
  /** Before the reply to the call: a list for the thread, or none if it does not count. */
  | { readonly kind: 'metrics'; readonly metrics: readonly (readonly ThreadMetric[])[] }
  | { readonly kind: 'reply'; readonly id: number }
  | { readonly kind: 'pong' };
