/** Who answers a visitor's DNS queries, in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarize } from '../../../../src/http/page/home/finding.ts';
import {
  describeResolvers,
  nameCount,
  namesOf,
  type ObservedResolver,
  type OwnNetwork,
} from '../../../../src/http/page/home/resolver.ts';

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
const telenor: OwnNetwork = { asn: 2119, asOrganization: 'Telenor Norge AS' };

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
    [{}, { asn: null, asOrganization: null }, 'Cloudflare, Inc. (AS13335)'],
    [{ asn: null, asOrganization: null }, telenor, 'An unknown network'],
    [{ asn: null, asOrganization: null }, { asn: null, asOrganization: null }, 'An unknown network'],
    // Only a legal form.
    [{ asn: 1, asOrganization: 'AS' }, { asn: 2, asOrganization: 'SA' }, 'Another provider: AS (AS1)'],
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

test('has a finding for each organization', () => {
  const own = { ...cloudflare, address: '192.0.2.1', asn: 2119, asOrganization: 'Telenor Norge AS' };
  const texts = describe([cloudflare, own, { ...cloudflare, address: '172.70.0.2' }]).map(({ text }) => text);
  assert.deepEqual(texts.slice(0, 2), [
    'Another provider: Cloudflare, Inc. (AS13335)',
    'Your provider: Telenor Norge AS (AS2119)',
  ]);
});

test('an organization is the provider of the visitor if one of its networks is', () => {
  const own = { asn: 209242, asOrganization: 'Cloudflare London' };
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

test('calls a request for signatures no proof that they are checked', () => {
  const [, , asks] = describe([cloudflare, { ...cloudflare, dnssecOk: false }]);
  assert.deepEqual(
    [asks?.text, asks?.detail],
    ['The resolver requests signatures', 'This does not prove that it validates them.'],
  );
  assert.equal(describe([{ ...cloudflare, dnssecOk: false }])[2]?.text, 'The resolver does not request signatures');
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
  assert.deepEqual([found?.text, more], ['Not known: this service is limiting DNS queries', []]);
  const observed = { resolvers: [{ ...cloudflare, dnssecOk: false }], truncated: false, limited: true };
  const [owner, ...others] = describeResolvers(observed, telenor);
  assert.match(owner?.detail ?? '', /^at least 1 address /);
  for (const { detail } of others) assert.match(detail, /limited its responses meanwhile, so queries may be missing/);
});

test('the names of a test have its number and id, the last two labels deeper', () => {
  const names = namesOf('0123456789abcdef', 'dns.seen.example');
  assert.equal(names.length, nameCount);
  assert.equal(names[0], '1-0123456789abcdef.dns.seen.example');
  assert.equal(names.at(-1), `a.b.${nameCount}-0123456789abcdef.dns.seen.example`);
});
