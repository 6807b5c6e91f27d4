/** Statements of the page about the client's IPv4 and IPv6 addresses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeFamily,
  describePreference,
  describeVerdict,
  type FamilyGeo,
  type OwnAddress,
} from '../../../../src/http/page/home/address-families.ts';
import { seenAll } from '../../../observed.ts';
import { pageAt } from '../page-at.ts';

const origins = { 4: 'https://v4.seenby.example', 6: 'https://v6.seenby.example' };
const page = 'https://seenby.example';
const own: OwnAddress = { ip: '192.0.2.1', ipVersion: 4, provider: 'Telenor', place: 'Oslo, Norway', origins };
const geoOf = (ip: string, changed: Partial<FamilyGeo> = {}): FamilyGeo => ({
  ip,
  asOrganization: 'Telenor',
  city: 'Oslo',
  countryName: 'Norway',
  ...changed,
});

test('shows the other address with its provider and location, if they differ', () => {
  assert.deepEqual(describeFamily(6, geoOf('2001:db8::1'), own), {
    ip: '2001:db8::1',
    detail: 'Same provider and location',
  });
  const elsewhere = geoOf('2001:db8::1', { asOrganization: 'Tunnel', city: null });
  assert.deepEqual(describeFamily(6, elsewhere, own), { ip: '2001:db8::1', detail: 'Tunnel, Norway' });
  const unknown = geoOf('2001:db8::1', { asOrganization: null, city: null, countryName: null });
  assert.equal(describeFamily(6, unknown, { ...own, provider: null, place: null }).detail, '');
});

test('states a missing version as a normal result', () => {
  assert.match(describeFamily(6, 'unreachable', own).detail, /^Not available: .* only over IPv4\./);
  assert.match(
    describeFamily(4, 'unreachable', { ...own, ipVersion: 6 }).detail,
    /^Not available: .* only over IPv6\./,
  );
  assert.match(describeFamily(6, 'limited', own).detail, /^Not checked: /);
  assert.deepEqual(describeFamily(6, geoOf('192.0.2.1'), own), {
    ip: null,
    detail: 'Not known: the host of this service for IPv6 is set up incorrectly.',
  });
});

test('states which version the browser prefers and what that means', () => {
  const both = { 4: geoOf('192.0.2.1'), 6: geoOf('2001:db8::1') };
  assert.equal(
    describePreference(own, page, both),
    'Websites that support both versions see the IPv4 address, the others see the IPv6 address.',
  );
  assert.equal(describePreference(own, origins[4], both), '');
  assert.equal(describePreference(own, page, { 4: both[4], 6: 'unreachable' }), '');
  assert.match(
    describePreference(own, page, { 4: null, 6: geoOf('2001:db8::1', { asOrganization: 'VPN' }) }),
    /providers differ\. Usual reason: a VPN/,
  );
  assert.match(
    describePreference(own, page, { 4: geoOf('192.0.2.9'), 6: null }),
    /^Another request came from 192\.0\.2\.9\./,
  );
});

test('states in one sentence whether IPv6 works, and which version the browser prefers', () => {
  const both = { 4: geoOf('192.0.2.1'), 6: geoOf('2001:db8::1') };
  const own6: OwnAddress = { ...own, ip: '2001:db8::1', ipVersion: 6 };
  for (const [from, origin, responses, expected] of [
    [own6, page, both, 'IPv6 works, and your browser prefers it.'],
    [own, page, both, 'IPv6 works, but your browser prefers IPv4.'],
    [own, origins[4], both, 'IPv4 and IPv6 work.'],
    [own, page, { ...both, 6: 'unreachable' }, 'IPv6 does not work.'],
    [own6, page, { ...both, 4: 'unreachable' }, 'IPv6 works, IPv4 does not.'],
    [own, page, { ...both, 6: 'limited' }, ''],
    [own, page, { ...both, 6: geoOf('192.0.2.1') }, ''],
    [own, page, { 4: null, 6: null }, ''],
  ] as const)
    assert.equal(describeVerdict(from, origin, responses), expected);
});

test('requests nothing without a host, and passes the script only what it shows', () => {
  assert.doesNotMatch(pageAt('/'), /data-own=/);
  const settings = { publicUrlV4: origins[4], publicUrlV6: origins[6] };
  assert.match(pageAt('/', seenAll, null, settings), /data-own="\{&quot;ip&quot;:&quot;2001:db8::1&quot;/);
  assert.match(pageAt('/', seenAll, null, settings), /<p class="other v4"><span class="chip">IPv4<\/span>/);
  assert.doesNotMatch(pageAt('/', seenAll, null, { publicUrlV6: origins[6] }), /class="other/);
  assert.doesNotMatch(pageAt('/', { ...seenAll, ip: null }, null, settings), /data-own=/);
});
