/** The server responds to messages as the library's own transports do, except for the sentences in errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMcpHandler, type McpServer, Server, type Transport } from '@modelcontextprotocol/server';
import { instructionsOf, serverInfoOf, statelessVersions } from '../../src/mcp/server-info.ts';
import { definitionOf } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import { poster } from '../mcp/served.ts';
import { contextOf, site } from '../request-context.ts';

type Message = Readonly<Record<string, unknown>>;
type HeaderRecord = Readonly<Record<string, string>>;

/** The library's server with our tools. */
function createReference(): Server {
  const server = new Server(serverInfoOf(site), {
    capabilities: { tools: { listChanged: false } },
    instructions: instructionsOf(tools, {}),
    supportedProtocolVersions: ['2025-06-18', '2025-11-25', '2025-03-26', '2024-11-05'],
  });
  // biome-ignore lint/suspicious/noExplicitAny: the library's types are stricter than what it sends
  server.setRequestHandler('tools/list', () => ({ tools: tools.map((tool) => definitionOf(tool, {})) }) as any);
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name) ?? assert.fail();
    // biome-ignore lint/suspicious/noExplicitAny: the same
    return (await tool.run(params.arguments ?? {}, contextOf())) as any;
  });
  return server;
}

async function askReference(message: Message): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const transport: Transport = { start: async () => {}, send: async (sent) => resolve(sent), close: async () => {} };
  await createReference().connect(transport);
  transport.onmessage?.(message as never);
  return promise;
}

const handler = createMcpHandler(() => createReference() as unknown as McpServer, { legacy: 'reject', keepAliveMs: 0 });

async function askStatelessReference(message: Message, headers: HeaderRecord): Promise<unknown> {
  const request = new Request(`${site.baseUrl}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
  });
  const response = await handler.fetch(request);
  return [response.status, readEvents(await response.text())];
}

const readEvents = (text: string): unknown[] =>
  text.startsWith('event:')
    ? (text.match(/(?<=^data: ).*$/gm)?.map((each) => JSON.parse(each)) ?? [])
    : [JSON.parse(text)];

/** Sentences and data of errors are our own. */
const withoutSentences = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) => {
    if (name !== 'error') return member;
    const { code, data } = member;
    // The library reports some invalid params as its own failure (-32603).
    return { code: code === -32603 ? -32602 : code, ...(data?.supported !== undefined && { data }) };
  });

const request = (method: string, params?: Message): Message => ({
  jsonrpc: '2.0',
  id: 'a-1',
  method,
  ...(params !== undefined && { params }),
});
const clientInfo = { name: 'test', version: '1' };
const initialize = (changed: Message) =>
  request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo, ...changed });
const call = (changed: Message) =>
  request('tools/call', { name: 'parse_ua', arguments: { user_agent: 'curl/8.16.0' }, ...changed });

const handshakeMessages: readonly Message[] = [
  ...['2025-06-18', '2025-11-25', '2025-03-26', '2024-11-05', '2099-01-01'].map((protocolVersion) =>
    initialize({ protocolVersion }),
  ),
  initialize({ protocolVersion: 5 }),
  initialize({ clientInfo: undefined }),
  initialize({ clientInfo: { name: 'test' } }),
  initialize({ capabilities: undefined }),
  request('initialize'),
  ...['ping', 'tools/list', 'prompts/list', 'resources/list', 'logging/setLevel', 'server/discover', 'nope'].map(
    (name) => request(name, {}),
  ),
  request('tools/list', { cursor: 5 }),
  call({}),
  call({ arguments: undefined }),
  call({ arguments: 5 }),
  call({ arguments: [] }),
  call({ name: 5 }),
  call({ name: undefined }),
  call({ _meta: { progressToken: 1 } }),
];

for (const message of handshakeMessages)
  test(`in a handshake version: ${JSON.stringify(message)}`, async () => {
    const { body } = await poster()({ body: message });
    assert.deepEqual(withoutSentences(JSON.parse(`${body}`)), withoutSentences(await askReference(message)));
  });

const key = (name: string) => `io.modelcontextprotocol/${name}`;
const [version] = statelessVersions;
const meta = { [key('protocolVersion')]: version, [key('clientInfo')]: clientInfo, [key('clientCapabilities')]: {} };
const stateless = (method: string, params: Message = {}): Message => request(method, { _meta: meta, ...params });
const statelessCall = (changed: Message = {}): Message =>
  stateless('tools/call', { name: 'parse_ua', arguments: { user_agent: 'curl/8.16.0' }, ...changed });
const withMeta = (changed: Message): Message => statelessCall({ _meta: { ...meta, ...changed } });

const statelessMessages: readonly (readonly [Message, HeaderRecord?])[] = [
  ...['server/discover', 'tools/list', 'ping', 'initialize', 'prompts/list', 'logging/setLevel', 'nope'].map(
    (name) => [stateless(name)] as const,
  ),
  [stateless('subscriptions/listen', { notifications: { toolsListChanged: true } })],
  [stateless('subscriptions/listen')],
  [stateless('tools/list', { cursor: 5 })],
  [statelessCall()],
  [statelessCall({ arguments: 5 })],
  [statelessCall({ name: 5 })],
  [statelessCall(), { 'mcp-name': 'whoami' }],
  [statelessCall(), { 'mcp-name': `=?base64?${Buffer.from('parse_ua').toString('base64')}?=` }],
  [statelessCall(), { 'mcp-name': '=?base64?*?=' }],
  [statelessCall(), { 'mcp-method': 'tools/list' }],
  [statelessCall(), { 'mcp-protocol-version': '2025-06-18' }],
  ...['protocolVersion', 'clientInfo', 'clientCapabilities'].flatMap((name) => [
    [withMeta({ [key(name)]: 5 })] as const,
    [withMeta({ [key(name)]: undefined })] as const,
  ]),
  [withMeta({ [key('clientInfo')]: { name: 5 } })],
  ...['2025-06-18', '2099-01-01'].map(
    (named) => [withMeta({ [key('protocolVersion')]: named }), { 'mcp-protocol-version': named }] as const,
  ),
];

for (const [message, changed = {}] of statelessMessages)
  test(`in version ${version}: ${JSON.stringify(message)} ${JSON.stringify(changed)}`, async () => {
    const { name } = message.params as Message;
    const headers = {
      'mcp-protocol-version': version,
      'mcp-method': String(message.method),
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...changed,
    };
    const { status, body } = await poster()({ body: message, headers });
    const expected = await askStatelessReference(message, headers);
    assert.deepEqual(withoutSentences([status, readEvents(`${body}`)]), withoutSentences(expected));
  });
