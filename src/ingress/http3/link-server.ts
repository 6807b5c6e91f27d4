/** The server of HTTP/3 in the service, to which the process that ends QUIC connects. */
import { createServer, type Server } from 'node:net';
import { acceptWaiting } from '../../native/tcp.ts';
import type { Connections } from '../connection.ts';
import type { Handler } from '../requests.ts';
import { errorCodes } from './data/registries.ts';
import { Http3 } from './http3.ts';
import { acceptLink } from './linked-connection.ts';

/** Creates the server, which gets a socket for each connection of a client; it does not listen yet. */
export function createLinkServer(connections: Connections, handler: Handler): Server {
  const { bounds, onHandshake } = connections.shared;
  const limit = connections.limit('http3');
  const server = createServer((socket) => {
    limit.add();
    socket.on('close', () => limit.remove());
    socket.setTimeout(bounds.helloTimeoutMs, () => socket.destroy()).on('error', () => socket.destroy());
    acceptLink(socket, (quic) => {
      socket.setTimeout(0);
      onHandshake('TLSv1.3', 'full');
      // No proxy forwards requests over HTTP/3.
      const connection = connections.add(socket, { ip: quic.ip, port: quic.port, trusted: false, relayed: false });
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
  });
  server.on('listening', () => acceptWaiting(server, bounds.maxAcceptsPerIteration));
  return server;
}
