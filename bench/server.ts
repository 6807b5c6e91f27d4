/** A server under load, in a process of its own: the service, or the bare server it is compared with. */
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { readSettings } from '../src/core/settings.ts';
import { createLocalhostCertificate } from '../src/edges/node/connection/certificate.ts';
import { bounds } from '../src/edges/node/limits/bounds.ts';
import { noLimits } from './no-limits.ts';

/** Header names and values alternating, as in Node's raw headers, and the body. */
export interface CannedResponse {
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Whether each response serializes the body again, as JSON. */
  readonly serialized: boolean;
}

/**
 * Selects the server of a process. `bare` sends a prepared response for each path, `hono` does the work of one tool behind a
 * route, `secure` sends an empty response over TLS.
 */
export type Role =
  | { readonly role: 'service' | 'secure' | 'hono' }
  | { readonly role: 'bare'; readonly responses: Readonly<Record<string, CannedResponse>> };

export interface Ports {
  readonly http: number;
  readonly https: number;
}

export interface Usage {
  readonly cpuUs: number;
  readonly rssBytes: number;
}

async function start(role: Role): Promise<Ports> {
  if (role.role === 'bare') return { http: await listen(bareServer(role.responses)), https: 0 };
  if (role.role === 'secure') return { http: 0, https: await listen(await secureServer()) };
  if (role.role === 'hono') return { http: await listen(await honoServer()), https: 0 };
  // Loaded here, so that the processes of the bare servers do not contain it.
  const { serve } = await import('../src/edges/node/serve.ts');
  const ports = { port: '0', 'tls-port': '0', 'data-dir': 'test-output/bench-data' };
  const settings = readSettings(ports, noLimits);
  if ('problem' in settings) throw new Error(settings.problem);
  const { http, https } = await serve(settings, bounds, console.error);
  return { http: Number(new URL(http ?? '').port), https: Number(new URL(https ?? '').port) };
}

function bareServer(responses: Readonly<Record<string, CannedResponse>>): Server {
  const objects = new Map(
    Object.entries(responses).map(([path, { body, serialized }]) => [path, serialized ? JSON.parse(body) : null]),
  );
  const server = createServer((incoming, outgoing) => {
    const response = responses[incoming.url ?? ''];
    outgoing.writeHead(response === undefined ? 404 : 200, response?.rawHeaders.slice());
    const object = objects.get(incoming.url ?? '');
    outgoing.end(object ? `${JSON.stringify(object, null, 2)}\n` : response?.body);
  });
  // Part of the Keep-Alive header, which must be equal.
  server.keepAliveTimeout = bounds.idleTimeoutMs;
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

async function secureServer(): Promise<Server> {
  const certificate = await createLocalhostCertificate();
  return createSecureServer({ ...certificate, allowHTTP1: true }, (_, outgoing) => void outgoing.end());
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen({ port: 0, backlog: bounds.backlog }, resolve));
  return (server.address() as AddressInfo).port;
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
}

process.on('message', async (message: Role | 'usage') => {
  process.send?.(message === 'usage' ? usage() : await start(message));
});
process.on('disconnect', () => process.exit());
