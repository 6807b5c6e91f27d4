/** SYN packets of Linux, and packets that are none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTcpSyn } from '../../../src/client/fingerprint/tcp-syn.ts';

const tcpOfLinux = 'c350 01bb 00000001 00000000 a002 fafa 0000 0000 0204 05b4 0402 080a 00000001 00000000 01 030307';
const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const overIpv4 = bytes(`4500 003c 1234 4000 3a06 0000 c0000201 c0000202 ${tcpOfLinux}`);
const overIpv6 = bytes(`60000000 0028 06 37 ${'20010db8'.repeat(8)} ${tcpOfLinux}`);
const options = {
  initialTtlEstimate: 64,
  windowSize: 64250,
  mss: 1460,
  windowScale: 7,
  options: [
    { id: 2, name: 'Maximum Segment Size' },
    { id: 4, name: 'SACK Permitted' },
    { id: 8, name: 'Timestamps' },
    { id: 1, name: 'No-Operation' },
    { id: 3, name: 'Window Scale' },
  ],
};

test('reads the SYN of a Linux client over IPv4 and IPv6', () => {
  assert.deepEqual(parseTcpSyn(overIpv4), {
    ipVersion: 4,
    ttl: 58,
    dontFragment: true,
    ...options,
    mtu: 1500,
    link: 'Ethernet',
  });
  assert.deepEqual(parseTcpSyn(overIpv6), {
    ipVersion: 6,
    ttl: 55,
    dontFragment: null,
    ...options,
    mtu: 1520,
    link: null,
  });
});

test('derives the MTU from the MSS, and names a link that alone has it', () => {
  const linkOf = (packet: Uint8Array, mss: number): unknown[] => {
    const changed = Buffer.from(packet);
    changed.writeUInt16BE(mss, packet.length - 18);
    const { mtu, link } = parseTcpSyn(changed) ?? {};
    return [mtu, link];
  };
  assert.deepEqual(linkOf(overIpv6, 1440), [1500, 'Ethernet']);
  assert.deepEqual(linkOf(overIpv4, 1452), [1492, 'PPPoE']);
  assert.deepEqual(linkOf(overIpv4, 1380), [1420, 'tunnel or VPN']);
  assert.deepEqual(linkOf(overIpv6, 1360), [1420, 'tunnel or VPN']);
  for (const [packet, mss] of [
    [overIpv6, 1220],
    [overIpv4, 1240],
    [overIpv4, 0],
  ] as const)
    assert.equal(linkOf(packet, mss)[1], null);
  const withoutMss = Buffer.from(overIpv4);
  withoutMss.fill(1, 40, 44);
  assert.deepEqual(
    [parseTcpSyn(withoutMss)?.mss, parseTcpSyn(withoutMss)?.mtu, parseTcpSyn(withoutMss)?.link],
    [null, null, null],
  );
});

test('reads past the options of IPv4', () => {
  const optioned = Buffer.concat([overIpv4.subarray(0, 20), Buffer.alloc(4, 1), overIpv4.subarray(20)]);
  optioned[0] = 0x46;
  assert.deepEqual(parseTcpSyn(optioned)?.options, options.options);
});

test('ends the list of options at a malformed one', () => {
  const malformed = Buffer.from(overIpv4);
  malformed[20 + 20 + 5] = 1;
  assert.deepEqual(parseTcpSyn(malformed), {
    ...parseTcpSyn(overIpv4),
    windowScale: null,
    options: options.options.slice(0, 1),
  });
});

test('returns null for what is cut short or carries no TCP', () => {
  for (const packet of [overIpv4, overIpv6]) {
    for (let length = 0; length < packet.length; length += 1) {
      assert.equal(parseTcpSyn(packet.subarray(0, length)), null);
    }
  }
  const udp = Buffer.from(overIpv4);
  udp[9] = 17;
  assert.equal(parseTcpSyn(udp), null);
  const hopByHop = Buffer.from(overIpv6);
  hopByHop[6] = 0;
  assert.equal(parseTcpSyn(hopByHop), null);
});

test('estimates the initial TTL as the next usual value', () => {
  const estimates = [1, 32, 33, 64, 65, 128, 129, 255].map((ttl) => {
    const packet = Buffer.from(overIpv4);
    packet[8] = ttl;
    return parseTcpSyn(packet)?.initialTtlEstimate;
  });
  assert.deepEqual(estimates, [32, 32, 64, 64, 128, 128, 255, 255]);
});
