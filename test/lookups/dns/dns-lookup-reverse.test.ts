/** Forward-confirmed reverse DNS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import { parseAddress } from '../../../src/core/address.ts';
import { confirmedHost } from '../../../src/lookups/dns/dns-lookup.ts';
import { reverseZoneName } from '../../../src/lookups/dns/name.ts';
import { followAliases } from '../../../src/lookups/dns/response.ts';
import { threadMs } from '../../../src/native/thread-clock.ts';
import { decodeResponse } from '../../../src/wire/dns/message.ts';
import { encodeResponse } from './messages.ts';
import { resolverOf, type Zones } from './zones.ts';

const v4 = '8.8.4.4';
const ptr4 = 'PTR 4.4.8.8.in-addr.arpa';
const v6 = '2001:4860:4860::8888';
const ptr6 = 'PTR 8.8.8.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.8.4.0.6.8.4.1.0.0.2.ip6.arpa';

const hostOf = (ip: string | null, zones: Zones) => confirmedHost(ip, resolverOf(zones).platform, 'Seenby/1.0');

test('names the reverse zone of both IP versions', () => {
  for (const [ip, name] of [
    [v4, ptr4],
    [v6, ptr6],
  ] as const) {
    const address = parseAddress(ip);
    assert.ok(address !== null);
    assert.equal(`PTR ${reverseZoneName(address)}`, name);
  }
});

test('returns a name only if it resolves to the address', async () => {
  assert.equal(await hostOf(v4, { [ptr4]: ['dns.example'], 'A dns.example': ['192.0.2.1', v4] }), 'dns.example');
  assert.equal(await hostOf(v6, { [ptr6]: ['Dns.Example'], 'AAAA dns.example': [v6] }), 'dns.example');
  assert.equal(await hostOf(v4, { [ptr4]: ['bank.example'], 'A bank.example': ['192.0.2.1'] }), null);
  assert.equal(await hostOf(v4, { [ptr4]: ['gone.example'] }), null);
  assert.equal(await hostOf(v4, { [ptr4]: ['broken.example'], 'A broken.example': 'SERVFAIL' }), null);
  assert.equal(await hostOf(v4, { [ptr4]: [] }), null);
  assert.equal(await hostOf(v4, {}), null);
});

test('tries at most three names, the first confirmed one wins', async () => {
  const names = ['a.example', 'b.example', 'c.example', 'd.example'];
  const { platform, queried } = resolverOf({
    [ptr4]: names,
    'A b.example': [v4],
    'A c.example': [v4],
    'A d.example': [v4],
  });
  assert.equal(await confirmedHost(v4, platform, 'Seenby/1.0'), 'b.example');
  assert.deepEqual(queried, [ptr4, 'A a.example', 'A b.example', 'A c.example']);
});

test('ignores names that cannot be host names, without a query', async () => {
  for (const name of ['a b.example', '192.0.2.1', 'a\\.b.example', 'bücher.example', '.']) {
    const { platform, queried } = resolverOf({ [ptr4]: [name] });
    assert.equal(await confirmedHost(v4, platform, 'Seenby/1.0'), null, name);
    assert.ok(queried.length <= 2 && queried.every((each) => !/[ \\]b\.example|^A 192/.test(each)), `${queried}`);
  }
});

test('reads at most twenty PTR records', async () => {
  const odd = Array.from({ length: 2_000 }, (_, at) => `no host ${at}`);
  const found = { 'A a.example': [v4] };
  assert.equal(await hostOf(v4, { [ptr4]: [...odd.slice(0, 19), 'a.example'], ...found }), 'a.example');
  assert.equal(await hostOf(v4, { [ptr4]: [...odd.slice(0, 20), 'a.example'], ...found }), null);
});

test('compares thousands of addresses hardly slower than it reads them', async () => {
  const name = 'a.example';
  const data = Array.from({ length: 2_000 }, (_, at) => `2001:db8:1:2:3:4:5:${at.toString(16)}`);
  const reverse = ptr6.replace('PTR ', '');
  const bodies = {
    PTR: encodeResponse({ name: reverse, type: 'PTR', answers: [{ name: reverse, type: 'PTR', data: name }] }),
    AAAA: encodeResponse({ name, type: 'AAAA', answers: data.map((each) => ({ name, type: 'AAAA', data: each })) }),
  };
  const headers = { 'content-type': 'application/dns-message' };
  const { platform } = resolverOf(
    {},
    {
      fetch: async ({ body }) => {
        const isPtr = decode(Buffer.from(body ?? [])).questions?.[0]?.type === 'PTR';
        return { status: 200, headers, setCookies: [], body: isPtr ? bodies.PTR : bodies.AAAA };
      },
    },
  );
  let lookupMs = Number.POSITIVE_INFINITY;
  let readMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 12; round += 1) {
    const startMs = threadMs();
    assert.equal(await confirmedHost(v6, platform, 'Seenby/1.0'), null);
    const lookedUpMs = threadMs();
    const message = decodeResponse(bodies.AAAA, name, 'AAAA');
    assert.ok(message !== null && followAliases(message, name, 'AAAA').found.length === data.length);
    lookupMs = Math.min(lookupMs, lookedUpMs - startMs);
    readMs = Math.min(readMs, threadMs() - lookedUpMs);
  }
  assert.ok(lookupMs < 4 * readMs, `${lookupMs} ms, ${readMs} ms to read`);
});

test('sends no query for an address that is not public', async () => {
  for (const ip of [null, '', '127.0.0.1', '10.1.2.3', '203.0.113.7', '::1', 'fd00::2', '2001:db8::7']) {
    const { platform, queried } = resolverOf({});
    assert.equal(await confirmedHost(ip, platform, 'Seenby/1.0'), null);
    assert.deepEqual(queried, []);
  }
});

test('throws if the resolvers fail, but not if another name is confirmed', async () => {
  for (const [zones, code] of [
    [{ [ptr4]: 'timeout' }, 'upstream_timeout'],
    [{ [ptr4]: 'unreachable' }, 'upstream_error'],
    [{ [ptr4]: 'SERVFAIL' }, 'upstream_error'],
    [{ [ptr4]: 'REFUSED' }, 'upstream_error'],
    [{ [ptr4]: ['a.example'], 'A a.example': 'timeout' }, 'upstream_timeout'],
    [{ [ptr4]: ['a.example', 'b.example'], 'A a.example': 'unreachable' }, 'upstream_error'],
  ] as const)
    await assert.rejects(hostOf(v4, zones), { code });
  const zones: Zones = { [ptr4]: ['a.example', 'b.example'], 'A a.example': 'timeout', 'A b.example': [v4] };
  assert.equal(await hostOf(v4, zones), 'b.example');
});
