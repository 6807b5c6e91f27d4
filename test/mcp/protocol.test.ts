/** Requests that reach the MCP library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDispatch, methods } from '../../src/mcp/protocol.ts';
import { tools } from '../../src/mcp/tools.ts';
import { contextOf } from '../request-context.ts';

test('a request that the library ignores is rejected, without its data', async () => {
  const context = contextOf();
  const dispatch = createDispatch(tools, context.deployment);
  for (const kind of ['handshake', 'stateless'] as const)
    for (const method of methods[kind]) {
      // The library accepts no such id.
      const request = { id: 2 ** 53, method, params: { name: 'whoami', secret: 'x' } };
      await assert.rejects(dispatch({ kind, request, context }), {
        message: 'The MCP library did not answer a request.',
      });
    }
});
