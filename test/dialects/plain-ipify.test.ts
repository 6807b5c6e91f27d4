/** The shape of ipify: text, JSON and JSONP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from './requests.ts';

test('each format has its body and media type', () => {
  for (const [query, body, mediaType] of [
    ['', '203.0.113.7', 'text/plain'],
    ['format=xml', '203.0.113.7', 'text/plain'],
    ['format=json', '{"ip":"203.0.113.7"}', 'application/json'],
    ['format=jsonp', 'callback({"ip":"203.0.113.7"});', 'application/javascript'],
    ['format=jsonp&callback=a.b$1', 'a.b$1({"ip":"203.0.113.7"});', 'application/javascript'],
  ])
    assert.deepEqual(ask('/as/ipify', { query: query ?? '' }), { status: 200, body, mediaType });
});

test('a callback that is not the name of a function is rejected', () => {
  for (const callback of ['', '1', 'a(b)', 'a;b', '</script>', 'a'.repeat(65), 'ä'])
    assert.throws(() => ask('/as/ipify', { query: `format=jsonp&callback=${encodeURIComponent(callback)}` }), {
      code: 'invalid_query',
    });
});
