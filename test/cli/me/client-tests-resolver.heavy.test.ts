/** What `me` learns of the real service besides its request, through a real resolver and without one. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { programs, setUp } from '../../internet/delegation.ts';
import { runInNamespace, skipWithoutNamespaces } from '../../network-namespace.ts';
import type { Printed } from './client-tests-scenario.ts';

const scenario = fileURLToPath(new URL('client-tests-scenario.ts', import.meta.url));

describe('me', { skip: skipWithoutNamespaces(...programs) }, () => {
  let printed: Printed;
  before(async () => {
    printed = (await runInNamespace(setUp, scenario)) as Printed;
  });

  test('shows who answers the queries of the system', () => {
    assert.match(
      printed.whole,
      /^Resolver {6}Example Resolver Ltd \(AS64500\)\n {14}10\.53\.0\.4\nYour network {2}Disclosed to sites: 10\.53\.0\.0\/24\n/m,
    );
    assert.match(printed.short, /^10\.53\.0\.1 · resolver 10\.53\.0\.4 · UDP 10\.53\.0\.1:\d+\n$/);
  });

  test('has all values in the JSON', () => {
    const { ip, resolver, udp } = JSON.parse(printed.json);
    assert.equal(ip, '10.53.0.1');
    assert.deepEqual([resolver.reason, resolver.zone, resolver.truncated], [null, 'ipv4.example', false]);
    const [{ address, minimizesNames, queryTypes }] = resolver.resolvers;
    assert.deepEqual([address, minimizesNames, queryTypes.toSorted().slice(0, 2)], ['10.53.0.4', true, ['A', 'AAAA']]);
    assert.deepEqual([udp.reason, udp.addresses[0].ip], [null, '10.53.0.1']);
  });

  test('gives the reason where a service has no tests, or its resolver does not respond', () => {
    const notOffered = '- (not offered by this service)';
    assert.ok(printed.withoutTests.includes(`Resolver      ${notOffered}\nUDP           ${notOffered}\n`));
    const noQuery =
      "no DNS query reached this service in time: this machine's DNS resolver is slow, or does not respond";
    assert.ok(printed.silent.includes(`Resolver      - (${noQuery})\n`), printed.silent);
  });

  test('without a resolver, names that as the reason why a name of a service has no address', () => {
    assert.match(
      printed.silentByName,
      /^seenby: ns-ipv4\.example was not resolved: this machine's DNS resolver does not/,
    );
  });

  test('with a second name server, uses the address that it has already resolved for UDP too', () => {
    assert.match(printed.second, /^IP address {4}10\.53\.0\.1$/m);
    assert.match(printed.second, /^UDP {11}10\.53\.0\.1 port \d+$/m);
    assert.match(printed.second, /^Resolver {6}- \(no DNS query reached this service in time/m);
  });

  test('ends without waiting for a silent resolver', () => {
    assert.ok(printed.endedFirst);
  });
});
