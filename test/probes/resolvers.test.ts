/** Who answers a visitor's DNS queries, in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarize } from '../../src/probes/finding.ts';
import {
  describeResolvers,
  nameCount,
  namesOf,
  type ObservedResolver,
  type OwnNetwork,
  summarizeResolvers,
} from '../../src/probes/resolvers.ts';

const cloudflare: ObservedResolver = {
  address: '172.70.0.1',
  ipVersion: 4,
  asn: 13335,
  asOrganization: 'Cloudflare, Inc.',
  country: 'NO',
  city: 'Oslo',
  dnssecOk: true,
  clientSubnets: [],
};
const telenor: OwnNetwork = { ip: '88.88.0.9', asn: 2119, asOrganization: 'Telenor Norge AS' };

const describe = (resolvers: readonly ObservedResolver[], own = telenor, truncated = false) =>
  describeResolvers({ resolvers, truncated, limited: false }, own);
const ownerOf = (resolver: Partial<ObservedResolver>, own = telenor) =>
  describe([{ ...cloudflare, ...resolver }], own)[0]?.text;

test('names the organization, and whether it is the provider of the visitor', () => {
  for (const [resolver, own, expected] of [
    [{}, telenor, 'Another provider: Cloudflare, Inc. (AS13335)'],
    [{ asn: 2119, asOrganization: 'Telenor Norge AS' }, telenor, 'Your provider: Telenor Norge AS (AS2119)'],
    // Another number, or another name of the same number.
    [{ asn: 8210, asOrganization: 'TELENOR NORGE A.S.' }, telenor, 'Your provider: TELENOR NORGE A.S. (AS8210)'],
    [{ asn: 2119, asOrganization: 'Nextel' }, telenor, 'Your provider: Nextel (AS2119)'],
    [{ asn: 8210, asOrganization: 'Telenor Sverige AB' }, telenor, 'Another provider: Telenor Sverige AB (AS8210)'],
    [{ asOrganization: null }, telenor, 'Another provider: AS13335'],
    [{ asn: null }, telenor, 'Another provider: Cloudflare, Inc.'],
    [{}, { ...telenor, asn: null, asOrganization: null }, 'Cloudflare, Inc. (AS13335)'],
    [{ asn: null, asOrganization: null }, telenor, 'An unknown network'],
    [{ asn: null, asOrganization: null }, { ...telenor, asn: null, asOrganization: null }, 'An unknown network'],
    // Only a legal form.
    [{ asn: 1, asOrganization: 'AS' }, { ...telenor, asn: 2, asOrganization: 'SA' }, 'Another provider: AS (AS1)'],
  ] as const)
    assert.equal(ownerOf(resolver, own), expected);
});

test('counts addresses, and names their IP versions and places once', () => {
  const others = [
    { ...cloudflare, address: '2400:cb00::1', ipVersion: 6 as const },
    { ...cloudflare, address: '172.70.0.2', city: null, country: 'XX' },
  ];
  const [found, ...rest] = describe([cloudflare, ...others]);
  assert.equal(found?.detail, '3 addresses over IPv4 and IPv6: Oslo, Norway; XX');
  assert.deepEqual(found?.addresses, ['172.70.0.1', '2400:cb00::1', '172.70.0.2']);
  assert.deepEqual(
    rest.map(({ label }) => label),
    ['Your network', 'DNSSEC'],
  );
  assert.equal(describe([{ ...cloudflare, city: null, country: null }])[0]?.detail, '1 address over IPv4');
  assert.match(describe([cloudflare], telenor, true)[0]?.detail ?? '', /^at least 1 address over/);
});

const ofTelenor = { ...cloudflare, address: '88.88.0.1', asn: 2119, asOrganization: 'Telenor Norge AS' };
const google = { ...cloudflare, address: '8.8.8.8', asn: 15169, asOrganization: 'Google LLC' };
const unknown = { ...cloudflare, address: '25.0.0.1', asn: null, asOrganization: null };
const gateway = { ...unknown, address: '172.17.0.1' };

test("has a finding for each organization, the visitor's provider first", () => {
  const texts = describe([cloudflare, ofTelenor, { ...cloudflare, address: '172.70.0.2' }]).map(({ text }) => text);
  assert.deepEqual(texts.slice(0, 2), [
    'Your provider: Telenor Norge AS (AS2119)',
    'Another provider: Cloudflare, Inc. (AS13335)',
  ]);
});

test('the line of the first screen counts and names every organization', () => {
  for (const [resolvers, expected, own, truncated] of [
    [[ofTelenor], 'Your provider: Telenor Norge AS (AS2119)'],
    [[cloudflare], 'Another provider: Cloudflare, Inc. (AS13335)'],
    [
      [cloudflare, ofTelenor, { ...cloudflare, address: '172.70.0.2' }],
      '2 networks: your provider, Telenor Norge AS (AS2119); Cloudflare, Inc. (AS13335)',
    ],
    [[cloudflare, google], "2 networks, not your provider's: Cloudflare, Inc. (AS13335); Google LLC (AS15169)"],
    [
      [cloudflare, google, unknown],
      'at least 3 networks: Cloudflare, Inc. (AS13335); Google LLC (AS15169); an unknown network',
      telenor,
      true,
    ],
    [
      [cloudflare, google],
      '2 networks: Cloudflare, Inc. (AS13335); Google LLC (AS15169)',
      { ...telenor, asn: null, asOrganization: null },
    ],
    [[gateway], 'Hidden by a gateway of this service'],
    [[gateway, cloudflare], '2 networks: a private address; Cloudflare, Inc. (AS13335)'],
    [[], 'No query reached this service'],
  ] as const)
    assert.equal(
      summarizeResolvers({ resolvers, truncated: truncated ?? false, limited: false }, own ?? telenor),
      expected,
    );
});

test('a private address that no database knows is that of a gateway, unless the visitor has one too', () => {
  const findingOf = (resolver: ObservedResolver, ip: string | null = telenor.ip) =>
    describe([resolver], { ...telenor, ip })[0];
  for (const address of ['172.17.0.1', '10.0.0.1', '127.0.0.1', 'fd00::1', '100.64.0.1'])
    assert.equal(findingOf({ ...gateway, address })?.text, 'Hidden by a gateway of this service');
  assert.match(findingOf(gateway)?.detail ?? '', /^It replaces the addresses of all resolvers /);
  for (const ip of ['192.168.0.9', null]) assert.equal(findingOf(gateway, ip)?.text, 'A private address');
  assert.equal(findingOf(unknown)?.text, 'An unknown network');
  // The operator's own database.
  assert.equal(findingOf({ ...ofTelenor, address: '10.0.0.1' })?.text, 'Your provider: Telenor Norge AS (AS2119)');
});

test('an organization is the provider of the visitor if one of its networks is', () => {
  const own = { ...telenor, asn: 209242, asOrganization: 'Cloudflare London' };
  const [found, ...others] = describe([cloudflare, { ...cloudflare, address: '172.70.0.2', asn: 209242 }], own);
  assert.equal(found?.text, 'Your provider: Cloudflare, Inc. (AS13335)');
  assert.equal(others.length, 2);
});

test('states the network that the resolver discloses, and not one of 0 bits', () => {
  const networkOf = (clientSubnets: readonly string[]) => describe([{ ...cloudflare, clientSubnets }])[1];
  assert.equal(networkOf([])?.text, 'Not disclosed to this site');
  assert.equal(networkOf(['192.0.2.0/24', '192.0.2.0/24'])?.text, 'Disclosed to sites: 192.0.2.0/24');
  assert.equal(networkOf(['0.0.0.0/0', '::/0'])?.text, 'Not disclosed to this site');
  assert.match(networkOf(['0.0.0.0/0'])?.detail ?? '', /not to add it/);
  assert.equal(networkOf(['192.0.2.0/20'])?.text, 'Disclosed to sites: 192.0.2.0/20');
});

test('names the resolver that discloses the network, and says if that is not of the address of the visitor', () => {
  const detailOf = (subnet: string, ...others: readonly ObservedResolver[]) =>
    describe([{ ...cloudflare, clientSubnets: [subnet] }, ...others]).find(({ label }) => label === 'Your network')
      ?.detail;
  const queries = 'in its queries (EDNS Client Subnet).';
  assert.equal(detailOf('88.88.0.0/24'), `The resolver names this part of your IP address ${queries}`);
  // That of another version cannot be compared.
  assert.equal(detailOf('2001:db8::/48'), `The resolver names this part of your IP address ${queries}`);
  assert.equal(
    detailOf('192.0.2.0/24'),
    `The resolver names this network, which does not contain your IP address, ${queries}`,
  );
  assert.match(detailOf('88.88.0.0/24', ofTelenor) ?? '', /^Cloudflare, Inc\. \(AS13335\) names this part /);
  const both = detailOf('88.88.0.0/24', { ...ofTelenor, clientSubnets: ['88.88.0.0/24'] });
  assert.match(both ?? '', /^Telenor Norge AS \(AS2119\); Cloudflare, Inc\. \(AS13335\) name this part /);
});

test('states of each resolver whether it requests signatures, and calls that no proof that they are checked', () => {
  const findingOf = (...resolvers: readonly ObservedResolver[]) => describe(resolvers).at(-1);
  const without = (resolver: ObservedResolver): ObservedResolver => ({ ...resolver, dnssecOk: false });
  assert.deepEqual(findingOf(cloudflare), {
    label: 'DNSSEC',
    text: 'The resolver requests signatures',
    detail: 'This does not prove that it validates them.',
  });
  for (const [resolvers, expected] of [
    [[without(cloudflare)], 'The resolver does not request signatures'],
    [[cloudflare, ofTelenor], 'All resolvers request signatures'],
    [[without(cloudflare), without(ofTelenor)], 'No resolver requests signatures'],
    [
      [without(cloudflare), ofTelenor, google],
      'Signatures are requested by Telenor Norge AS (AS2119); Google LLC (AS15169), not by Cloudflare, Inc. (AS13335)',
    ],
    [[cloudflare, without(cloudflare)], 'Signatures are requested from 1 of 2 addresses'],
  ] as const)
    assert.equal(findingOf(...resolvers)?.text, expected);
});

test('states of a truncated observation only that nothing was observed, not that nothing is', () => {
  const textsOf = (resolver: Partial<ObservedResolver>) =>
    describe([{ ...cloudflare, ...resolver }], telenor, true).map(({ text, detail }) => `${text}. ${detail}`);
  for (const clientSubnets of [[], ['0.0.0.0/0']])
    assert.deepEqual(textsOf({ dnssecOk: false, clientSubnets }).slice(1), [
      'Not disclosed by the observed queries. More queries arrived than were observed.',
      'None of the observed queries requests signatures. More queries arrived than were observed.',
    ]);
  const [, network, dnssec] = textsOf({ clientSubnets: ['192.0.2.0/24'] });
  assert.match(network ?? '', /^Disclosed to sites: 192\.0\.2\.0\/24\. /);
  assert.match(dnssec ?? '', /^The resolver requests signatures\. /);
});

test('says that no query arrived, with the usual reasons', () => {
  const [found, ...more] = describe([]);
  assert.deepEqual([found?.text, more], ['No query reached this service', []]);
  assert.equal(summarize(describe([])), 'Resolver: No query reached this service.');
});

test('without a query, blames the limits of the service if it has limited responses meanwhile', () => {
  const [found, ...more] = describeResolvers({ resolvers: [], truncated: false, limited: true }, telenor);
  assert.deepEqual([found?.text, more], ['Not known: this service may have missed queries', []]);
  const observed = { resolvers: [{ ...cloudflare, dnssecOk: false }], truncated: false, limited: true };
  const [owner, ...others] = describeResolvers(observed, telenor);
  assert.match(owner?.detail ?? '', /^at least 1 address /);
  for (const { detail } of others) assert.match(detail, /meanwhile limited its responses, .*so queries may be missing/);
});

test('the names of a test have its number and id, the last two labels deeper', () => {
  const names = namesOf('0123456789abcdef', 'dns.seen.example');
  assert.equal(names.length, nameCount);
  assert.equal(names[0], '1-0123456789abcdef.dns.seen.example');
  assert.equal(names.at(-1), `a.b.${nameCount}-0123456789abcdef.dns.seen.example`);
});
