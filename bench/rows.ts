/** The rows that compare the service with a bare server that sends the same bytes. */
import type { RowName } from './budgets.ts';
import { type LoadOptions, requestText, responseTo } from './load.ts';
import { clientAddress, type ServerProcess, startServer } from './process.ts';
import { chrome, fullVersions, toolCalls, toolHeaders } from './requests.ts';
import type { Timing } from './rounds.ts';

export interface Row {
  readonly title: string;
  readonly comparedWith: string;
  readonly load: Omit<LoadOptions, 'host' | 'port'>;
  readonly timing: Timing;
  /** Starts the server that the service is compared with. */
  startBare(service: ServerProcess): Promise<ServerProcess>;
}

const keptAlive: Timing = { rounds: 11, warmMs: 1000, roundMs: 400 };
/** A handshake takes as long as 30 requests. */
const visits: Timing = { rounds: 11, warmMs: 1000, roundMs: 700 };

interface GetOptions {
  readonly isTls?: boolean;
  readonly isKeptAlive?: boolean;
  readonly headers?: readonly Readonly<Record<string, string>>[];
}

function get(path: string, title: string, options: GetOptions = {}): Row {
  const { isTls = false, isKeptAlive = true, headers = [chrome] } = options;
  return {
    title,
    comparedWith: `a bare \`node:${isTls ? 'https' : 'http'}\` server that sends the same bytes`,
    load: { isTls, isKeptAlive, requests: headers.map((each) => requestText(path, each, { isKeptAlive })) },
    timing: isTls && !isKeptAlive ? visits : keptAlive,
    async startBare(service) {
      const request = { path, headers: headers[0] ?? chrome, isTls };
      const response = await expect200(service, request);
      const bare = await startServer({ role: 'bare', isTls, responses: { [path]: response } });
      if (JSON.stringify(await expect200(bare, request)) !== JSON.stringify(response))
        throw new Error(`${path}: the bare server's response differs`);
      return bare;
    },
  };
}

function callTool(version: keyof typeof toolCalls): Row {
  const { headers, body } = toolCalls[version];
  const request = requestText('/mcp', { Host: clientAddress, ...toolHeaders, ...headers }, { body });
  return {
    title: `Tool call (\`parse_ua\`), revision ${version}`,
    comparedWith: 'a bare Hono route that reads JSON, parses the same User-Agent and returns JSON',
    load: { isTls: false, isKeptAlive: true, requests: [request] },
    timing: { rounds: 11, warmMs: 2000, roundMs: 600 },
    startBare: () => startServer({ role: 'hono' }),
  };
}

export const rows = {
  ip: get('/ip', '`/ip`, Chrome'),
  json: get('/json', '`/json`, Chrome, with location'),
  'json-new-connection': get('/json', '`/json`, a new connection for each request', { isKeptAlive: false }),
  'json-full-versions': get('/json', '`/json`, a different full-version User-Agent in each request', {
    headers: fullVersions,
  }),
  fingerprint: get('/fingerprint', '`/fingerprint`, Chrome'),
  'json-tls': get('/json', '`/json` over TLS', { isTls: true }),
  'visit-ip': get('/ip', 'TLS visit (full handshake and request) to `/ip`', { isTls: true, isKeptAlive: false }),
  'visit-json': get('/json', 'TLS visit to `/json`', { isTls: true, isKeptAlive: false }),
  'mcp-2025-06-18': callTool('2025-06-18'),
  'mcp-2026-07-28': callTool('2026-07-28'),
} as const satisfies Partial<Record<RowName, Row>>;

async function expect200(
  { ports }: ServerProcess,
  { isTls, ...request }: { readonly path: string; readonly headers: Readonly<Record<string, string>>; isTls: boolean },
) {
  const port = ports[isTls ? 'https' : 'http'];
  const { status, ...response } = await responseTo({ ...request, isTls, host: clientAddress, port });
  if (status !== 200) throw new Error(`${request.path}: status ${status}`);
  return response;
}
