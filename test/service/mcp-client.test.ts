/** Both generations of the official MCP client against the server, in each mode of version negotiation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { instructionsOf, serverInfoOf, statelessVersions } from '../../src/mcp/server-info.ts';
import { tools as list } from '../../src/mcp/tools.ts';
import { fetchOf, poster } from '../mcp/served.ts';
import { site } from '../request-context.ts';

const url = new URL('https://seenby.example/mcp');
const info = { name: 'test', version: '1' };
const modes = [
  ['legacy', '2025-11-25'],
  ['auto', statelessVersions[0]],
  [{ pin: statelessVersions[0] }, statelessVersions[0]],
] as const;

for (const [mode, version] of modes) {
  test(`the client of the second generation connects, lists the tools and calls them: ${JSON.stringify(mode)}`, async () => {
    const client = new Client(info, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchOf(poster()) }));
    try {
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      await useClient(client);
    } finally {
      await client.close();
    }
  });
}

test('the client of the first generation connects, lists the tools and calls them', async () => {
  const client = new FirstClient(info);
  const transport = new FirstTransport(url, { fetch: fetchOf(poster()) });
  await client.connect(transport as Parameters<FirstClient['connect']>[0]);
  try {
    assert.equal(transport.protocolVersion, '2025-11-25');
    await useClient(client);
  } finally {
    await client.close();
  }
});

/** Uses what both generations have. They validate every result against the output schemas in the list. */
async function useClient(client: Client | FirstClient): Promise<void> {
  assert.deepEqual(client.getServerVersion(), serverInfoOf(site));
  assert.equal(client.getInstructions(), instructionsOf(list, {}));
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    list.map(({ name }) => name),
  );
  for (const { name } of tools.filter(({ inputSchema }) => inputSchema.required === undefined)) {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: {} });
    assert.notEqual(isError, true);
    assert.ok(structuredContent);
    assert.equal((content as { type: string }[])[0]?.type, 'text');
  }
  const rejected = await client.callTool({ name: 'dns_lookup', arguments: { name: '192.0.2.1' } });
  assert.equal(rejected.isError, true);
  await assert.rejects(client.callTool({ name: 'nope' }), /tools\/list/);
}
