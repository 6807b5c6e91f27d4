/** The rows that compare the service with a bare server that sends the same bytes. */
import type { RowName } from './budgets.ts';
import { type LoadOptions, requestText, responseTo } from './load.ts';
import { clientAddress, type ServerProcess, startServer } from './process.ts';
import { chrome, fullVersions, toolCalls, toolHeaders } from './requests.ts';
import type { Timing } from './rounds.ts';

export interface Row {
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

function get(path: string, options: GetOptions = {}): Row {
  const { isTls = false, isKeptAlive = true, headers = [chrome] } = options;
  return {
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
    comparedWith: 'a bare Hono route that reads JSON, parses the same User-Agent and returns JSON',
    load: { isTls: false, isKeptAlive: true, requests: [request] },
    timing: { rounds: 11, warmMs: 2000, roundMs: 600 },
    startBare: () => startServer({ role: 'hono' }),
  };
}

export const rows = {
  ip: get('/ip'),
  json: get('/json'),
  'json-new-connection': get('/json', { isKeptAlive: false }),
  'json-full-versions': get('/json', { headers: fullVersions }),
  fingerprint: get('/fingerprint'),
  'json-tls': get('/json', { isTls: true }),
  'visit-ip': get('/ip', { isTls: true, isKeptAlive: false }),
  'visit-json': get('/json', { isTls: true, isKeptAlive: false }),
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
