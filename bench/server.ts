/** A server under load, in a process of its own: the service, or the bare server it is compared with. */
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { readSettings } from '../src/core/settings.ts';
import { bounds } from '../src/edges/node/limits/bounds.ts';
import { createLocalhostCertificate } from '../src/runtime/certificate.ts';
import { noLimits } from './no-limits.ts';

/** Header names and values alternating, as in Node's raw headers, and the bytes of the body in Latin-1. */
export interface CannedResponse {
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type BareProtocol = 'http' | 'https' | 'h2';

/** Selects the server of a process. `bare` sends a prepared response for each path, `hono` does the work of one tool behind a route. */
export type Role =
  | { readonly role: 'service'; readonly hasHttp3?: boolean /** MiB; 0: no limit. */; readonly maxMemory?: number }
  | { readonly role: 'hono' }
  | {
      readonly role: 'bare';
      readonly protocol: BareProtocol;
      readonly responses: Readonly<Record<string, CannedResponse>>;
    };

export interface Ports {
  readonly http: number;
  readonly https: number;
  /** UDP; undefined without HTTP/3. */
  readonly http3?: number;
}

async function start(role: Role): Promise<Ports> {
  if (role.role === 'bare') {
    const port = await listen(await bareServer(role));
    return role.protocol === 'http' ? { http: port, https: 0 } : { http: 0, https: port };
  }
  if (role.role === 'hono') return { http: await listen(await honoServer()), https: 0 };
  // Loaded here, so that the processes of the bare servers do not contain it.
  const { serve } = await import('../src/runtime/serve.ts');
  const options = { port: '0', 'tls-port': '0', 'data-dir': 'test-output/bench-data' };
  const http3 = role.hasHttp3 ? { HTTP3_PORT: '0' } : {};
  const settings = readSettings(options, { ...noLimits, ...http3, MAX_MEMORY: `${role.maxMemory ?? 0}` });
  if ('problem' in settings) throw new Error(settings.problem);
  const urls = await serve(settings, bounds, { log: console.error });
  const portOf = (url: string | null): number => Number(new URL(url ?? '').port);
  const ports = { http: portOf(urls.http), https: portOf(urls.https) };
  return urls.http3 === null ? ports : { ...ports, http3: portOf(urls.http3) };
}

type BareRole = Extract<Role, { readonly role: 'bare' }>;

async function bareServer({ protocol, responses }: BareRole): Promise<Server> {
  if (protocol === 'h2') return bareHttp2Server(responses);
  const respond: RequestListener = (incoming, outgoing) => {
    const response = responses[incoming.url ?? ''];
    outgoing.writeHead(response === undefined ? 404 : 200, response?.rawHeaders.slice());
    outgoing.end(response?.body, 'latin1');
  };
  const server =
    protocol === 'https' ? createTlsServer(await createLocalhostCertificate(), respond) : createServer(respond);
  // Part of the Keep-Alive header, which must be equal.
  server.keepAliveTimeout = bounds.idleTimeoutMs;
  return server;
}

async function bareHttp2Server(responses: BareRole['responses']): Promise<Server> {
  const server = createSecureServer(await createLocalhostCertificate());
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const response = responses[headers[':path'] ?? ''];
    stream.respond([':status', response === undefined ? '404' : '200', ...(response?.rawHeaders ?? [])]);
    stream.end(response?.body, 'latin1');
  });
  return server;
}

async function honoServer(): Promise<Server> {
  const { Hono } = await import('hono');
  const { getRequestListener } = await import('@hono/node-server');
  const { parseUserAgent } = await import('../src/client/user-agent.ts');
  const app = new Hono();
  app.post('/mcp', async (context) => {
    const { params } = await context.req.json();
    return context.json(parseUserAgent(params.arguments.user_agent));
  });
  return createServer(getRequestListener(app.fetch));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen({ port: 0, backlog: bounds.backlog }, resolve));
  return (server.address() as AddressInfo).port;
}

process.on('message', async (role: Role) => {
  process.send?.(await start(role));
});
process.on('disconnect', () => process.exit());
