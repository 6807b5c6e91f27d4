import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandshakeRequest } from '../../../src/core/tls/handshakes.ts';
import { certificateCheck, certificateTarget } from '../../../src/lookups/certificate/check.ts';
import { platformOf } from '../../platform.ts';
import { handshakesOf, nowMs } from './observed.ts';

const options = { ownHosts: ['seenby.example'] };

test('reads names, addresses, ports and URLs', () => {
  for (const [text, host, port] of [
    ['example.com', 'example.com', 443],
    [' Example.COM. ', 'example.com', 443],
    ['example.com:993', 'example.com', 993],
    ['https://example.com:8443/a?b', 'example.com', 8443],
    ['http://example.com/', 'example.com', 443],
    ['münchen.de', 'xn--mnchen-3ya.de', 443],
    ['8.8.8.8', '8.8.8.8', 443],
    ['8.8.8.8:853', '8.8.8.8', 853],
    ['2606:4700::1111', '2606:4700::1111', 443],
    ['[2606:4700::1111]:853', '2606:4700::1111', 853],
  ] as const)
    assert.deepEqual(certificateTarget(text, options), { host, port }, text);
});

test('rejects what it may not contact before any packet is sent', () => {
  for (const [text, code, message] of [
    ['', 'invalid_query', /./],
    ['example.com:25', 'invalid_query', /Port 25 is not allowed; use 443, 465, .* or 8443\./],
    ['example.com:0', 'invalid_query', /Port 0/],
    ['smtp://example.com', 'invalid_query', /./],
    ['https://a:b@example.com', 'invalid_query', /user name/],
    ['a b', 'invalid_query', /space/],
    ['10.0.0.1', 'blocked_address', /./],
    ['0x7f000001', 'blocked_address', /./],
    ['[::ffff:127.0.0.1]:443', 'blocked_address', /./],
    ['router.local', 'blocked_address', /./],
    ['Seenby.example', 'invalid_target', /./],
  ] as const)
    assert.throws(() => certificateTarget(text, options), { code, message }, text);
});

test('a terminal may permit private addresses and any port', () => {
  const inTerminal = { ownHosts: [], anyPort: true, privateAddresses: true };
  assert.deepEqual(certificateTarget('10.0.0.1:4433', inTerminal), { host: '10.0.0.1', port: 4433 });
  for (const port of ['0', '99999', 'a'])
    assert.throws(() => certificateTarget(`example.com:${port}`, inTerminal), { message: /; use 1 to 65535\.$/ }, port);
});

test('a runtime that shows no certificates offers no lookup', async () => {
  const check = certificateCheck('example.com', platformOf(), { userAgent: 'a', ownHosts: [] });
  await assert.rejects(check, { code: 'not_enabled' });
});

test('asks for handshakes with the host, and states why there are none', async () => {
  const requests: HandshakeRequest[] = [];
  const check = (failure: 'own' | 'blocked' | 'unresolved' | null) => {
    const platform = platformOf({
      now: () => nowMs,
      async handshakes(request) {
        requests.push(request);
        return failure === null ? handshakesOf() : { failure };
      },
    });
    return certificateCheck('example.com:465', platform, { userAgent: 'a', ownHosts: [] });
  };
  const { host, port, certificates } = await check(null);
  assert.deepEqual([host, port, certificates.length], ['example.com', 465, 1]);
  assert.deepEqual(
    requests.map(({ host, port }) => [host, port]),
    [['example.com', 465]],
  );
  await assert.rejects(check('own'), { code: 'invalid_target' });
  await assert.rejects(check('blocked'), { code: 'blocked_address' });
  await assert.rejects(check('unresolved'), { code: 'target_unreachable' });
});
