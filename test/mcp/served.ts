/** The MCP server for tests, with its own tools or others: called in process, or served by the Node edge on a free port. */
import type { Platform } from '../../src/core/platform.ts';
import type { HttpResponse } from '../../src/core/request-context.ts';
import { createApp } from '../../src/http/app.ts';
import { mcpEndpointOf } from '../../src/http/endpoints.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import { startNode } from '../node-service.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { bodyOf } from '../request-context.ts';

export interface Post {
  /** Bytes and strings are sent as they are, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly onLoopback?: boolean;
  readonly origin?: string;
}

/** Calls the application in process. */
export type Poster = (post: Post) => Promise<HttpResponse>;

export function poster(served: readonly Tool[] = tools, changed: Partial<Platform> = {}): Poster {
  const app = createApp({ publicUrl: 'https://seenby.example', contact: null }, [mcpEndpointOf(served)]);
  const platform = platformOf(changed);
  return async ({ body, headers = {}, method = 'POST', onLoopback = false, origin = seenAll.origin }) => {
    const sentBody = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const sent = { 'content-type': 'application/json', 'user-agent': 'curl/8.5.0', ...headers };
    return app({ ...seenAll, method, path: '/mcp', headers: sent, onLoopback, origin }, platform, bodyOf(sentBody));
  };
}

/** The same as a `fetch` function for clients. */
export function fetchOf(post: Poster): typeof fetch {
  return async (_, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    const response = await post({ body: String(init?.body ?? ''), headers, method: init?.method ?? 'GET' });
    return new Response(response.status === 204 || response.body === '' ? null : response.body, response);
  };
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveTools(served: readonly Tool[]): Promise<Served> {
  const app = createApp({ publicUrl: null, contact: null }, [mcpEndpointOf(served)]);
  const service = await startNode({ host: '127.0.0.1', tlsPort: null }, {}, undefined, () => app);
  return { url: `${service.http}/mcp`, close: service.close };
}
