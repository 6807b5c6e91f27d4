/** Which addresses WebRTC shows, in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Candidate, describeWebRtc, type Gathering } from '../../../../src/http/page/home/webrtc.ts';

const own = ['192.0.2.1'];
const mapped = (ip: string, port = 50_000): Candidate => ({ type: 'srflx', ip, port });
const gathered = (...candidates: readonly Candidate[]): Gathering => ({ candidates, isComplete: true, hasAny: true });
const textsOf = (gathering: Gathering | null, addresses: readonly string[] = own, hasTwoPorts = false) =>
  describeWebRtc(gathering, { own: addresses, hasTwoPorts }).map(({ label, text }) => `${label}: ${text}`);

test('compares the addresses of each IP version, IPv6 by /64', () => {
  for (const [shown, addresses, expected] of [
    ['192.0.2.1', own, 'WebRTC, IPv4: Shows the same address as the page'],
    ['192.0.2.2', own, 'WebRTC, IPv4: Shows a different address than the page'],
    ['2001:db8::1', ['2001:db8::1'], 'WebRTC, IPv6: Shows the same address as the page'],
    ['2001:db8::1:2:3:4', ['2001:db8::5'], 'WebRTC, IPv6: Shows another address of the same network'],
    ['2001:db8:0:1::1', ['2001:db8::1'], 'WebRTC, IPv6: Shows a different address than the page'],
    ['2001:db8::1', own, 'WebRTC, IPv6: Shows an address that cannot be compared'],
    ['192.0.2.1', [], 'WebRTC, IPv4: Shows an address that cannot be compared'],
  ] as const)
    assert.deepEqual(textsOf(gathered(mapped(shown)), addresses), [expected]);
});

test('states of an address without another to compare only that none is known: the request for it may have failed', () => {
  const [finding] = describeWebRtc(gathered(mapped('2001:db8::1')), { own, hasTwoPorts: false });
  assert.equal(finding?.detail, 'This page does not know your IPv6 address.');
});

test('names the addresses that differ, and both versions', () => {
  const findings = describeWebRtc(gathered(mapped('192.0.2.1'), mapped('198.51.100.1'), mapped('2001:db8::1')), {
    own: [...own, '2001:db8::1'],
    hasTwoPorts: false,
  });
  assert.deepEqual(
    findings.map(({ addresses }) => addresses),
    [['198.51.100.1'], ['2001:db8::1']],
  );
  assert.match(findings[0]?.detail ?? '', /^The page shows 192\.0\.2\.1\. /);
});

test('tells an address of the device from one that the server saw', () => {
  const interfaceAddress: Candidate = { type: 'host', ip: '10.0.0.5', port: 1 };
  assert.deepEqual(textsOf(gathered(interfaceAddress, mapped('192.0.2.1'))), [
    'WebRTC, IPv4: Shows an address of this device',
  ]);
  // A device without NAT.
  assert.deepEqual(textsOf(gathered({ ...interfaceAddress, ip: '192.0.2.1' }, mapped('192.0.2.1'))), [
    'WebRTC, IPv4: Shows the same address as the page',
  ]);
});

test('states the mapping only if the browser asked both destinations, completely, and it is clear', () => {
  const same = gathered(mapped('192.0.2.1'));
  const other = gathered(mapped('192.0.2.1', 1), mapped('192.0.2.1', 2));
  const mappingOf = (gathering: Gathering, hasTwoPorts = true) => textsOf(gathering, own, hasTwoPorts).slice(1);
  assert.deepEqual(mappingOf(same), ['UDP ports: The same port for both destinations']);
  assert.deepEqual(mappingOf(other), ['UDP ports: A different port for each destination']);
  assert.deepEqual(mappingOf(same, false), []);
  assert.deepEqual(mappingOf({ ...other, isComplete: false }), []);
  assert.deepEqual(mappingOf(gathered(mapped('192.0.2.1', 1), mapped('192.0.2.2', 2))), []);
});

test('says what is missing, and never that an address is', () => {
  assert.deepEqual(textsOf(null), ['WebRTC: Not available']);
  assert.deepEqual(textsOf(gathered(), own, true), ['WebRTC: No response over UDP']);
  assert.deepEqual(textsOf({ candidates: [], isComplete: true, hasAny: false }), ['WebRTC: Shows no address']);
  const ofInterface = (ip: string): Gathering => gathered({ type: 'host', ip, port: 1 });
  for (const gathering of [ofInterface('10.0.0.5'), { ...ofInterface('10.0.0.5'), isComplete: false }])
    assert.deepEqual(textsOf(gathering), [
      'WebRTC, IPv4: Shows an address of this device',
      'WebRTC: No response over UDP',
    ]);
  // A device without NAT: browsers omit the candidate that the server reflects, because it is the same.
  assert.deepEqual(textsOf(ofInterface('8.8.8.8'), ['8.8.8.8']), ['WebRTC, IPv4: Shows the same address as the page']);
});
