/** Messages between the supervisor and its workers. */
import type { Log } from '../../core/log.ts';
import type { ServingUrls, ThreadStart, ThreadUpdate } from './serving.ts';

export interface WorkerStart extends ThreadStart {
  readonly isMetered: boolean;
}

export type WorkerRequest =
  | { readonly kind: 'update'; readonly update: ThreadUpdate }
  | { readonly kind: 'metrics' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'close' };

/** Metrics, else null. */
export type WorkerReply = readonly object[] | null;

export type WorkerMessage =
  | { readonly kind: 'listening'; readonly urls: ServingUrls }
  /** The thread cannot start. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'log'; readonly args: Parameters<Log> }
  | { readonly kind: 'notice'; readonly args: Parameters<Log> }
  | { readonly kind: 'reply'; readonly id: number; readonly reply: WorkerReply };
