/** What all lookups share: counting, defaults, and the identity of the service in their requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundRequest } from '../../src/core/platform.ts';
import { lookups, recordLookup } from '../../src/lookups/list.ts';
import { outboundUserAgent } from '../../src/lookups/outbound.ts';
import { platformOf } from '../platform.ts';
import { resolverOf } from './dns/zones.ts';

const baseUrl = 'https://seenby.example';

test('every lookup is counted once, by its outcome', async () => {
  const counted: string[][] = [];
  const countLookup = (...names: string[]) => counted.push(names);
  const { platform } = resolverOf({ 'A example.com': ['192.0.2.1'] }, { countLookup });
  const { type } = await recordLookup.lookUp([['name', 'example.com']], { platform, baseUrl });
  assert.equal(type, 'A', 'the default of the option');
  for (const sent of ['MX', 'NOPE'])
    await recordLookup
      .lookUp(Object.entries({ name: 'example.com', type: sent }), { platform, baseUrl })
      .catch(() => {});
  assert.deepEqual(counted, [
    ['dns', 'ok'],
    ['dns', 'ok'],
    ['dns', 'invalid_query'],
  ]);
  for (const { name, parameter, lookUp } of lookups) {
    counted.length = 0;
    const message = `Send the parameter ${parameter.name} exactly once, such as ?${parameter.name}=${parameter.example}.`;
    await assert.rejects(lookUp([], { platform, baseUrl }), { code: parameter.error, message });
    assert.deepEqual(counted, [[name, parameter.error]]);
  }
});

test('an unexpected failure is counted as an internal error', async () => {
  const counted: string[][] = [];
  const fail = () => {
    throw new TypeError('unexpected');
  };
  const platform = platformOf({
    countLookup: (...names) => counted.push(names),
    now: fail,
    resolvers: ['https://a.b/'],
  });
  await assert.rejects(recordLookup.lookUp([['name', 'example.com']], { platform, baseUrl }), TypeError);
  assert.deepEqual(counted, [['dns', 'internal_error']]);
});

test('outbound requests name the service, with its URL if it has one', async () => {
  for (const url of [baseUrl, null]) {
    const requests: OutboundRequest[] = [];
    const platform = platformOf({
      resolvers: ['https://resolver.example/'],
      fetch: async (request) => {
        requests.push(request);
        return { failure: 'unreachable' };
      },
    });
    await recordLookup.lookUp([['name', 'example.com']], { platform, baseUrl: url }).catch(() => {});
    assert.deepEqual(
      requests.map(({ headers }) => headers['User-Agent']),
      [outboundUserAgent(url)],
    );
  }
});
