/** The cost of MCP: tool calls compared with the same work in a bare route of a web framework. */
import { clientAddress, type ServerProcess, startServer } from './process.ts';
import { addTarget, median, printLine, printTable, spread } from './report.ts';
import { compare, requestSide } from './rounds.ts';

const rounds = 9;
const warmMs = 2000;
const roundMs = 700;

const headers = {
  Host: `${clientAddress}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'User-Agent': 'node',
};
const params = { name: 'parse_ua', arguments: { user_agent: 'curl/8.16.0' } };
const messageOf = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;
const version = '2026-07-28';
const requestsByVersion = [
  {
    name: '2025-06-18',
    headers: { ...headers, 'MCP-Protocol-Version': '2025-06-18' },
    body: messageOf(params),
    atMost: 7,
  },
  {
    name: version,
    headers: { ...headers, 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'parse_ua' },
    body: messageOf({
      ...params,
      _meta: {
        [metaKey('protocolVersion')]: version,
        [metaKey('clientInfo')]: { name: 'bench', version: '1' },
        [metaKey('clientCapabilities')]: {},
      },
    }),
    // The library's handler for this version dominates the cost.
    atMost: null,
  },
] as const;

export async function compareToolCalls(service: ServerProcess): Promise<void> {
  printLine(
    '\nTool calls (parse_ua over POST /mcp); bare: a Hono route that reads JSON, parses the User-Agent and returns JSON',
  );
  const rows = [['version', 'calls /s', 'bare /s', 'call CPU', 'bare CPU', 'ratio', '(middle half)']];
  for (const { name, headers, body, atMost } of requestsByVersion) {
    const bare = await startServer({ role: 'hono' });
    const request = { path: '/mcp', headers, body };
    const compared = await compare(
      [await requestSide(service, request), await requestSide(bare, request)],
      rounds,
      warmMs,
      roundMs,
    );
    bare.stop();
    const ratio = median(compared.cpuRatios);
    rows.push([
      name,
      ...compared.perSecond.map((perSecond) => perSecond.toFixed(0)),
      ...compared.cpuUs.map((us) => `${us.toFixed(0)} µs`),
      ratio.toFixed(1),
      spread(compared.cpuRatios, 1),
    ]);
    if (atMost !== null)
      addTarget(`CPU of a tool call in version ${name}, ratio to a bare route`, ratio, { atMost }, 1);
  }
  printTable(rows);
}
