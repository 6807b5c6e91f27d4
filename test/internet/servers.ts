/** The servers of a simulated internet: one listener per address and port, one log of received requests. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { respondWith } from './behaviors.ts';
import type { Authority } from './certificates.ts';
import { decoyAddresses, decoyPorts } from './decoys.ts';
import { type Behavior, type Site, tlsPorts } from './site.ts';

/** A request that arrived at a server. */
export interface Arrival {
  /** Address of the client. */
  readonly from: string;
  /** The address that was dialled. */
  readonly address: string;
  readonly port: number;
  readonly protocol: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2';
  readonly method: string;
  /** `Host` or `:authority`. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  /** Name and value in turn, as sent. */
  readonly rawHeaders: readonly string[];
  /** Octets received so far. */
  readonly bodyLength: number;
}

/** A TCP connection that reached a decoy, with or without a request. */
export type DecoyHit = Pick<Arrival, 'from' | 'address' | 'port'>;

export interface Servers {
  /** Arrivals since the last call. */
  arrivals(): readonly Arrival[];
  decoyHits(): readonly DecoyHit[];
  /** Puts a behavior on a host and ends its connections; null: the host's own again. */
  change(host: string, behavior: Behavior | null): void;
}

type Endpoint = DecoyHit & { readonly site: Site };

const decoy = respondWith(200, { 'content-type': 'text/plain', 'x-decoy': 'true' }, 'A secret of the private network.');

export async function startServers(sites: readonly Site[], authority: Authority): Promise<Servers> {
  let arrivals: Arrival[] = [];
  let decoyHits: DecoyHit[] = [];
  const changed = new Map<string, Behavior>();
  const connections = new Map<Socket, Site>();
  /** Keys are those of the raw connection, because HTTP/2 and TLS wrap it. */
  const endpoints = new Map<string, Endpoint>();
  const hosts = new Map(sites.map((site) => [site.host, site]));

  /** Undefined when the connection is already gone. */
  const endpointOf = (socket: Duplex) => endpoints.get(keyOf(socket as Socket));
  const behaviorOf = (site: Site) => changed.get(site.host) ?? site.behavior ?? decoy;

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const reached = endpointOf(request.socket);
    if (reached === undefined) return;
    const { site, ...endpoint } = reached;
    const arrival = { ...endpoint, ...describe(request), bodyLength: 0 };
    arrivals.push(arrival);
    request.on('data', (piece: Buffer) => {
      arrival.bodyLength += piece.length;
    });
    response.on('error', () => {});
    const behavior = behaviorOf(site);
    // A client that disconnects is not a failure of the simulated internet.
    if ('http' in behavior) (async () => behavior.http(request, response))().catch(() => response.destroy());
  };

  const takeWire = (socket: Duplex) => {
    socket.on('error', () => {});
    const reached = endpointOf(socket);
    if (reached === undefined) return;
    const { site, ...endpoint } = reached;
    readHead(socket, (head) => {
      arrivals.push({ ...endpoint, ...head, bodyLength: 0 });
      const behavior = behaviorOf(site);
      if ('wire' in behavior) behavior.wire(socket);
    });
  };

  // A client without SNI, because its URL contains an address, gets a certificate for every address.
  const addresses = [...sites.flatMap(listensOf), ...decoyAddresses].map((address) => address.replace(/%.*/, ''));
  const tls: TlsOptions = {
    ...(await authority.sign([...new Set(addresses)])),
    SNICallback: (name, done) => {
      authority.context(name, hosts.get(name)?.certificate).then((context) => done(null, context), done);
    },
  };
  // Cloudflare's runtime fails if it reuses a connection that the server closes at the same time.
  const patient = { keepAliveTimeout: 60_000 };
  // maxSendHeaderBlockLength: the tests examine the limit of the client, not of the server.
  const h2 = { ...tls, ...patient, allowHTTP1: true, maxSendHeaderBlockLength: 1_000_000 };
  const http = createHttpServer(patient, serve);
  const https = createHttpsServer({ ...tls, ...patient }, serve);
  const http2 = createSecureServer(h2, serve as unknown as Parameters<typeof createSecureServer>[1]);
  const tlsWire = createTlsServer(tls, takeWire);
  for (const server of [https, http2, tlsWire]) server.on('tlsClientError', () => {});
  for (const server of [http, https]) server.on('clientError', (_error, socket) => socket.destroy());
  http2.on('sessionError', () => {});

  const take = (socket: Socket, endpoint: Endpoint, isDecoy: boolean) => {
    const { site, ...hit } = endpoint;
    if (isDecoy) decoyHits.push(hit);
    socket.on('error', () => {});
    connections.set(socket, site);
    const key = keyOf(socket);
    endpoints.set(key, endpoint);
    socket.once('close', () => {
      connections.delete(socket);
      endpoints.delete(key);
    });
    const behavior = behaviorOf(site);
    const secure = tlsPorts.includes(endpoint.port);
    if ('tcp' in behavior) behavior.tcp(socket);
    else if ('wire' in behavior) secure ? tlsWire.emit('connection', socket) : takeWire(socket);
    else if (secure) (site.http2 ? http2 : https).emit('connection', socket);
    else http.emit('connection', socket);
  };

  const listen = (site: Site, address: string, port: number, isDecoy: boolean) =>
    new Promise<void>((resolve, reject) => {
      const server = createServer((socket) => {
        take(socket, { from: socket.remoteAddress ?? '', address, port, site }, isDecoy);
      });
      server.once('error', (error) => reject(new Error(`${site.host}: ${error.message}`)));
      server.listen(port, address, resolve);
    });

  await Promise.all([
    ...sites.flatMap((site) =>
      listensOf(site).flatMap((address) => (site.ports ?? [80, 443]).map((port) => listen(site, address, port, false))),
    ),
    ...decoyAddresses.flatMap((address) =>
      decoyPorts.map((port) => listen({ host: address, behavior: decoy }, address, port, true)),
    ),
  ]);

  return {
    arrivals() {
      const taken = arrivals;
      arrivals = [];
      return taken;
    },
    decoyHits() {
      const taken = decoyHits;
      decoyHits = [];
      return taken;
    },
    change(host, behavior) {
      if (!hosts.has(host)) throw new Error(`${host} is not a host of the simulated internet`);
      if (behavior === null) changed.delete(host);
      else changed.set(host, behavior);
      for (const [socket, site] of connections) if (site.host === host) socket.destroy();
    },
  };
}

const listensOf = (site: Site): readonly string[] =>
  site.behavior === null ? [] : (site.listens ?? site.addresses ?? []);

/** Identifies a connection by its addresses and ports, which are the same on the socket and its TLS wrapper. */
function keyOf(socket: Socket): string {
  return `${socket.localAddress} ${socket.localPort} ${socket.remoteAddress} ${socket.remotePort}`;
}

function describe(request: IncomingMessage): Pick<Arrival, 'protocol' | 'method' | 'host' | 'path' | 'rawHeaders'> {
  const { httpVersion, method = '', url = '', rawHeaders, headers } = request;
  return {
    protocol: httpVersion === '2.0' ? 'HTTP/2' : httpVersion === '1.0' ? 'HTTP/1.0' : 'HTTP/1.1',
    method,
    host: headers.host ?? (headers[':authority'] as string | undefined) ?? '',
    path: url,
    rawHeaders,
  };
}

/** Reads up to the empty line after a request's headers. */
function readHead(socket: Duplex, done: (head: ReturnType<typeof describe>) => void): void {
  let text = '';
  const read = (piece: Buffer) => {
    text += piece.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return;
    socket.off('data', read).resume();
    const [line = '', ...fields] = text.slice(0, end).split('\r\n');
    const [method = '', path = '', version] = line.split(' ');
    const rawHeaders = fields.flatMap((field) => [field.replace(/:.*/, ''), field.replace(/^[^:]*:\s*/, '')]);
    const host = rawHeaders[rawHeaders.findIndex((name, n) => n % 2 === 0 && name.toLowerCase() === 'host') + 1] ?? '';
    done({ protocol: version === 'HTTP/1.0' ? 'HTTP/1.0' : 'HTTP/1.1', method, host, path, rawHeaders });
  };
  socket.on('data', read);
}
