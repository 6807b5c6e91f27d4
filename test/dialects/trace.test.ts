/** The shape of Cloudflare's trace: its lines, and those that are left out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helloOf, helloVectors } from '../client/fingerprint/hello-vectors.ts';
import { bodyOf, munich, stranger } from './requests.ts';

const paths = ['/as/trace', '/as/trace/cdn-cgi/trace'];

const linesOf = (body: string): Record<string, string> =>
  Object.fromEntries(
    body
      .trimEnd()
      .split('\n')
      .map((line) => [line.split('=')[0], line.replace(/^.*?=/, '')]),
  );

test('the lines have the order of the service, and end with a newline', () => {
  const clientHello = helloOf({ ciphers: [0x1301], extensions: [] });
  const observed = { ...munich, handshake: { ...munich.handshake, clientHello } };
  for (const path of paths)
    assert.equal(
      bodyOf(path, { observed }),
      [
        'h=seenby.example',
        'ip=203.0.113.7',
        'ts=1772941360.629',
        'visit_scheme=https',
        'uag=curl/8.5.0',
        'colo=FRA',
        'sliver=none',
        'http=http/2',
        'loc=DE',
        'tls=TLSv1.3',
        'sni=off',
        'warp=off',
        'gateway=off',
        'rbi=off',
        '',
      ].join('\n'),
    );
});

test('what is not known is omitted or has the word of the service', () => {
  const lines = linesOf(bodyOf('/as/trace', { observed: stranger }));
  assert.deepEqual(Object.keys(lines).join(' '), 'ip ts visit_scheme uag sliver loc tls sni warp gateway rbi');
  assert.deepEqual([lines.loc, lines.tls, lines.sni, lines.uag], ['XX', 'off', 'off', '']);
  const behindProxy = linesOf(bodyOf('/as/trace', { observed: { ...stranger, isSecure: true } }));
  assert.deepEqual([behindProxy.tls, behindProxy.sni], [undefined, undefined]);
});

test('a host that is or contains an address is omitted, because clients take the first address of the text', () => {
  for (const [host, expected] of [
    ['seenby.example:8443', 'seenby.example:8443'],
    ['192.0.2.1', undefined],
    ['192.0.2.1:8443', undefined],
    ['[2001:db8::1]:8443', undefined],
    ['10.0.0.5.nip.io:8443', undefined],
    ['app-192.0.2.1.example', undefined],
    ['10-0-0-5.nip.io', '10-0-0-5.nip.io'],
    ['1.2.3.example:8443', '1.2.3.example:8443'],
    ['1.2.3.4000.example', '1.2.3.4000.example'],
  ] as const)
    assert.equal(linesOf(bodyOf('/as/trace', { observed: { ...munich, headers: { host } } })).h, expected);
});

test('a server name in the ClientHello is plaintext', () => {
  const { body: clientHello } = helloVectors.find(({ ja4 }) => ja4.startsWith('t10d')) ?? assert.fail();
  const observed = { ...munich, handshake: { ...munich.handshake, clientHello } };
  assert.equal(linesOf(bodyOf('/as/trace', { observed })).sni, 'plaintext');
});
