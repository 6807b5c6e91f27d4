/**
 * Visits of the service to itself at its start, whose objects stay. V8 discards a hidden class with its last object, and with it the code
 * that was optimized for it: after a collection in a moment without connections, each of the next hundreds of visits took a third more CPU
 * time (`/ip`: 1,080 instead of 800 µs), because its sockets and requests were of classes that had to be made and learned again.
 */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type SecureContextOptions } from 'node:tls';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { networksOf } from '../../edges/node/limits/limits.ts';
import { ClientFacts, NodeRequest, type ServingSite } from '../../edges/node/observe.ts';
import type { Handler } from '../../ingress/requests.ts';
import { Ingress } from '../../ingress/server.ts';

/** Visits over each protocol: with later ones, V8 changes classes that the first had, as members get other kinds of values. */
const visits = 4;
/** Longest time for one of them: on a machine without a loopback address, the service runs without specimens. */
const timeoutMs = 2_000;

const host = '127.0.0.1';
/** What a browser sends at least. */
const request = `GET /json HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\nAccept-Language: en\r\n\r\n`;

interface Visited {
  readonly bounds: Bounds;
  readonly site: ServingSite;
  /** Must count nothing: no metric and no limit. */
  readonly handler: Handler;
  /** Null without a TLS port. */
  readonly certificate: SecureContextOptions | null;
}

/** Returns the objects, which must be kept; what they contain is of these visits alone. Never rejects. */
export async function makeSpecimens({ bounds, site, handler, certificate }: Visited): Promise<readonly object[]> {
  const specimens: object[] = [];
  const ingress = new Ingress({
    bounds,
    maxConnections: 0,
    peers: null,
    networksOf,
    proxyProtocol: false,
    isTrusted: () => false,
    admit(connection) {
      connection.facts = new ClientFacts('');
      return true;
    },
    onClosed() {},
    onHandshake() {},
  });
  const keeping: Handler = {
    ...handler,
    handle(exchange) {
      const { connection, output } = exchange;
      const { socket, tlsSocket, protocol } = connection;
      specimens.push(exchange, output, connection, socket, new NodeRequest(exchange, site));
      for (const each of [tlsSocket, protocol]) if (each !== null) specimens.push(each);
      if ('req' in output) specimens.push(output.req as object);
      if ('session' in output) specimens.push(output.session as object);
      return handler.handle(exchange);
    },
  };
  try {
    await visit(ingress.createServer(keeping), visitPlain);
    if (certificate === null) return specimens;
    // Without a CA of its own, a client reads those of Node: 5 MB, and 30 ms.
    const options = { host, rejectUnauthorized: false, ca: certificate.cert };
    await visit(ingress.createSecureServer(keeping, certificate), visitTls(options), visitHttp2(options));
  } catch {
    // They save time, and nothing else depends on them.
  } finally {
    // Not awaited: it grants open connections a second.
    void ingress.close();
  }
  return specimens;
}

async function visit(server: Server, ...ways: readonly ((port: number) => Promise<unknown>)[]): Promise<void> {
  await once(server.listen({ port: 0, host }).unref(), 'listening');
  const { port } = server.address() as AddressInfo;
  for (let each = 0; each < visits; each += 1) for (const way of ways) await way(port);
}

async function visitPlain(port: number): Promise<void> {
  const socket = connect({ port, host, signal: AbortSignal.timeout(timeoutMs) });
  socket.once('data', () => socket.end()).write(request);
  await once(socket, 'close');
}

const visitTls = (options: ConnectionOptions) => async (port: number) => {
  const socket = connectTls({ ...options, port, ALPNProtocols: ['http/1.1'], timeout: timeoutMs });
  socket.once('timeout', () => socket.destroy());
  socket.once('data', () => socket.end()).write(request);
  await once(socket, 'close');
};

const visitHttp2 = (options: ConnectionOptions) => async (port: number) => {
  const session = connectHttp2(`https://localhost:${port}`, options);
  session.setTimeout(timeoutMs, () => session.destroy());
  const headers = { 'user-agent': 'Mozilla/5.0', accept: '*/*', 'accept-language': 'en' };
  const stream = session.request({ ':path': '/json', ...headers });
  // Its errors are those of the session, or no reason to end the service.
  stream.on('error', () => session.destroy());
  stream.resume().once('end', () => session.close());
  await once(session, 'close');
};
