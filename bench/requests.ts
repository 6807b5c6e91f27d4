/** The requests of the benchmark: Chrome's headers, full-version User-Agents of common browsers, and tool calls. */

const host = { Host: 'seenby.example' };

const agent = (platform: string, rest: string): string => `Mozilla/5.0 (${platform}) ${rest}`;
const chromium = 'AppleWebKit/537.36 (KHTML, like Gecko)';

export const chrome = {
  ...host,
  Connection: 'keep-alive',
  'sec-ch-ua': '"Not:A-Brand";v="8", "Chromium";v="156", "Google Chrome";v="156"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
  'Upgrade-Insecure-Requests': '1',
  'User-Agent': agent('Windows NT 10.0; Win64; x64', `${chromium} Chrome/156.0.0.0 Safari/537.36`),
  Accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en-US;q=0.9,en;q=0.8',
};

/** The same over HTTP/2, in Chrome's order of pseudo-headers. */
export const chromeOverHttp2 = (path: string): Readonly<Record<string, string>> => {
  const { Host, Connection, ...fields } = chrome;
  const pseudo = { ':method': 'GET', ':authority': Host, ':scheme': 'https', ':path': path };
  const lower = Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...pseudo, ...Object.fromEntries(lower), priority: 'u=0, i' };
};

/** Chrome's headers without Client Hints, which other engines do not send. */
const otherEngine = Object.fromEntries(Object.entries(chrome).filter(([name]) => !name.startsWith('sec-ch-')));

const desktops = ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'X11; Linux x86_64'];
const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** Kinds of User-Agents by version and build; Chromium's first. */
const kinds: readonly ((major: number, build: number) => string)[] = [
  (major, build) =>
    agent(desktops[build % 3] ?? '', `${chromium} Chrome/${major}.0.${6000 + build}.${build % 200} Safari/537.36`),
  (major, build) =>
    agent(
      desktops[0] ?? '',
      `${chromium} Chrome/${major}.0.0.0 Safari/537.36 Edg/${major}.0.${2000 + build}.${build % 100}`,
    ),
  (major, build) =>
    agent(
      `Linux; Android ${10 + (build % 6)}; SM-S9${build % 90}B`,
      `${chromium} Chrome/${major}.0.${6000 + build}.${build % 200} Mobile Safari/537.36`,
    ),
  (major, build) => {
    const version = `${major}.${build % 4}.${build % 10}`;
    return agent(`Windows NT 10.0; Win64; x64; rv:${major}.0`, `Gecko/20100101 Firefox/${version}`);
  },
  (major, build) =>
    agent(
      `Macintosh; Intel Mac OS X 10_15_${build % 8}`,
      `${webkit} Version/${(major % 12) + 15}.${build % 7}.${build % 5} Safari/605.1.15`,
    ),
  (major, build) =>
    agent(
      `iPhone; CPU iPhone OS ${(major % 12) + 15}_${build % 7}_${build % 5} like Mac OS X`,
      `${webkit} Version/${(major % 12) + 15}.${build % 7} Mobile/15E${100 + build} Safari/604.1`,
    ),
];
const chromiumKinds = 3;
const differentRequests = 4096;

/** Header sets whose User-Agents all differ, in full versions, as browsers sent them before versions were reduced. */
export const fullVersions: readonly Readonly<Record<string, string>>[] = Array.from(
  { length: differentRequests },
  (_, at) => {
    const kind = at % kinds.length;
    const userAgent = kinds[kind]?.(110 + (at % 47), at) ?? '';
    return { ...(kind < chromiumKinds ? chrome : otherEngine), 'User-Agent': userAgent };
  },
);

export const toolHeaders = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'User-Agent': 'node',
};
const params = { name: 'parse_ua', arguments: { user_agent: 'curl/8.16.0' } };
const messageOf = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;

/** A call of `parse_ua` in a protocol version with a handshake, and in one without. */
export const toolCalls = {
  '2025-06-18': { headers: { 'MCP-Protocol-Version': '2025-06-18' }, body: messageOf(params) },
  '2026-07-28': {
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'parse_ua' },
    body: messageOf({
      ...params,
      _meta: {
        [metaKey('protocolVersion')]: '2026-07-28',
        [metaKey('clientInfo')]: { name: 'bench', version: '1' },
        [metaKey('clientCapabilities')]: {},
      },
    }),
  },
} as const;
