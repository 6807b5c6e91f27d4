/** Forward-confirmed reverse DNS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../../src/core/address.ts';
import { confirmedHost } from '../../../src/lookups/dns/dns-lookup.ts';
import { reverseZoneName } from '../../../src/lookups/dns/name.ts';
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
