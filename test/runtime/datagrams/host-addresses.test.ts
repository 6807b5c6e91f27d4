/** The addresses of a host, from a real name server whose responses change. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { followHost } from '../../../src/runtime/datagrams/host-addresses.ts';
import { until } from '../../until.ts';

/** Addresses, none by NOERROR or by NXDOMAIN, a failure, or no response. */
type HostResponse = readonly string[] | 'nxdomain' | 'servfail' | 'silent';
const codes = { nxdomain: 3, servfail: 2 };

/** A host whose name server sends `responses`, which a test changes. `used`: the addresses after each change. */
async function follow(t: TestContext, responses: { A: HostResponse; AAAA: HostResponse }) {
  const server = createSocket('udp4');
  let queries = 0;
  server.on('message', (message, { port, address }) => {
    const { id = 0, questions = [] } = decode(message);
    const { name = '', type = 'A' } = questions[0] ?? {};
    if (type === 'A') queries++;
    const response = responses[type as 'A' | 'AAAA'];
    if (response === 'silent') return;
    const data = typeof response === 'string' ? [] : response;
    const code = typeof response === 'string' ? codes[response] : 0;
    const answers = data.map((each) => ({ name, type: type as 'A', ttl: 0, data: each }));
    server.send(
      encode({ type: 'response', id, flags: RECURSION_DESIRED | 0x80 | code, questions, answers }),
      port,
      address,
    );
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const end = new AbortController();
  t.after(() => {
    end.abort();
    server.close();
  });
  const resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const used: (readonly string[])[] = [];
  const logged: string[] = [];
  await followHost(
    'seenby.example',
    {
      bounds: { hostRefreshMs: 20, hostRetryMs: 10 },
      log: (event) => void logged.push(event),
      signal: end.signal,
      resolver,
    },
    (addresses) => void used.push(addresses),
  );
  /** The addresses in use after a change: the second query after it begins when those of the first have ended. */
  const usedAfter = async (changed: Partial<typeof responses>) => {
    Object.assign(responses, changed);
    const enough = queries + 2;
    await until(() => queries >= enough);
    return used.at(-1);
  };
  return { usedAfter, used, logged };
}

test('keeps the known addresses of a version that cannot be resolved again, but not those that were removed', async (t) => {
  const { used, usedAfter, logged } = await follow(t, { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] });
  assert.deepEqual(used, [['192.0.2.1', '2001:db8::1']]);
  assert.deepEqual(await usedAfter({ A: 'silent', AAAA: ['2001:db8::2'] }), ['192.0.2.1', '2001:db8::2']);
  assert.deepEqual(await usedAfter({ A: ['192.0.2.3'], AAAA: 'servfail' }), ['192.0.2.3', '2001:db8::2']);
  assert.deepEqual(await usedAfter({ AAAA: [] }), ['192.0.2.3']);
  assert.deepEqual(await usedAfter({ AAAA: ['2001:db8::4'] }), ['192.0.2.3', '2001:db8::4']);
  assert.deepEqual(await usedAfter({ A: 'nxdomain' }), ['2001:db8::4']);
  // A host without any address is more likely a fault of its zone.
  assert.deepEqual(await usedAfter({ AAAA: 'nxdomain' }), ['2001:db8::4']);
  assert.deepEqual(logged, []);
});

test('reports a host that cannot be resolved at the start, and uses its addresses later', async (t) => {
  const { used, usedAfter, logged } = await follow(t, { A: 'servfail', AAAA: [] });
  assert.deepEqual([used, logged], [[], ['dns_addresses_unknown']]);
  assert.deepEqual(await usedAfter({ A: ['192.0.2.1'] }), ['192.0.2.1']);
});

test('uses an address in place of a host name as it is', async () => {
  const used: (readonly string[])[] = [];
  const options = {
    bounds: { hostRefreshMs: 1, hostRetryMs: 1 },
    log: () => assert.fail('known'),
    signal: AbortSignal.abort(),
  };
  await followHost('[2001:db8::1]', options, (addresses) => void used.push(addresses));
  assert.deepEqual(used, [['2001:db8::1']]);
});
