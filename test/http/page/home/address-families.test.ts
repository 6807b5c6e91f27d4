/** Statements of the page about the client's IPv4 and IPv6 addresses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeOtherFamily,
  type FamilyGeo,
  type OwnAddress,
} from '../../../../src/http/page/home/address-families.ts';
import { seenAll } from '../../../observed.ts';
import { pageAt } from '../page-at.ts';

const origins = { 4: 'https://v4.seenby.example', 6: 'https://v6.seenby.example' };
const page = 'https://seenby.example';
const network = { asn: 2119, asOrganization: 'Telenor' };
const own: OwnAddress = { ip: '192.0.2.1', ipVersion: 4, network, place: 'Oslo, Norway', origins };
const own6: OwnAddress = { ...own, ip: '2001:db8::1', ipVersion: 6 };
const geoOf = (ip: string, changed: Partial<FamilyGeo> = {}): FamilyGeo => ({
  ip,
  asn: 2119,
  asOrganization: 'Telenor',
  city: 'Oslo',
  countryName: 'Norway',
  ...changed,
});
const both = { 4: geoOf('192.0.2.1'), 6: geoOf('2001:db8::1') };

test('shows the other address with its provider and location, if they differ', () => {
  assert.deepEqual(describeOtherFamily(own, page, both), {
    ip: '2001:db8::1',
    verdict: 'IPv6 works, but your browser prefers IPv4.',
    detail: 'Same provider and location. Only websites without IPv4 see the IPv6 address.',
  });
  const detailOf = (changed: Partial<FamilyGeo>, from = own) =>
    describeOtherFamily(from, origins[4], { ...both, 6: geoOf('2001:db8::1', changed) }).detail;
  assert.equal(detailOf({ city: null }), 'Telenor, Norway.');
  assert.match(
    detailOf({ asn: 6939, asOrganization: 'Tunnel' }),
    /^Tunnel, Oslo, Norway\. Usual reason for two .* VPN or tunnel\.$/,
  );
  // One organization may have several networks, and its name several forms.
  for (const changed of [{ asOrganization: 'TELENOR-NORGE' }, { asn: 8210, asOrganization: 'Telenor ASA' }])
    assert.equal(detailOf(changed), 'Same provider and location.');
  // It is not known whether there are two.
  const unknownNetwork = { asn: null, asOrganization: null };
  assert.equal(detailOf({ asOrganization: null }), 'Oslo, Norway.');
  assert.equal(detailOf({}, { ...own, network: unknownNetwork }), 'Telenor, Oslo, Norway.');
  const unknown = { asOrganization: null, city: null, countryName: null };
  assert.equal(detailOf(unknown, { ...own, network: unknownNetwork, place: null }), '');
  assert.equal(detailOf({ city: null, countryName: null }, { ...own, place: null }), 'Same provider.');
});

test('states which version the browser prefers and what that means for nearly all websites, which support IPv4', () => {
  assert.deepEqual(describeOtherFamily(own6, page, both), {
    ip: '192.0.2.1',
    verdict: 'IPv6 works, and your browser prefers it.',
    detail: 'Same provider and location. Websites without IPv6 see the IPv4 address.',
  });
  // A page on a host for one version shows no preference.
  const { verdict, detail } = describeOtherFamily(own, origins[4], both);
  assert.deepEqual([verdict, detail], ['IPv4 and IPv6 work.', 'Same provider and location.']);
  assert.match(
    describeOtherFamily(own, page, { ...both, 4: geoOf('192.0.2.9') }).detail,
    /Another request came from 192\.0\.2\.9\./,
  );
});

test('without a response, states only that the browser did not reach the service, with every usual reason', () => {
  const refused = describeOtherFamily(own, page, { ...both, 6: 'unreachable' });
  assert.deepEqual(refused, {
    ip: null,
    verdict: 'This browser did not reach the service over IPv6.',
    detail:
      'Usual reasons: no IPv6 from the provider, a router or VPN without it, or an extension that blocks the host.',
  });
  assert.deepEqual(describeOtherFamily(own, page, { 4: null, 6: 'unreachable' }), refused);
  // An error over the own version is a response, too.
  assert.deepEqual(describeOtherFamily(own, page, { 4: 'failed', 6: 'unreachable' }), refused);
  assert.equal(
    describeOtherFamily(own6, page, { ...both, 4: 'unreachable' }).verdict,
    'This browser did not reach the service over IPv4.',
  );
});

test('an unanswered request over the own version, a limit, an error or a wrong host leaves the other version unchecked', () => {
  for (const [responses, reason] of [
    [{ 4: 'unreachable', 6: 'unreachable' }, /none of the service's hosts for one version\..* extension that blocks/],
    [{ ...both, 6: 'limited' }, /^Too many requests from this IP address\./],
    [{ ...both, 6: 'failed' }, /^The host of this service for IPv6 responded without an address;/],
    [{ ...both, 6: { ...geoOf(''), ip: null } }, /^The host of this service for IPv6 responded without an address;/],
    [{ 4: 'unreachable', 6: 'failed' }, /responded without an address;/],
    [{ ...both, 6: geoOf('192.0.2.1') }, /The host of this service for IPv6 is set up incorrectly\./],
  ] as const) {
    const { ip, verdict, detail } = describeOtherFamily(own, page, responses);
    assert.deepEqual([ip, verdict], [null, 'IPv6 could not be checked.']);
    assert.match(detail, reason);
  }
});

test('requests nothing without a host for the other version, and renders nothing that only a script can fill in', () => {
  assert.doesNotMatch(pageAt('/'), /data-own=/);
  const settings = { publicUrlV4: origins[4], publicUrlV6: origins[6] };
  assert.match(
    pageAt('/', seenAll, null, settings),
    /data-own="\{&quot;ip&quot;:&quot;2001:db8::1&quot;[^"]*"><\/div>/,
  );
  const markup = pageAt('/', seenAll, null, settings).replaceAll(/<(style|script)\b.*?<\/\1>/gs, '');
  assert.doesNotMatch(markup, /Checking|comparing/i);
  assert.doesNotMatch(pageAt('/', seenAll, null, { publicUrlV6: origins[6] }), /data-own=/);
  assert.doesNotMatch(pageAt('/', { ...seenAll, ip: null }, null, settings), /data-own=/);
});
