/** The state of one connection, shared by all of its requests. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type AutonomousSystem, type ObservedLocation, type ObservedTls, unobserved } from '../core/observed.ts';
import type { RateKeyOf } from '../edges/node/limits/rate-key.ts';
import { fingerprintOf } from './handshake/client-hello.ts';
import type { Http1Gate } from './http1.ts';
import type { Http2Gate } from './http2.ts';

export interface Connection {
  /** Peer address, without zone and `::ffff:`; null if the peer has disconnected. With a PROXY header, the address it names. */
  readonly ip: string | null;
  /** Source port of the client; null if unknown. */
  readonly port: number | null;
  readonly rateKey: string;
  /** Whether this is a trusted proxy, which forwards other clients' requests. */
  readonly trusted: boolean;
  /** Whether a PROXY header came first: then the socket's peer is a proxy, and not `ip`. */
  readonly relayed: boolean;
  readonly socket: Socket;
  /** Body of the ClientHello; null on plain HTTP or if it was not read. */
  hello: Buffer | null;
  /** HTTP/2 frames up to the first request's priority; null over HTTP/1. */
  http2Frames: Uint8Array | null;
  tlsSocket: TLSSocket | null;
  // Computed on first use, once for the connection: a request to /ip needs none of them.
  tls: ObservedTls | null;
  location: ObservedLocation | null;
  autonomousSystem: AutonomousSystem | null;
  /** Headers of the first packet; undefined until they are read, which the kernel allows once. */
  syn: Uint8Array | null | undefined;
  /** Bounds the requests of an HTTP/1 connection; null over HTTP/2 and before the first request. */
  http1Gate: Http1Gate | null;
  /** Bounds the requests of an HTTP/2 connection; null over HTTP/1. */
  http2Gate: Http2Gate | null;
  /** Bytes of large bodies that are being sent. */
  unsentBytes: number;
  /** Response to the latest request over HTTP/1; null after its end. */
  latest: ServerResponse | null;
  /** Latest valid host of a request. */
  authority: string | null;
}

const connectionOfSocket = Symbol('connection');

declare module 'node:net' {
  interface Socket {
    [connectionOfSocket]?: Connection;
  }
}

/** The client is the peer, or the client in a PROXY header; port 0 is unknown. */
export function openConnection(
  socket: Socket,
  { ip, port }: { readonly ip: string | null; readonly port: number },
  { trusted, relayed }: Pick<Connection, 'trusted' | 'relayed'>,
  rateKeyOf: RateKeyOf,
): Connection {
  const unknown = {
    hello: null,
    http2Frames: null,
    tlsSocket: null,
    tls: null,
    location: null,
    autonomousSystem: null,
    syn: undefined,
    http1Gate: null,
    http2Gate: null,
    unsentBytes: 0,
    latest: null,
    authority: null,
  };
  const connection: Connection = {
    ip,
    port: port === 0 ? null : port,
    rateKey: rateKeyOf(ip),
    trusted,
    relayed,
    socket,
    ...unknown,
  };
  socket[connectionOfSocket] = connection;
  return connection;
}

/** Returns the connection of a socket, or of the TLS socket over it; HTTP/2's proxy of a socket passes the symbol through. */
export function connectionOf(socket: Socket): Connection | null {
  return socket[connectionOfSocket] ?? null;
}

/** Runs after the handshake, so that requests find the connection by their own socket. */
export function bindTlsSocket(tlsSocket: TLSSocket): void {
  // Node stores the wrapped socket under this undocumented name; without it, values from the raw socket are null.
  const { _parent: raw } = tlsSocket as TLSSocket & { _parent?: Socket };
  const connection = raw && connectionOf(raw);
  if (!connection) return;
  connection.tlsSocket = tlsSocket;
  // Each costs a handshake, and HTTP/2 forbids them (RFC 9113 §9.2.1).
  tlsSocket.disableRenegotiation();
  tlsSocket[connectionOfSocket] = connection;
}

export function tlsOf(connection: Connection): ObservedTls {
  const { tlsSocket, hello } = connection;
  if (tlsSocket === null) return unobserved.tls;
  connection.tls ??= {
    ...unobserved.tls,
    version: tlsSocket.getProtocol(),
    cipher: tlsSocket.getCipher()?.name ?? null,
    ...(hello === null ? null : fingerprintOf(hello)),
  };
  return connection.tls;
}

export function peerOf({ remoteAddress }: Socket): string | null {
  return remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '') ?? null;
}
