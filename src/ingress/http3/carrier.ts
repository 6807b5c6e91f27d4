/** HTTP/3 on connections that something else brings: a carrier, which terminates QUIC or knows what does. Ingress knows nothing else of it. */
import type { Socket } from 'node:net';
import type { QuicConnection, QuicConnectionHandler } from '../../native/quic.ts';
import type { Connections } from '../connection.ts';
import type { Handler } from '../requests.ts';
import { Http3 } from './http3.ts';

/**
 * Serves a connection whose handshake is complete, and which the carrier has admitted. `socket` stands for it: ingress pauses, resumes and
 * destroys it, and hears when it closes. Returns what handles the connection; null if it is rejected, because the process has no memory.
 */
export type Accept = (quic: QuicConnection, socket: Socket) => QuicConnectionHandler | null;

export interface Carrier {
  /** Carries connections from now on, each of which it passes to `accept`. */
  listen(accept: Accept): Promise<void>;
  /** Carries no new connections; resolves when all have ended. */
  close(): Promise<void>;
  /** Ends what carries no connection, or one that ingress has closed; called regularly after `close`. */
  closeEnded(): void;
  /** Ends everything. */
  destroy(): void;
}

export function createAccept(connections: Connections, handler: Handler): Accept {
  return (quic, socket) => {
    connections.context.onHandshake('TLSv1.3', quic.tls.isResumed ? 'resumed' : 'full');
    // No proxy forwards requests over HTTP/3.
    const connection = connections.add(socket, { ip: quic.ip, port: quic.port, trusted: false, relayed: false });
    connection.quic = quic;
    connection.clientHello = quic.hello.clientHello;
    if (!connections.admit(connection, null)) return null;
    const http3 = new Http3(connection, quic, handler);
    connections.serve(connection, http3);
    return http3;
  };
}
