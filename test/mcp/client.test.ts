/** The protocol's official client against the tool server, as it begins in each era. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { instructions, selfContainedVersions, serverInfo } from '../../src/mcp/server-info.ts';
import { fetchOf, poster, servedTools } from './served.ts';

const modes = [
  ['legacy', '2025-11-25'],
  ['auto', selfContainedVersions[0]],
  [{ pin: selfContainedVersions[0] }, selfContainedVersions[0]],
] as const;

for (const [mode, revision] of modes) {
  describe(`the official client, ${JSON.stringify(mode)}`, () => {
    test('connects, lists and calls', async () => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const url = new URL('https://seenby.example/mcp');
      await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchOf(poster()) }));
      try {
        assert.equal(client.getNegotiatedProtocolVersion(), revision);
        assert.deepEqual(client.getServerVersion(), serverInfo);
        assert.equal(client.getInstructions(), instructions);
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }) => name),
          servedTools.map(({ definition }) => definition.name),
        );
        // Having seen the output schemas, the client holds every answer to them.
        for (const name of ['whoami', 'check_headers', 'parse_ua']) {
          const { isError, content, structuredContent } = await client.callTool({ name, arguments: {} });
          assert.notEqual(isError, true);
          assert.ok(structuredContent);
          assert.equal(content[0]?.type, 'text');
        }
        const refused = await client.callTool({ name: 'dns_lookup', arguments: { name: '192.0.2.1' } });
        assert.equal(refused.isError, true);
        await assert.rejects(client.callTool({ name: 'nope' }), /tools\/list/);
      } finally {
        await client.close();
      }
    });
  });
}
