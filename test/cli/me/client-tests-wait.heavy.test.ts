/** The test of `me` for resolvers, against a service whose request waits as long as it can. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { runTests } from '../../../src/cli/me/client-tests.ts';
import type { Send } from '../../../src/cli/service-connection.ts';
import { maxWaitMs } from '../../../src/core/name-server.ts';

test('waits for queries as long as the service does, and for its response', async () => {
  const dns = { zone: 'zone.example' };
  const observed = {
    address: '192.0.2.1',
    ipVersion: 4,
    asn: null,
    asOrganization: null,
    country: null,
    city: null,
    transports: ['udp'],
    ednsBufferBytes: null,
    dnssecOk: false,
    cookie: false,
    clientSubnets: [],
    mixedCase: false,
    minimizesNames: null,
    queryTypes: ['A'],
  };
  const send: Send = async (path, signal) => {
    const isResolver = path.startsWith('/api/resolver?');
    if (isResolver) await delay(maxWaitMs + 200, undefined, { signal });
    const value = isResolver
      ? { ...dns, resolvers: [observed], truncated: false }
      : { dns, stun: null, portCheck: false };
    return { ok: true, status: 200, json: async () => value, url: '' };
  };
  const { resolver } = await runTests({ host: 'seenby.test', version: null, addresses: [], send });
  assert.equal(resolver.reason, null);
});
