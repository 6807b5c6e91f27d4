/** The addresses of this machine, and what is open on each of them. */
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { listLocalAddresses, openOnAddresses } from '../../src/native/local-addresses.ts';
import { until } from '../until.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Records what is opened and closed; `addresses` is what the machine has, and `failing` how often an address fails. */
function record(addresses: string[], failing: Record<string, string[]> = {}) {
  const calls: string[] = [];
  const options = {
    list: () => addresses,
    async open(address: string) {
      const code = failing[address]?.shift();
      if (code !== undefined) throw failure(code);
      calls.push(`open ${address}`);
      return address;
    },
    async close(address: string) {
      calls.push(`close ${address}`);
    },
    refreshMs: 5,
    retryMs: 1,
  };
  const untilLast = (last: string): Promise<unknown> => until(() => calls.at(-1) === last);
  return { calls, options, until: untilLast };
}

describe('addresses', () => {
  test('are those of all interfaces, without loopback ones or IPv6 if they are not wanted', () => {
    const all = listLocalAddresses({ hasIpv6: true, hasLoopback: true });
    const own = Object.values(networkInterfaces()).flat();
    assert.deepEqual(new Set(all.map((each) => each.replace(/%.*/, ''))), new Set(own.map((each) => each?.address)));
    const outside = listLocalAddresses({ hasIpv6: false, hasLoopback: false });
    assert.ok(outside.every((each) => isIP(each) === 4 && !each.startsWith('127.')));
  });

  test('that come and go are opened and closed', async () => {
    const addresses = ['192.0.2.1'];
    const { calls, options, until } = record(addresses);
    const { opened, close } = await openOnAddresses(options);
    addresses.push('192.0.2.2');
    await until('open 192.0.2.2');
    addresses.shift();
    await until('close 192.0.2.1');
    assert.deepEqual([...opened.keys()], ['192.0.2.2']);
    await close();
    assert.deepEqual(calls, ['open 192.0.2.1', 'open 192.0.2.2', 'close 192.0.2.1', 'close 192.0.2.2']);
  });

  test('that are not ready, and any that fail later, are tried again', async () => {
    const addresses = ['::2', '::3'];
    const { calls, options, until } = record(addresses, {
      '::3': ['EADDRNOTAVAIL', 'EADDRNOTAVAIL'],
      '::4': ['EADDRINUSE'],
    });
    const missing: unknown[] = [];
    const onMissing = (...given: unknown[]): void => void missing.push(given);
    const { close } = await openOnAddresses({ ...options, onMissing, refreshMs: 60_000 });
    await until('open ::3');
    await close();
    assert.deepEqual(missing, [['::3', 'EADDRNOTAVAIL']]);
    const later = await openOnAddresses(options);
    addresses.push('::4');
    await until('open ::4');
    await later.close();
    assert.deepEqual(calls.slice(0, 2), ['open ::2', 'open ::3']);
  });

  test('are awaited if there are none', async () => {
    const addresses: string[] = [];
    const { options, until } = record(addresses);
    const onMissing = (...given: unknown[]): void => {
      assert.deepEqual(given, [null, null]);
      addresses[0] = '::2';
    };
    const { close } = await openOnAddresses({ ...options, onMissing });
    await until('open ::2');
    await close();
  });

  test('stay open while the system cannot list them, but not at the start', async () => {
    const addresses = ['::2'];
    const { calls, options, until } = record(addresses);
    let failures = 0;
    const list = () => {
      failures -= 1;
      if (failures >= 0) throw failure('EMFILE');
      return addresses;
    };
    const { close } = await openOnAddresses({ ...options, list });
    failures = 2;
    addresses.push('::3');
    await until('open ::3');
    await close();
    assert.deepEqual(calls, ['open ::2', 'open ::3', 'close ::2', 'close ::3']);
    failures = 1;
    await assert.rejects(openOnAddresses({ ...options, list }), { code: 'EMFILE' });
  });

  test('of which one is in use at the start close the others', async () => {
    const { calls, options } = record(['::2', '::3'], { '::3': ['EADDRINUSE'] });
    await assert.rejects(openOnAddresses(options), { code: 'EADDRINUSE' });
    assert.deepEqual(calls, ['open ::2', 'close ::2']);
  });
});
