/** The tool server for tests: its own tools or others, called in process or served by the Node edge on a free port. */
import type { AddressInfo } from 'node:net';
import type { Platform } from '../../src/core/platform.ts';
import { bounds } from '../../src/edges/node/bounds.ts';
import { handleRequests } from '../../src/edges/node/requests.ts';
import { createHttpServer } from '../../src/edges/node/servers.ts';
import { type Answer, createApp, errorAnswer } from '../../src/http/app.ts';
import { baseOf, type Exchange } from '../../src/http/endpoint.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { servedTool } from '../../src/mcp/served-tool.ts';
import { createMcpServer, type ServedTool } from '../../src/mcp/server.ts';
import { tools } from '../../src/mcp/tools.ts';
import { seenAll, seenNothing } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { bodyOf } from '../request-body.ts';

export const servedTools = tools.map(servedTool);

export interface Post {
  /** An object is sent as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly onLoopback?: boolean;
  readonly origin?: string;
}

/** Calls the application in process. */
export type Poster = (post: Post) => Promise<Answer>;

export function poster(served: readonly ServedTool[] = servedTools, changed: Partial<Platform> = {}): Poster {
  const app = createApp({ publicUrl: 'https://seenby.example', contact: null }, [rowServing(served)]);
  const platform = platformOf(changed);
  return async ({ body, headers = {}, method = 'POST', onLoopback = false, origin = seenAll.origin }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = { 'content-type': 'application/json', 'user-agent': 'curl/8.5.0', ...headers };
    return app({ ...seenAll, method, path: '/mcp', headers: sent, onLoopback, origin }, platform, bodyOf(text));
  };
}

/** The client's side of the same, as `fetch`. */
export function fetchOf(post: Poster): typeof fetch {
  return async (_, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    const answer = await post({ body: String(init?.body ?? ''), headers, method: init?.method ?? 'GET' });
    return new Response(answer.status === 204 || answer.body === '' ? null : answer.body, answer);
  };
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveTools(served: readonly ServedTool[]): Promise<Served> {
  const admission = { maxConnections: 0, maxConnectionsPerAddress: 0, trustProxy: [], proxyProtocol: false };
  const server = createHttpServer(bounds, admission, () => errorAnswer('malformed_request', ''));
  const { location, autonomousSystem } = seenNothing;
  const geoip = { locate: () => location, autonomousSystem: () => autonomousSystem, reload: async () => {} };
  const destination = {
    app: createApp({ publicUrl: null, contact: null }, [rowServing(served)]),
    platform: platformOf(),
    geoip,
    bounds,
    throughProxy: () => null,
  };
  handleRequests(server, destination, () => 'http://localhost');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function rowServing(served: readonly ServedTool[]): Exchange {
  const row = endpoints.find((each): each is Exchange => 'answer' in each);
  if (row === undefined) throw new Error('no endpoint takes messages');
  const server = createMcpServer(served);
  return { ...row, answer: (call) => server({ ...call, base: baseOf(call) }) };
}
