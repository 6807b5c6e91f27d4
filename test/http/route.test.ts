/** The MCP endpoint, which loads its server with the first message. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithoutFiles } from '../no-files.ts';

test('an MCP server that could not be loaded, because no file descriptor was left, is loaded by a later message', {
  skip: process.platform === 'win32',
}, () => {
  const served = new URL('../mcp/served.ts', import.meta.url);
  const { status, printed } = runWithoutFiles(`
    import { poster } from ${JSON.stringify(served)};
    const post = poster();
    const ping = async () => {
      const { status } = await post({ body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
      console.log(status);
    };
    await withoutFiles(ping);
    await ping();`);
  assert.deepEqual([printed, status], ['500\n200\n', 0]);
});
