/** The sentences that state limits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLimits, formatBytes, hasLimits } from '../../src/core/limits.ts';

const off = { rateLimitGeneral: 0, rateLimitLookup: 0, rateLimitTools: 0, rateLimitDocuments: 0 };

test('states each limit that is set, and none that is off', () => {
  assert.equal(describeLimits(off), 'There are no rate limits.');
  const one = describeLimits({ ...off, rateLimitLookup: 1 });
  assert.match(one, /^Limits per IP address and 60 seconds: lookup: 1 lookups [^;]*\. Above a limit, /);
  assert.match(describeLimits({ ...off, rateLimitDocuments: 1 }), / seconds: 1 MB of documents\. /);
  assert.match(
    describeLimits({}),
    /general: 60 .*; lookup: 10 .*; tools: 600 .*; messages: 2400 .*; 64 MB of documents\./,
  );
});

test('has limits if any is set', () => {
  assert.equal(hasLimits(off), false);
  for (const name of Object.keys(off)) assert.equal(hasLimits({ ...off, [name]: 1 }), true, name);
});

test('writes bytes in the larger unit that they fill', () => {
  assert.deepEqual([2 ** 15, 2 ** 20, 2 ** 23].map(formatBytes), ['32 KB', '1 MB', '8 MB']);
});
