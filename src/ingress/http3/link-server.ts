/** The server of HTTP/3 in the service, to which the process that ends QUIC connects. */
import { createServer, type Server } from 'node:net';
import { acceptWaiting } from '../../native/tcp.ts';
import type { Connections } from '../connection.ts';
import type { Handler } from '../requests.ts';
import { errorCodes } from './data/registries.ts';
import { Http3 } from './http3.ts';
import type { LinkSocket } from './link-socket.ts';
import { acceptLink } from './linked-connection.ts';

export interface LinkServer {
  readonly server: Server;
  /** Closes the sockets that carry no connection, or one whose client need not be waited for. */
  closeEnded(): void;
  destroyLinks(): void;
}

/** Creates the server, whose sockets carry the connections of clients; it does not listen yet. */
export function createLinkServer(connections: Connections, handler: Handler): LinkServer {
  const { bounds, onHandshake } = connections.shared;
  const limit = connections.limit('http3');
  const links = new Set<LinkSocket>();
  const server = createServer((socket) => {
    socket.setTimeout(bounds.helloTimeoutMs, () => socket.destroy());
    const link = acceptLink(socket, (quic, carried) => {
      socket.setTimeout(0);
      onHandshake('TLSv1.3', quic.tls.isResumed ? 'resumed' : 'full');
      // No proxy forwards requests over HTTP/3.
      const client = { ip: quic.ip, port: quic.port, trusted: false, relayed: false };
      const connection = connections.add(carried, client, limit);
      connection.quic = quic;
      connection.clientHello = quic.hello.clientHello;
      if (!connections.admit(connection, limit)) {
        quic.close(errorCodes.excessiveLoad);
        return null;
      }
      const http3 = new Http3(connection, quic, handler);
      connections.serve(connection, http3);
      return http3;
    });
    links.add(link);
    socket.on('close', () => links.delete(link));
  });
  server.on('listening', () => acceptWaiting(server, bounds.maxAcceptsPerIteration));
  return {
    server,
    closeEnded() {
      for (const link of links) link.closeEnded();
    },
    destroyLinks() {
      for (const link of links) link.destroy();
    },
  };
}
