/** Which addresses WebRTC shows, in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Candidate,
  describeWebRtc,
  type Gathering,
  readCandidate,
  type WebRtcTest,
} from '../../src/probes/webrtc.ts';

const own = ['192.0.2.1'];
const host = 'stun.seenby.test';
const mapped = (ip: string, port = 50_000): Candidate => ({ type: 'srflx', ip, port });
const hidden: Candidate = { type: 'host', ip: null, port: 1 };
const gathered = (...candidates: readonly Candidate[]): Gathering => ({
  candidates,
  isComplete: true,
  failure: null,
});
const testOf = (all: Gathering, ...single: readonly Gathering[]): WebRtcTest => ({ all, single });
const describe = (test: WebRtcTest | null, addresses: readonly string[] = own, server = host) =>
  describeWebRtc(test, { own: addresses, host: server });
const textsOf = (...given: Parameters<typeof describe>) =>
  describe(...given).map(({ label, text }) => `${label}: ${text}`);

test('reads candidates of browsers: hidden addresses, both IP versions, none of TCP', () => {
  for (const [text, expected] of [
    // Chromium 156, Firefox 153.
    [
      'candidate:327547766 1 udp 2113937151 7e78f7c7-1f24-487e-8a88-c8c4be0a9a82.local 47833 typ host generation 0 ufrag uoC8 network-cost 999',
      { type: 'host', ip: null, port: 47_833 },
    ],
    [
      'candidate:3629678965 1 udp 1677732095 2001:db8:1::9 52218 typ srflx raddr :: rport 0 generation 0 ufrag uyko network-cost 999',
      mapped('2001:db8:1::9', 52_218),
    ],
    ['candidate:1 1 UDP 1686052863 192.0.2.9 51114 typ srflx raddr 0.0.0.0 rport 0', mapped('192.0.2.9', 51_114)],
    ['candidate:2 1 TCP 2105524479 19fbf383-c0e2-4f65-9712-8ccbd7827fe6.local 9 typ host tcptype active', null],
    // Other notations of the same addresses.
    ['candidate:1 1 udp 1 [2001:DB8::0:9] 5 typ srflx', mapped('2001:db8::9', 5)],
    ['candidate:1 1 udp 1 fe80::1%eth0 5 typ host', { type: 'host', ip: null, port: 5 }],
    ['candidate:1 1 udp 1 192.0.2.9 5 typ relay', null],
    // The last one in Firefox.
    ['', null],
  ] as const)
    assert.deepEqual(readCandidate(text), expected, text);
});

test('compares the addresses of each IP version, IPv6 by /64', () => {
  for (const [shown, addresses, expected] of [
    ['192.0.2.1', own, 'WebRTC, IPv4: Shows the same address as the page'],
    ['192.0.2.2', own, 'WebRTC, IPv4: Shows a different address than the page'],
    ['2001:db8::1', ['2001:db8::1'], 'WebRTC, IPv6: Shows the same address as the page'],
    ['2001:db8::1:2:3:4', ['2001:db8::5'], 'WebRTC, IPv6: Shows another address of the same network'],
    ['2001:db8:0:1::1', ['2001:db8::1'], 'WebRTC, IPv6: Shows a different address than the page'],
    ['192.0.2.1', [], 'WebRTC, IPv4: Shows an address that cannot be compared'],
    ['192.0.2.1', ['8.8.8.8'], 'WebRTC, IPv4: Shows a different address than the page'],
    // A gateway of the service, which replaces the address of every visitor.
    ['172.17.0.1', ['8.8.8.8'], 'WebRTC, IPv4: Shows a private address'],
    ['172.17.0.1', ['172.17.0.2'], 'WebRTC, IPv4: Shows a different address than the page'],
    ['172.17.0.1', ['172.17.0.1'], 'WebRTC, IPv4: Shows the same address as the page'],
  ] as const)
    assert.deepEqual(textsOf(testOf(gathered(mapped(shown))), addresses), [expected]);
});

test('states of an address without another to compare only that none is known: the request for it may have failed', () => {
  const [finding] = describe(testOf(gathered(mapped('2001:db8::1'))), []);
  assert.equal(finding?.detail, 'This page does not know your IPv6 address.');
});

test('names the addresses that differ, and both versions', () => {
  const findings = describe(testOf(gathered(mapped('192.0.2.1'), mapped('198.51.100.1'), mapped('2001:db8::1'))), [
    ...own,
    '2001:db8::1',
  ]);
  assert.deepEqual(
    findings.map(({ addresses }) => addresses),
    [['198.51.100.1'], ['2001:db8::1']],
  );
  assert.match(findings[0]?.detail ?? '', /^The page shows 192\.0\.2\.1\. /);
});

test('tells an address of the device from one that the server saw', () => {
  const interfaceAddress: Candidate = { type: 'host', ip: '10.0.0.5', port: 1 };
  assert.deepEqual(textsOf(testOf(gathered(interfaceAddress, mapped('192.0.2.1')))), [
    'WebRTC, IPv4: Shows an address of this device',
  ]);
  // A device without NAT.
  assert.deepEqual(textsOf(testOf(gathered({ ...interfaceAddress, ip: '192.0.2.1' }, mapped('192.0.2.1')))), [
    'WebRTC, IPv4: Shows the same address as the page',
  ]);
});

test('states the mapping of ports if both destinations responded over an IP version, otherwise why it does not', () => {
  const mappingOf = (...given: Parameters<typeof testOf>) =>
    describe(testOf(...given)).find(({ label }) => label === 'UDP ports');
  const same = gathered(mapped('192.0.2.1'));
  const unfinished = { ...same, isComplete: false };
  const other = gathered(mapped('192.0.2.1', 1), mapped('192.0.2.1', 2));
  const over6 = gathered(mapped('2001:db8::1'));
  assert.equal(mappingOf(same, same, same)?.text, 'The same port for both destinations');
  // As in Chromium without IPv4, which waits for responses over IPv4.
  assert.equal(mappingOf(unfinished, unfinished, unfinished)?.text, 'The same port for both destinations');
  assert.equal(mappingOf(other, same, same)?.text, 'A different port for each destination');
  assert.equal(
    mappingOf({ ...other, isComplete: false }, same, gathered())?.text,
    'A different port for each destination',
  );
  for (const single of [
    [same, gathered(hidden)],
    [same, over6],
    [gathered(), gathered()],
  ])
    assert.equal(mappingOf(same, ...single)?.detail, 'Only one of the two ports of the STUN server responded.');
  const several = gathered(mapped('192.0.2.1', 1), mapped('192.0.2.2', 2));
  assert.equal(mappingOf(several, same, same)?.detail, 'The STUN server saw several of your IP addresses.');
  // One port, or no response.
  assert.equal(mappingOf(same), undefined);
  assert.equal(mappingOf(gathered(hidden), gathered(), gathered()), undefined);
});

test('says what is missing, and never that an address is', () => {
  assert.deepEqual(textsOf(null), ['WebRTC: Not available']);
  assert.deepEqual(textsOf(testOf(gathered(hidden))), ['WebRTC: No response over UDP']);
  assert.deepEqual(textsOf(testOf(gathered())), ['WebRTC: Shows no address']);
  // A browser that hides no address has ended; another one waits for a response.
  assert.deepEqual(textsOf(testOf({ ...gathered(), isComplete: false })), ['WebRTC: No response over UDP']);
  const ofInterface = (ip: string): Gathering => gathered({ type: 'host', ip, port: 1 });
  for (const gathering of [ofInterface('10.0.0.5'), { ...ofInterface('10.0.0.5'), isComplete: false }])
    assert.deepEqual(textsOf(testOf(gathering)), [
      'WebRTC, IPv4: Shows an address of this device',
      'WebRTC: No response over UDP',
    ]);
  // A device without NAT: browsers omit the candidate that the server reflects, because it is the same.
  assert.deepEqual(textsOf(testOf(ofInterface('8.8.8.8')), ['8.8.8.8']), [
    'WebRTC, IPv4: Shows the same address as the page',
  ]);
});

test('a STUN server whose address the browser does not find is no blocked UDP', () => {
  const unresolved: Gathering = { ...gathered(hidden), failure: 'lookup' };
  const [named] = describe(testOf(unresolved));
  assert.equal(named?.text, 'No address of the STUN server found');
  assert.match(named?.detail ?? '', /^This browser looked up stun\.seenby\.test\. .* a resolver or an extension/);
  // Firefox reports a name without addresses and a firewall of the device alike.
  const [unstated] = describe(testOf({ ...unresolved, failure: 'unstated' }));
  assert.equal(unstated?.text, 'No STUN request sent');
  assert.match(unstated?.detail ?? '', /a firewall of this device that blocks UDP, a resolver or an extension/);
  // Chromium without IPv6, which has found an IPv4 address and waits for its response.
  assert.deepEqual(textsOf(testOf({ ...unresolved, isComplete: false })), ['WebRTC: No response over UDP']);
  const [literal] = describe(testOf(unresolved), own, '2001:db8::5');
  assert.match(literal?.detail ?? '', /a network without IPv6\.$/);
});

test('states why WebRTC shows no address of a version over which the page was requested', () => {
  const over6 = gathered(mapped('2001:db8::1'));
  const both = [...own, '2001:db8::1'];
  const missing = (all: Gathering, server = host) =>
    describe(testOf(all), both, server).find(({ label }) => label === 'WebRTC, IPv4');
  assert.equal(missing(over6)?.text, 'No response over UDP');
  const found = `This browser found no IPv4 address of ${host}`;
  assert.equal(missing({ ...over6, failure: 'lookup' })?.detail, `${found}.`);
  assert.equal(missing({ ...over6, failure: 'unstated' })?.detail, `${found}, or could not send to it.`);
  assert.equal(missing(over6, '2001:db8::5')?.detail, 'The STUN server has no IPv4 address.');
  assert.deepEqual(textsOf(testOf(over6), ['2001:db8::1']), ['WebRTC, IPv6: Shows the same address as the page']);
});
