/** The rows that compare the service with a bare server that sends the same bytes. */
import type { RowName } from './budgets.ts';
import { createHttp1Load, requestText, responseTo } from './http1-load.ts';
import { framesOf } from './http2-frames.ts';
import { createHttp2Load, responseOverHttp2 } from './http2-load.ts';
import { http3Rows } from './http3-rows.ts';
import { createLoneLoad, type LoneProtocol } from './lone-load.ts';
import { clientAddress, type ServerProcess, startServer } from './process.ts';
import { chrome, chromeOverHttp2, fullVersions, toolCalls, toolHeaders } from './requests.ts';
import type { Timing } from './rounds.ts';
import type { Row } from './row.ts';
import type { BareProtocol, CannedResponse } from './server.ts';

const keptAlive: Timing = { rounds: 11, warmMs: 1000, roundMs: 400 };
/** A handshake takes as long as 30 requests. */
const visits: Timing = { rounds: 11, warmMs: 1000, roundMs: 700 };

interface GetOptions {
  readonly isTls?: boolean;
  readonly isKeptAlive?: boolean;
  readonly headers?: readonly Readonly<Record<string, string>>[];
  readonly connections?: number;
}

function get(path: string, options: GetOptions = {}): Row {
  const { isTls = false, isKeptAlive = true, headers = [chrome], ...load } = options;
  const protocol = isTls ? 'https' : 'http';
  const requests = headers.map((each) => requestText(path, each, { isKeptAlive }));
  return {
    comparedWith: `a bare \`node:${protocol}\` server that sends the same bytes`,
    startLoad: ({ ports }) =>
      createHttp1Load({ host: clientAddress, port: ports[protocol] }, { isTls, isKeptAlive, requests, ...load }),
    timing: isTls && !isKeptAlive ? visits : keptAlive,
    startBare: (service) =>
      startBareServer(service, path, protocol, ({ ports }) =>
        responseTo({ path, headers: headers[0] ?? chrome, isTls, host: clientAddress, port: ports[protocol] }),
      ),
  };
}

/** Like `get` over HTTP/2; without `isKeptAlive`, a visit: a connection for each request. */
async function getOverHttp2(path: string, connections: number, streams: number, isKeptAlive = true): Promise<Row> {
  const headers = chromeOverHttp2(path);
  const frames = await framesOf(headers);
  const target = ({ ports }: ServerProcess) => ({ host: clientAddress, port: ports.https });
  return {
    comparedWith: 'a bare server on the stream API of `node:http2` that sends the same bytes',
    startLoad: (server) => createHttp2Load(target(server), { frames, connections, streams, isKeptAlive }),
    timing: isKeptAlive ? keptAlive : visits,
    startBare: (service) =>
      startBareServer(service, path, 'h2', (server) => responseOverHttp2(target(server), headers)),
  };
}

/** Starts a bare server that sends the service's response; `request` requests it. */
async function startBareServer(
  service: ServerProcess,
  path: string,
  protocol: BareProtocol,
  request: (server: ServerProcess) => Promise<CannedResponse & { readonly status: number }>,
): Promise<ServerProcess> {
  const { status, ...response } = await request(service);
  if (status !== 200) throw new Error(`${path}: status ${status}`);
  const bare = await startServer({ role: 'bare', protocol, responses: { [path]: response } });
  if (JSON.stringify(await request(bare)) !== JSON.stringify({ status, ...response }))
    throw new Error(`${path}: the bare server's response differs`);
  return bare;
}

/** Visits one after another, with pauses, each by a program of its own. */
async function visitAlone(path: string, protocol: LoneProtocol): Promise<Row> {
  const port = ({ ports }: ServerProcess) => (protocol === 'http' ? ports.http : ports.https);
  const row = protocol === 'h2' ? await getOverHttp2(path, 1, 1) : get(path, { isTls: protocol === 'https' });
  return {
    ...row,
    startLoad: (server) => createLoneLoad({ host: clientAddress, port: port(server) }, { path, protocol }),
    timing: { rounds: 11, warmMs: 1000, roundMs: 500 },
  };
}

/** A page as Brotli, over fewer connections than responses are compressed at the same time: further ones are sent as they are. */
const getPage = (path: string): Row => ({
  ...get(path, { headers: [{ ...chrome, 'Accept-Encoding': 'br' }], connections: 2 }),
  timing: { rounds: 11, warmMs: 4000, roundMs: 600 },
  isTime: true,
});

function callTool(version: keyof typeof toolCalls): Row {
  const { headers, body } = toolCalls[version];
  const request = requestText('/mcp', { Host: clientAddress, ...toolHeaders, ...headers }, { body });
  return {
    comparedWith: 'a bare Hono route that reads JSON, parses the same User-Agent and returns JSON',
    startLoad: ({ ports }) =>
      createHttp1Load(
        { host: clientAddress, port: ports.http },
        { isTls: false, isKeptAlive: true, requests: [request] },
      ),
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
  'json-http2': await getOverHttp2('/json', 4, 20),
  'json-http2-one-stream': await getOverHttp2('/json', 1, 1),
  'visit-ip': get('/ip', { isTls: true, isKeptAlive: false }),
  'visit-json': get('/json', { isTls: true, isKeptAlive: false }),
  'visit-json-http2': await getOverHttp2('/json', 8, 1, false),
  'visit-alone': await visitAlone('/ip', 'http'),
  'visit-alone-tls': await visitAlone('/ip', 'https'),
  'visit-alone-http2': await visitAlone('/json', 'h2'),
  ...http3Rows,
  page: getPage('/'),
  docs: getPage('/docs'),
  'mcp-2025-06-18': callTool('2025-06-18'),
  'mcp-2026-07-28': callTool('2026-07-28'),
} as const satisfies Partial<Record<RowName, Row>>;
