/** Calls that are in progress together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDispatch } from '../../src/mcp/dispatch.ts';
import type { Call } from '../../src/mcp/protocol.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import { contextOf } from '../request-context.ts';
import { until } from '../until.ts';

test('calls with one id get their own results and sites, in whatever order their tools end', async () => {
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
  const method = 'tools/call';
  const callOf = (number: number): Call => ({
    kind: number % 2 === 0 ? 'handshake' : 'stateless',
    method,
    request: { id: 1, method, params: { name: tool.name, arguments: { number } } },
    context: { ...context, baseUrl: `https://site-${number}.example` },
  });
  const numbers = Array.from({ length: 60 }, (_, at) => at);
  const results = numbers.map((number) => dispatch(callOf(number)));
  await until(() => waiting.size === numbers.length);
  for (const number of numbers.toReversed()) waiting.get(number)?.();
  for (const [number, result] of (await Promise.all(results)).entries()) {
    const text = JSON.stringify(result);
    assert.equal(text.includes(`"result ${number}"`), number % 3 !== 0, text);
    assert.equal(text.includes(`https://site-${number}.example/`), number % 2 === 1, text);
  }
});
