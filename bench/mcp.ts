/** Tool calls against the same work behind a bare route of a web framework: what the protocol costs. */
import { callerAddress, type ServerProcess, startServer } from './process.ts';
import { median, say, spread, table, target } from './report.ts';
import { compare, requests } from './rounds.ts';

const rounds = 9;
const warmMs = 2000;
const roundMs = 700;

const headers = {
  Host: `${callerAddress}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'User-Agent': 'node',
};
const params = { name: 'parse_ua', arguments: { user_agent: 'curl/8.16.0' } };
const message = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

const meta = (name: string) => `io.modelcontextprotocol/${name}`;
const version = '2026-07-28';
const calls = [
  {
    name: '2025-06-18',
    headers: { ...headers, 'MCP-Protocol-Version': '2025-06-18' },
    body: message(params),
    atMost: 7,
  },
  {
    name: version,
    headers: { ...headers, 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'parse_ua' },
    body: message({
      ...params,
      _meta: {
        [meta('protocolVersion')]: version,
        [meta('clientInfo')]: { name: 'bench', version: '1' },
        [meta('clientCapabilities')]: {},
      },
    }),
    // What the library's own handler for this era costs is not ours to save.
    atMost: null,
  },
] as const;

export async function toolCalls(service: ServerProcess): Promise<void> {
  say(
    '\nTool calls (parse_ua over POST /mcp); bare: a Hono route that reads JSON, parses the User-Agent and answers JSON',
  );
  const rows = [['revision', 'calls /s', 'bare /s', 'call CPU', 'bare CPU', 'ratio', '(middle half)']];
  for (const { name, headers, body, atMost } of calls) {
    const bare = await startServer({ role: 'hono' });
    const call = { path: '/mcp', headers, body };
    const compared = await compare(
      [await requests(service, call), await requests(bare, call)],
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
    if (atMost !== null) target(`CPU of a tool call in revision ${name}, ratio to a bare route`, ratio, { atMost }, 1);
  }
  table(rows);
}
