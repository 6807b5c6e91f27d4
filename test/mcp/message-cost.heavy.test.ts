/** A message of the largest size takes little time, whatever its members are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { maxValues } from '../../src/mcp/message.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { cpuClock } from '../cpu-time.ts';
import { decisionOf } from '../platform.ts';
import { poster } from './served.ts';

/** Objects count twice: as a value, and as what may contain others. */
const most = maxValues / 2 - 10;
const many = (value: unknown, count = most) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, value]));
const client = { name: 'test', version: '1' };
const initialize = (capabilities: object, clientInfo: object = client) => ({
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities, clientInfo },
});

const messages = {
  'initialize with 1,000 capabilities': initialize(many({})),
  'initialize with 1,000 numbers as capabilities': initialize(many(1)),
  'initialize with 1,000 experimental capabilities': initialize({ experimental: many({}) }),
  'initialize with 1,000 members of clientInfo': initialize({}, { ...client, ...many({}) }),
  'ping with 1,000 members of metadata': { method: 'ping', params: { _meta: many({}) } },
  'tools/list with 1,000 items': { method: 'tools/list', params: { _meta: { a: Array(most).fill({}) } } },
};
const rounds = 12;

/** The CPU time of some work, in that of another, of the least disturbed rounds: a slow machine takes longer for both. */
async function ratioOf(run: () => Promise<unknown>, yardstick: () => unknown): Promise<number> {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = -3; round < rounds; round += 1)
    for (const [at, work] of [run, yardstick].entries()) {
      const elapsed = cpuClock();
      for (let each = 0; each < 20; each += 1) await work();
      if (round >= 0) least[at] = Math.min(least[at] ?? 0, elapsed());
    }
  return (least[0] ?? 0) / (least[1] ?? 0);
}

for (const [name, message] of Object.entries(messages))
  test(`${name} takes little more time than a ping, and reading its JSON`, async () => {
    const post = poster();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    // 1 to 1.5.
    const ratio = await ratioOf(
      async () => assert.match(String((await post({ body })).body), /"result":/),
      async () => [JSON.parse(body), await post({ body: ping })],
    );
    assert.ok(ratio < 2.8, `${ratio}`);
  });

const manyArguments = { method: 'tools/call', params: { name: 'check_headers', arguments: many(1, 5_200) } };

for (const [name, message] of Object.entries({
  'initialize with 5,200 capabilities': initialize(many({}, 5_200)),
  'a call with 5,200 arguments': manyArguments,
  'tools/list with 13,000 items': { method: 'tools/list', params: { _meta: { a: Array(13_000).fill({}) } } },
}))
  test(`${name} is rejected in less time than reading its JSON would take`, async () => {
    const post = poster();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
    const { status, body: rejection } = await post({ body });
    assert.equal(status, 400);
    assert.deepEqual(JSON.parse(String(rejection)).error, {
      code: -32600,
      message: 'The body has more than 2048 values; send fewer.',
    });
    // 0.1 to 0.4.
    const ratio = await ratioOf(
      () => post({ body }),
      () => JSON.parse(body),
    );
    assert.ok(ratio < 0.8, `${ratio}`);
  });

test('of thousands of unknown arguments, the schema of a tool gets none', async () => {
  const received: string[] = [];
  const tool = defineTool({
    name: 'a',
    title: 'A',
    description: 'A.',
    isLookup: false,
    // It accepts any argument, so that the tool gets what the schema got.
    inputSchema: z.looseObject({ known: z.number() }),
    outputSchema: z.object({}),
    run(input) {
      received.push(...Object.keys(input));
      return {};
    },
  });
  const post = poster([tool]);
  const params = { name: 'a', arguments: { absent: null, ...many(1, 1_900), known: 1 } };
  const { body } = await post({ body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
  assert.match(String(body), /"result":/);
  assert.deepEqual(received, ['known']);
});

test('a batch of ten calls above the rate takes a fraction of the time of one within it', async () => {
  const call = {
    jsonrpc: '2.0',
    method: 'tools/call',
    params: { name: 'parse_ua', arguments: { user_agent: 'curl/8' } },
  };
  const body = JSON.stringify(Array.from({ length: 10 }, (_, id) => ({ ...call, id })));
  const refusing = poster(undefined, { limit: (rates) => decisionOf(!rates.includes('tools')) });
  assert.equal(
    JSON.parse(String((await refusing({ body })).body)).every((each: object) =>
      JSON.stringify(each).includes('rate_limited'),
    ),
    true,
  );
  const accepting = poster();
  // 0.2.
  const ratio = await ratioOf(
    () => refusing({ body }),
    () => accepting({ body }),
  );
  assert.ok(ratio < 0.35, `${ratio}`);
});
