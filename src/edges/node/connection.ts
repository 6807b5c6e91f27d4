/** What is known of one connection, shared by all of its requests. */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { AutonomousSystem, ObservedLocation, ObservedTls } from '../../core/observed.ts';
import { fingerprint, noFingerprint } from './client-hello.ts';
import { rateKeyOf } from './rate-table.ts';

export interface Connection {
  /** Who connected, without zone and `::ffff:`; null where the socket had no peer left. */
  readonly ip: string | null;
  readonly rateKey: string;
  /** Whether that is a proxy whose requests are other people's. */
  readonly trusted: boolean;
  /** Whether a PROXY header came first, so that the socket leads to a proxy and not to `ip`. */
  readonly relayed: boolean;
  readonly socket: Socket;
  /** Body of the ClientHello until its fingerprint is taken; null on plain HTTP and where it was not seen. */
  hello: Buffer | null;
  tlsSocket: TLSSocket | null;
  // Filled on first use, as a connection has but one of each: a caller of /ip never pays for them.
  tls: ObservedTls | null;
  location: ObservedLocation | null;
  autonomousSystem: AutonomousSystem | null;
  /** The last request over HTTP/1, and whether all of it has arrived. */
  latest: { readonly complete: boolean } | null;
  /** The last host that a request named and that was found valid. */
  authority: string | null;
}

const connectionOfSocket = Symbol('connection');

declare module 'node:net' {
  interface Socket {
    [connectionOfSocket]?: Connection;
  }
}

/** `ip` is the peer's, or whom a PROXY header named. */
export function openConnection(
  socket: Socket,
  ip: string | null,
  { trusted, relayed }: Pick<Connection, 'trusted' | 'relayed'>,
): Connection {
  const unseen = {
    hello: null,
    tlsSocket: null,
    tls: null,
    location: null,
    autonomousSystem: null,
    latest: null,
    authority: null,
  };
  const connection: Connection = { ip, rateKey: rateKeyOf(ip), trusted, relayed, socket, ...unseen };
  socket[connectionOfSocket] = connection;
  return connection;
}

/** The connection of a socket, or of the TLS socket over it; HTTP/2's stand-in for a socket passes the symbol through. */
export function connectionOf(socket: Socket): Connection | null {
  return socket[connectionOfSocket] ?? null;
}

/** Called when the handshake is done, so that requests find the connection by their own socket. */
export function secureConnection(tlsSocket: TLSSocket): void {
  // Node keeps the wrapped socket under this undocumented name; without it, what needs the raw socket is null.
  const { _parent: raw } = tlsSocket as TLSSocket & { _parent?: Socket };
  const connection = raw && connectionOf(raw);
  if (!connection) return;
  connection.tlsSocket = tlsSocket;
  tlsSocket[connectionOfSocket] = connection;
}

const noTls: ObservedTls = { version: null, cipher: null, ...noFingerprint };

export function tlsOf(connection: Connection): ObservedTls {
  const { tlsSocket, hello } = connection;
  if (tlsSocket === null) return noTls;
  connection.tls ??= {
    version: tlsSocket.getProtocol(),
    cipher: tlsSocket.getCipher()?.name ?? null,
    ...(hello === null ? noFingerprint : fingerprint(hello)),
  };
  connection.hello = null;
  return connection.tls;
}

export function peerOf({ remoteAddress }: Socket): string | null {
  return remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '') ?? null;
}
