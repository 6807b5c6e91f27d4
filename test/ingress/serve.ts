/** Starts the server of ingress with a trivial handler. */
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type IngressBounds, ingressBounds } from '../../src/ingress/bounds.ts';
import type { Connection, IngressOptions } from '../../src/ingress/connection.ts';
import { createIdentify } from '../../src/ingress/limits/identity.ts';
import type { Handler } from '../../src/ingress/requests.ts';
import { Ingress } from '../../src/ingress/server.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { createSocketCarrier } from '../../src/runtime/http3/socket-carrier.ts';

export interface Served {
  readonly ingress: Ingress;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Unix socket of the server of HTTP/3. */
  readonly socketPath: string;
  /** Connections in the order of their admission. */
  readonly connections: readonly Connection[];
  /** What the bounds have closed. */
  readonly closed: readonly string[];
}

export interface Changes {
  readonly bounds?: Partial<IngressBounds>;
  readonly options?: Partial<IngressOptions>;
}

const certificate = await createLocalhostCertificate();

/** Serves until the end of the test. */
export async function serve(
  context: TestContext,
  handle: Handler['handle'],
  { bounds = {}, options = {} }: Changes = {},
): Promise<Served> {
  const connections: Connection[] = [];
  const closed: string[] = [];
  const ingress = new Ingress({
    // Nothing is worth waiting for when a test is over.
    bounds: { ...ingressBounds, closeGraceMs: 20, closeTimeoutMs: 200, ...bounds },
    maxConnections: 0,
    peers: null,
    identify: createIdentify(),
    proxyProtocol: false,
    isTrusted: () => false,
    admit(connection) {
      connections.push(connection);
      return true;
    },
    onClosed: (reason) => closed.push(reason),
    onHandshake() {},
    ...options,
  });
  const handler: Handler = {
    handle,
    onError: (error) => closed.push(`${error}`),
    reject: (problem, { authority } = {}) => ({
      status: 400,
      headers: authority ? { 'X-Authority': authority } : {},
      body: problem,
    }),
    defaultAuthority: () => 'localhost',
  };
  const listen = async (server: Server): Promise<number> => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const folder = await mkdtempDisposable(join(tmpdir(), 'seenby-'));
  context.after(async () => {
    for (const { socket } of connections) socket.destroy();
    await ingress.close();
    await folder.remove();
  });
  const httpPort = await listen(ingress.createServer(handler));
  const httpsPort = await listen(ingress.createSecureServer(handler, certificate));
  const socketPath = join(folder.path, 'socket');
  await ingress.serveHttp3(createSocketCarrier(socketPath, ingressBounds), handler);
  return { ingress, httpPort, httpsPort, socketPath, connections, closed };
}
