/** A server under load, in a process of its own: the service, or the bare one it is measured against. */
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { readSettings } from '../src/core/settings.ts';
import { bounds } from '../src/edges/node/bounds.ts';
import { localhostCertificate } from '../src/edges/node/certificate.ts';

/** Header names and values in turn, as Node takes and gives them, and the body. */
export interface CannedAnswer {
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Whether the body is printed anew from its object for each answer, as JSON. */
  readonly printed: boolean;
}

/**
 * Tells a process what to be. `bare` answers each path with bytes given, `hono` does the
 * work of one tool behind a route, `secure` does no more than TLS and an empty answer.
 */
export type Role =
  | { readonly role: 'service' | 'secure' | 'hono' }
  | { readonly role: 'bare'; readonly answers: Readonly<Record<string, CannedAnswer>> };

export interface Ports {
  readonly http: number;
  readonly https: number;
}

export interface Usage {
  readonly cpuUs: number;
  readonly rssBytes: number;
}

async function start(role: Role): Promise<Ports> {
  if (role.role === 'bare') return { http: await listen(bareServer(role.answers)), https: 0 };
  if (role.role === 'secure') return { http: 0, https: await listen(await secureServer()) };
  if (role.role === 'hono') return { http: await listen(await honoServer()), https: 0 };
  // Loaded here, so that the bare servers' processes hold nothing of it.
  const { serve } = await import('../src/edges/node/serve.ts');
  const ports = { port: '0', 'tls-port': '0', 'data-dir': 'bench/no-data' };
  const settings = readSettings({ ...ports, 'rate-limit-general': '0', 'max-connections-per-address': '0' }, {});
  if ('problem' in settings) throw new Error(settings.problem);
  const { http, https } = await serve(settings, bounds, console.error);
  return { http: Number(new URL(http ?? '').port), https: Number(new URL(https ?? '').port) };
}

function bareServer(answers: Readonly<Record<string, CannedAnswer>>): Server {
  const objects = new Map(
    Object.entries(answers).map(([path, { body, printed }]) => [path, printed ? JSON.parse(body) : null]),
  );
  const server = createServer((incoming, outgoing) => {
    const answer = answers[incoming.url ?? ''];
    outgoing.writeHead(answer === undefined ? 404 : 200, answer?.rawHeaders.slice());
    const object = objects.get(incoming.url ?? '');
    outgoing.end(object ? `${JSON.stringify(object, null, 2)}\n` : answer?.body);
  });
  // Stands in the Keep-Alive header, which has to be the same.
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
  const certificate = await localhostCertificate();
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
