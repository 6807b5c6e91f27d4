/** What is reported about the resolvers of a client, from their queries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IdQuery } from '../../src/core/name-server.ts';
import { unobserved } from '../../src/core/observed.ts';
import type { AddressData } from '../../src/core/platform.ts';
import { Resolvers, resolvers } from '../../src/resources/resolvers.ts';

const plain: IdQuery = {
  address: '192.0.2.1',
  transport: 'udp',
  number: 1,
  depth: 0,
  hasMixedCase: false,
  type: 1,
  ednsBufferBytes: null,
  dnssecOk: false,
  hasCookie: false,
  clientSubnet: null,
};

const data: AddressData = {
  locate: () => ({ ...unobserved.location, country: 'DE', city: 'Berlin' }),
  autonomousSystem: () => ({ ...unobserved.autonomousSystem, asn: 64_500, asOrganization: 'Example' }),
};

function report(queries: readonly Partial<IdQuery>[], known: AddressData | null = null) {
  const all = queries.map((query) => ({ ...plain, ...query }));
  return Resolvers.parse(resolvers('dns.a.example', { queries: all, isTruncated: false, isLimited: false }, known));
}

test('has one element for each address, in order of arrival, with what any of its queries showed', () => {
  const {
    zone,
    truncated,
    resolvers: found,
  } = report(
    [
      { address: '2001:db8::1', transport: 'tcp', type: 65 },
      {},
      { type: 28, ednsBufferBytes: 1232, dnssecOk: true, clientSubnet: '198.51.100.0/24' },
      { type: 28, ednsBufferBytes: 4096, hasCookie: true, clientSubnet: '198.51.100.0/24' },
      { type: 64_000, hasMixedCase: true, transport: 'tcp' },
    ],
    data,
  );
  const place = { asn: 64_500, asOrganization: 'Example', country: 'DE', city: 'Berlin' };
  assert.deepEqual([zone, truncated], ['dns.a.example', false]);
  assert.deepEqual(found, [
    {
      address: '2001:db8::1',
      ipVersion: 6,
      ...place,
      transports: ['tcp'],
      ednsBufferBytes: null,
      dnssecOk: false,
      cookie: false,
      clientSubnets: [],
      mixedCase: false,
      minimizesNames: null,
      queryTypes: ['HTTPS'],
    },
    {
      address: '192.0.2.1',
      ipVersion: 4,
      ...place,
      transports: ['udp', 'tcp'],
      ednsBufferBytes: 4096,
      dnssecOk: true,
      cookie: true,
      clientSubnets: ['198.51.100.0/24'],
      mixedCase: true,
      minimizesNames: null,
      queryTypes: ['A', 'AAAA', 'TYPE64000'],
    },
  ]);
});

test('has null for what no database knows, and no element without a query', () => {
  const [found] = report([{}]).resolvers;
  assert.deepEqual([found?.asn, found?.asOrganization, found?.country, found?.city], [null, null, null, null]);
  assert.deepEqual(report([]).resolvers, []);
});

test('states whether a resolver minimizes names only if it shows', () => {
  const minimizes = (...queries: Partial<IdQuery>[]) => report(queries).resolvers.map((each) => each.minimizesNames);
  const other = { address: '192.0.2.2' };
  assert.deepEqual(minimizes({ depth: 0 }), [null]);
  // A client may resolve such a name itself.
  assert.deepEqual(minimizes({ depth: 1 }), [null]);
  assert.deepEqual(minimizes({ depth: 2 }), [false]);
  assert.deepEqual(minimizes({ depth: 0 }, { depth: 1 }, { depth: 2 }), [true]);
  assert.deepEqual(minimizes({ depth: 2 }, { depth: 0, ...other }), [false, null]);
  // Without the part between them, but of the same name.
  assert.deepEqual(minimizes({ depth: 0, type: 2 }, { depth: 2 }), [true]);
  assert.deepEqual(minimizes({ depth: 0, number: 2 }, { depth: 2 }), [false]);
  // Two addresses of one resolver, or two resolvers.
  assert.deepEqual(minimizes({ depth: 1 }, { depth: 2, ...other }), [true, null]);
});
