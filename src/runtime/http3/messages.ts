/** What the service and its process for HTTP/3 send each other. */
import type { Log } from '../../core/log.ts';
import type { RejectionReason } from '../../core/metrics.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { Certificate } from '../certificate.ts';

/** Only what the process needs: it has no secret but the key of the certificate. */
export type Http3Settings = Pick<
  Settings,
  'host' | 'reusePort' | 'connectionRate' | 'maxConnections' | 'maxConnectionsPerAddress' | 'maxMemory'
>;

export interface Http3Start {
  readonly settings: Http3Settings;
  readonly port: number;
  readonly bounds: Bounds;
  readonly certificate: Certificate;
  /** Folder of the Unix sockets on which the threads of the service accept connections: from 1 to `threads`. */
  readonly folder: string;
  readonly threads: number;
}

export type Http3Request =
  | { readonly kind: 'start'; readonly start: Http3Start }
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'ping' | 'drain' }
  /** What was written is sent first, for at most this time. */
  | { readonly kind: 'close'; readonly withinMs: number };

export type Http3Report =
  /** Null: this system or Node has no QUIC. */
  | { readonly kind: 'listening'; readonly port: number | null }
  /** The port cannot be opened, or an unexpected error; the process ends. Without request data. */
  | { readonly kind: 'failed' | 'error'; readonly reason: string }
  | { readonly kind: 'log' | 'notice'; readonly args: Parameters<Log> }
  /** Connections that were rejected since the last report. */
  | { readonly kind: 'rejected'; readonly counts: ReadonlyMap<RejectionReason, number> }
  /** The service may go on without the port, which another process still has. */
  | { readonly kind: 'waiting' | 'pong' };
