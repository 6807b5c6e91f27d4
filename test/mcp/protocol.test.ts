/** Requests that reach the MCP library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { type Call, createDispatch } from '../../src/mcp/protocol.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import { contextOf } from '../request-context.ts';

test('a request that the library ignores is rejected, without its data', async () => {
  const context = contextOf();
  const dispatch = createDispatch(tools, context.deployment);
  for (const kind of ['handshake', 'stateless'] as const) {
    // The library accepts no such message.
    const request = { id: 1, method: 5 as never, params: { name: 'whoami', secret: 'x' } };
    await assert.rejects(dispatch({ kind, request, context }), {
      message: 'The MCP library did not answer a request.',
    });
    const ping = { id: 'a', method: kind === 'handshake' ? 'ping' : 'server/discover', params: {} };
    assert.equal(((await dispatch({ kind, request: ping, context })) as { id: unknown }).id, 'a');
  }
});

test('no server has two requests at a time, and requests with one id get their own results, in any order', async () => {
  const context = contextOf();
  const waiting = new Map<unknown, () => void>();
  const tool: Tool = {
    ...(tools[0] as Tool),
    run: async (input) => {
      const { number } = input as { number: number };
      await new Promise<void>((resolve) => waiting.set(number, resolve));
      if (number % 3 === 0) throw new Error('a failure of a tool');
      return { content: [{ type: 'text', text: `result ${number}` }] };
    },
  };
  const dispatch = createDispatch([tool], context.deployment);
  const callOf = (number: number): Call => ({
    kind: number % 2 === 0 ? 'handshake' : 'stateless',
    request: { id: 1, method: 'tools/call', params: { name: tool.name, arguments: { number } } },
    context: { ...context, baseUrl: `https://site-${number}.example` },
  });
  // More than are kept; in the second round, those that are kept serve others.
  for (const first of [0, 100]) {
    const numbers = Array.from({ length: 60 }, (_, at) => first + at);
    const responses = numbers.map((number) => dispatch(callOf(number)));
    while (waiting.size < numbers.length) await nextIteration();
    for (const number of numbers.toReversed()) waiting.get(number)?.();
    waiting.clear();
    for (const [at, response] of (await Promise.all(responses)).entries()) {
      const number = first + at;
      const text = JSON.stringify(response);
      assert.match(text, /"id":1[,}]/);
      assert.equal(text.includes(`"result ${number}"`), number % 3 !== 0, text);
      assert.equal(text.includes(`https://site-${number}.example/`), number % 2 === 1, text);
    }
  }
});
