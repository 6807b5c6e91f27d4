/** A message of the largest size takes little time, whatever its members are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuClock } from '../cpu-time.ts';
import { poster } from './served.ts';

const many = (value: unknown) => Object.fromEntries(Array.from({ length: 5_200 }, (_, at) => [`c${at}`, value]));
const client = { name: 'test', version: '1' };
const initialize = (capabilities: object, clientInfo: object = client) => ({
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities, clientInfo },
});

const messages = {
  'initialize with 5,200 capabilities': initialize(many({})),
  'initialize with 5,200 numbers as capabilities': initialize(many(1)),
  'initialize with 5,200 experimental capabilities': initialize({ experimental: many({}) }),
  'initialize with 5,200 members of clientInfo': initialize({}, { ...client, ...many({}) }),
  'ping with 5,200 members of metadata': { method: 'ping', params: { _meta: many({}) } },
  'tools/list with 13,000 items': { method: 'tools/list', params: { _meta: { a: Array(13_000).fill({}) } } },
};
/** It takes 1.4 ms on an idle machine, and without a bound on members 6 to 13 for most of these messages. */
const maxMs = 4;

for (const [name, message] of Object.entries(messages))
  test(`${name} takes little time`, async () => {
    const post = poster();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
    // The shortest of ten times: other programs on the machine, and code that is not compiled yet, make some longer.
    let shortest = Number.POSITIVE_INFINITY;
    for (let each = 0; each < 10; each += 1) {
      const elapsed = cpuClock();
      for (let sent = 0; sent < 10; sent += 1) assert.match(String((await post({ body })).body), /"result":/);
      shortest = Math.min(shortest, elapsed() / 10);
    }
    assert.ok(shortest < maxMs, `${shortest} ms`);
  });
