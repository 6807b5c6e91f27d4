/** What the service and its process for HTTP/3 send each other. */
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { Certificate } from '../certificate.ts';

/** Only what the process needs: it has no secret but the key of the certificate. */
export type Http3Settings = Pick<
  Settings,
  'host' | 'reusePort' | 'connectionRate' | 'maxConnections' | 'maxConnectionsPerAddress' | 'maxMemory'
>;

export function http3SettingsOf(settings: Settings): Http3Settings {
  const { host, reusePort, connectionRate, maxConnections, maxConnectionsPerAddress, maxMemory } = settings;
  return { host, reusePort, connectionRate, maxConnections, maxConnectionsPerAddress, maxMemory };
}

export interface Http3Start {
  readonly settings: Http3Settings;
  readonly port: number;
  readonly bounds: Bounds;
  readonly certificate: Certificate;
  /** Unix sockets on which the threads of the service accept connections. */
  readonly sockets: readonly string[];
}

export type Http3Request =
  | { readonly kind: 'start'; readonly start: Http3Start }
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'ping' | 'drain' }
  /** What was written is sent first, for at most this time. */
  | { readonly kind: 'close'; readonly withinMs: number };

export type Http3Report =
  | { readonly kind: 'listening'; readonly port: number }
  /** Another process has the port; with REUSE_PORT, this one waits for it. */
  | { readonly kind: 'waiting' }
  /** This system or Node has no QUIC. */
  | { readonly kind: 'obstacle'; readonly obstacle: string }
  /** The port cannot be opened: an error code of the system. */
  | { readonly kind: 'failed'; readonly code: string }
  /** An unexpected error, without request data; the process ends. */
  | { readonly kind: 'error'; readonly failure: string }
  | { readonly kind: 'notice'; readonly args: Parameters<Log> }
  | { readonly kind: 'pong' };
