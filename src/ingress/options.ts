/** What the server needs from its owner: bounds, decisions about connections, and the handler of requests. */
import type { Socket } from 'node:net';
import type { ClosingReason, IngressBounds } from './bounds.ts';
import type { Connection } from './connection.ts';
import type { Exchange, Response } from './exchange.ts';

/** Why a request is rejected before it reaches the handler. */
export type Problem =
  | 'malformed_request'
  | 'request_timeout'
  | 'headers_too_large'
  | 'version_not_supported'
  | 'method_not_allowed'
  /** A request without TLS on the port that requires it. */
  | 'https_required';

/** Options that all servers of a process share. */
export interface IngressOptions {
  readonly bounds: IngressBounds;
  /** Open connections of each server; 0: no limit. */
  readonly maxConnections: number;
  /** Counts the open connections of each server over several threads; null in a process with one. */
  readonly sharedCounts: SharedCounts | null;
  /** Whether trusted proxies send a PROXY header before anything else. */
  readonly proxyProtocol: boolean;
  /** Whether an address is that of a trusted proxy, whose connections carry the requests of many clients. */
  isTrusted(ip: string | null): boolean;
  /** Decides, before any TLS work, whether to serve a connection; what it has counted must end with the socket. */
  admit(connection: Connection): boolean;
  /** Counts what a bound has closed or rejected. */
  onClosed(reason: ClosingReason): void;
  /** Counts a TLS handshake. */
  onHandshake(version: string, result: 'full' | 'resumed' | 'failed'): void;
}

export interface SharedCounts {
  /** Adds one if fewer than `limit` are open; 0 means no limit. */
  add(key: string, limit: number): boolean;
  remove(key: string): void;
}

/** What one server does with the requests that it receives. */
export interface Handler {
  handle(exchange: Exchange): Promise<void> | void;
  /** Called if handling an exchange, or its rejection, has thrown; the exchange has ended. */
  onError(error: unknown): void;
  /** Creates the response to a request that is rejected; `message` says what this server expects. */
  reject(problem: Problem, message?: string): Response;
  /** Host and port for requests that may omit them (HTTP/1.0). */
  defaultAuthority(): string;
  /** Takes over a connection that is not for this server, by its ClientHello; returns whether it did. */
  takeOver?(socket: Socket, clientHello: Buffer): boolean;
}
